target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%pair = type { x86_fp80, x86_fp80 }
%mixed = type { i8, x86_fp80, [2 x x86_fp80], i32 }

@constants = constant [3 x x86_fp80] [x86_fp80 0xK3FFF8000000000000000, x86_fp80 0xKC000C000000000000001, x86_fp80 0xK00000000000000000001]
@mixed = global %mixed { i8 5, x86_fp80 0xK4000C000000000000000, [2 x x86_fp80] [x86_fp80 zeroinitializer, x86_fp80 0xKBFFF8000000000000000], i32 7 }

declare i1 @llvm.is.fpclass.f80(x86_fp80, i32)
declare x86_fp80 @llvm.minimum.f80(x86_fp80, x86_fp80)
declare x86_fp80 @llvm.fmuladd.f80(x86_fp80, x86_fp80, x86_fp80)
declare x86_fp80 @llvm.copysign.f80(x86_fp80, x86_fp80)
declare x86_fp80 @llvm.powi.f80.i32(x86_fp80, i32)
declare i64 @llvm.lrint.i64.f80(x86_fp80)
declare { x86_fp80, i32 } @llvm.frexp.f80.i32(x86_fp80)
declare { x86_fp80, x86_fp80 } @llvm.modf.f80(x86_fp80)
declare void @keep(ptr)

define i32 @classes(x86_fp80 %x) {
  %a = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 1)
  %b = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 2)
  %c = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 4)
  %d = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 8)
  %e = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 16)
  %f = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 32)
  %g = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 64)
  %h = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 128)
  %i = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 256)
  %j = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 512)
  %k = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 3)
  %l = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 504)
  %m = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 264)
  %n = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 516)
  %v0 = insertelement <16 x i1> zeroinitializer, i1 %a, i32 0
  %v1 = insertelement <16 x i1> %v0, i1 %b, i32 1
  %v2 = insertelement <16 x i1> %v1, i1 %c, i32 2
  %v3 = insertelement <16 x i1> %v2, i1 %d, i32 3
  %v4 = insertelement <16 x i1> %v3, i1 %e, i32 4
  %v5 = insertelement <16 x i1> %v4, i1 %f, i32 5
  %v6 = insertelement <16 x i1> %v5, i1 %g, i32 6
  %v7 = insertelement <16 x i1> %v6, i1 %h, i32 7
  %v8 = insertelement <16 x i1> %v7, i1 %i, i32 8
  %v9 = insertelement <16 x i1> %v8, i1 %j, i32 9
  %v10 = insertelement <16 x i1> %v9, i1 %k, i32 10
  %v11 = insertelement <16 x i1> %v10, i1 %l, i32 11
  %v12 = insertelement <16 x i1> %v11, i1 %m, i32 12
  %v13 = insertelement <16 x i1> %v12, i1 %n, i32 13
  %bits = bitcast <16 x i1> %v13 to i16
  %result = zext i16 %bits to i32
  ret i32 %result
}

define i64 @to_i7(x86_fp80 %x) {
  %i = fptosi x86_fp80 %x to i7
  %r = sext i7 %i to i64
  ret i64 %r
}

define i64 @to_u33(x86_fp80 %x) {
  %i = fptoui x86_fp80 %x to i33
  %r = zext i33 %i to i64
  ret i64 %r
}

define i64 @to_i100(x86_fp80 %x) {
  %i = fptosi x86_fp80 %x to i100
  %s = ashr i100 %i, 30
  %r = trunc i100 %s to i64
  ret i64 %r
}

define x86_fp80 @from_bool(i1 %b) {
  %r = uitofp i1 %b to x86_fp80
  ret x86_fp80 %r
}

define x86_fp80 @from_signed_bool(i1 %b) {
  %r = sitofp i1 %b to x86_fp80
  ret x86_fp80 %r
}

define x86_fp80 @from_i33(i64 %x) {
  %t = trunc i64 %x to i33
  %r = sitofp i33 %t to x86_fp80
  ret x86_fp80 %r
}

define x86_fp80 @from_u33(i64 %x) {
  %t = trunc i64 %x to i33
  %r = uitofp i33 %t to x86_fp80
  ret x86_fp80 %r
}

define x86_fp80 @from_i100(i64 %x) {
  %w = sext i64 %x to i100
  %t = shl i100 %w, 30
  %r = sitofp i100 %t to x86_fp80
  ret x86_fp80 %r
}

define x86_fp80 @flip(x86_fp80 %x) {
  %bits = bitcast x86_fp80 %x to i80
  %flipped = xor i80 %bits, 1
  %r = bitcast i80 %flipped to x86_fp80
  ret x86_fp80 %r
}

define i64 @high_bits(x86_fp80 %x) {
  %bits = bitcast x86_fp80 %x to i80
  %high = lshr i80 %bits, 40
  %r = trunc i80 %high to i64
  ret i64 %r
}

define %pair @swap(x86_fp80 %a, x86_fp80 %b) {
  %one = insertvalue %pair poison, x86_fp80 %b, 0
  %two = insertvalue %pair %one, x86_fp80 %a, 1
  ret %pair %two
}

define x86_fp80 @difference(x86_fp80 %a, x86_fp80 %b) {
  %both = call %pair @swap(x86_fp80 %a, x86_fp80 %b)
  %x = extractvalue %pair %both, 0
  %y = extractvalue %pair %both, 1
  %r = fsub x86_fp80 %x, %y
  ret x86_fp80 %r
}

define x86_fp80 @second(x86_fp80 %a, x86_fp80 %b) {
  %both = call %pair @swap(x86_fp80 %a, x86_fp80 %b)
  %y = extractvalue %pair %both, 1
  ret x86_fp80 %y
}

define { x86_fp80, x86_fp80, x86_fp80 } @three(x86_fp80 %a) {
  %b = fadd x86_fp80 %a, %a
  %c = fmul x86_fp80 %b, %b
  %1 = insertvalue { x86_fp80, x86_fp80, x86_fp80 } poison, x86_fp80 %a, 0
  %2 = insertvalue { x86_fp80, x86_fp80, x86_fp80 } %1, x86_fp80 %b, 1
  %3 = insertvalue { x86_fp80, x86_fp80, x86_fp80 } %2, x86_fp80 %c, 2
  ret { x86_fp80, x86_fp80, x86_fp80 } %3
}

define x86_fp80 @of_three(x86_fp80 %a) {
  %s = call { x86_fp80, x86_fp80, x86_fp80 } @three(x86_fp80 %a)
  %x = extractvalue { x86_fp80, x86_fp80, x86_fp80 } %s, 2
  %y = extractvalue { x86_fp80, x86_fp80, x86_fp80 } %s, 1
  %r = fdiv x86_fp80 %x, %y
  ret x86_fp80 %r
}

define { i64, x86_fp80, double } @different(x86_fp80 %a) {
  %d = fptrunc x86_fp80 %a to double
  %i = fptosi x86_fp80 %a to i64
  %1 = insertvalue { i64, x86_fp80, double } poison, i64 %i, 0
  %2 = insertvalue { i64, x86_fp80, double } %1, x86_fp80 %a, 1
  %3 = insertvalue { i64, x86_fp80, double } %2, double %d, 2
  ret { i64, x86_fp80, double } %3
}

define x86_fp80 @of_different(x86_fp80 %a) {
  %s = call { i64, x86_fp80, double } @different(x86_fp80 %a)
  %i = extractvalue { i64, x86_fp80, double } %s, 0
  %x = extractvalue { i64, x86_fp80, double } %s, 1
  %d = extractvalue { i64, x86_fp80, double } %s, 2
  %w = fpext double %d to x86_fp80
  %v = sitofp i64 %i to x86_fp80
  %p = fadd x86_fp80 %x, %w
  %r = fadd x86_fp80 %p, %v
  ret x86_fp80 %r
}

define x86_fp80 @aggregate() {
  %m = load %mixed, ptr @mixed
  %a = extractvalue %mixed %m, 1
  %b = extractvalue %mixed %m, 2, 1
  %c = extractvalue %mixed %m, 2, 0
  %n = insertvalue %mixed %m, x86_fp80 0xK40018000000000000000, 2, 0
  store %mixed %n, ptr @mixed
  %s = fadd x86_fp80 %a, %b
  %r = fadd x86_fp80 %s, %c
  ret x86_fp80 %r
}

define x86_fp80 @rotate(i32 %n, x86_fp80 %a, x86_fp80 %b, x86_fp80 %c) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi x86_fp80 [ %a, %entry ], [ %y, %loop ]
  %y = phi x86_fp80 [ %b, %entry ], [ %z, %loop ]
  %z = phi x86_fp80 [ %c, %entry ], [ %x, %loop ]
  %w = phi x86_fp80 [ 0xK00000000000000000000, %entry ], [ %u, %loop ]
  %t = fmul x86_fp80 %w, 0xK40008000000000000000
  %u = fadd x86_fp80 %t, %x
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %f = freeze x86_fp80 %u
  ret x86_fp80 %f
}

define x86_fp80 @choose(i32 %n) {
  switch i32 %n, label %other [ i32 0, label %one
                                i32 1, label %two ]
one:
  br label %end
two:
  br label %end
other:
  %i = sext i32 %n to i64
  %p = getelementptr x86_fp80, ptr @constants, i64 2
  %l = load volatile x86_fp80, ptr %p, align 16
  br label %end
end:
  %r = phi x86_fp80 [ 0xK3FFF8000000000000000, %one ], [ poison, %two ], [ %l, %other ]
  ret x86_fp80 %r
}

define i1 @always(x86_fp80 %a, x86_fp80 %b) {
  %t = fcmp true x86_fp80 %a, %b
  %f = fcmp false x86_fp80 %a, %b
  %r = xor i1 %t, %f
  ret i1 %r
}

define x86_fp80 @several(x86_fp80 %a, x86_fp80 %b) {
  %m = call x86_fp80 @llvm.fmuladd.f80(x86_fp80 %a, x86_fp80 %b, x86_fp80 %a)
  %c = call x86_fp80 @llvm.copysign.f80(x86_fp80 %m, x86_fp80 %b)
  %r = call x86_fp80 @llvm.powi.f80.i32(x86_fp80 %c, i32 3)
  ret x86_fp80 %r
}

define x86_fp80 @parts(x86_fp80 %a, ptr %out) {
  %m = call { x86_fp80, x86_fp80 } @llvm.modf.f80(x86_fp80 %a)
  %f = call { x86_fp80, i32 } @llvm.frexp.f80.i32(x86_fp80 %a)
  %i = call i64 @llvm.lrint.i64.f80(x86_fp80 %a)
  store i64 %i, ptr %out
  %m0 = extractvalue { x86_fp80, x86_fp80 } %m, 0
  %m1 = extractvalue { x86_fp80, x86_fp80 } %m, 1
  %f0 = extractvalue { x86_fp80, i32 } %f, 0
  %f1 = extractvalue { x86_fp80, i32 } %f, 1
  %e = sitofp i32 %f1 to x86_fp80
  %s = fadd x86_fp80 %m0, %f0
  %t = fmul x86_fp80 %s, %m1
  %r = fsub x86_fp80 %t, %e
  ret x86_fp80 %r
}

; A call whose result nobody takes, which must not stay on the stack, before a return that is none.
define void @forget(x86_fp80 %a) {
  %r = tail call x86_fp80 @several(x86_fp80 %a, x86_fp80 %a)
  ret void
}

define x86_fp80 @hand_over(x86_fp80 %a, x86_fp80 %b) {
  %r = tail call x86_fp80 @several(x86_fp80 %b, x86_fp80 %a)
  ret x86_fp80 %r
}

define x86_fp80 @must(x86_fp80 %a, x86_fp80 %b) {
  %c = fadd x86_fp80 %a, %b
  %r = musttail call x86_fp80 @several(x86_fp80 %b, x86_fp80 %c)
  ret x86_fp80 %r
}
