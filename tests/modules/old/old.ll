; What compilers of LLVM 4 to 11 wrote: constant expressions that are none any more, typed pointers, intrinsics with
; arguments that they no longer have, attributes without types. It prints what each comes to.
target datalayout = "e-m:e-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, i64 }
@array = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@other = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@second = alias i32, getelementptr inbounds ([4 x i32], [4 x i32]* @array, i64 0, i64 1)
@chosen = global i32 select (i1 icmp ult (i32 3, i32 5), i32 10, i32 20)
@compared = global i1 fcmp olt (double 1.0, double 2.0)
@taken = global i32 extractelement (<4 x i32> insertelement (<4 x i32> zeroinitializer, i32 7, i32 2), i32 2)
@shuffled = global <2 x i32> shufflevector (<2 x i32> <i32 5, i32 6>, <2 x i32> <i32 8, i32 9>, <2 x i32> <i32 3, i32 0>)
@difference = global i64 sub (i64 ptrtoint (i32* getelementptr ([4 x i32], [4 x i32]* @array, i64 0, i64 3) to i64), i64 ptrtoint ([4 x i32]* @array to i64))
@is_same = global i1 icmp eq (i32* getelementptr inbounds ([4 x i32], [4 x i32]* @array, i64 0, i64 1), i32* getelementptr inbounds ([4 x i32], [4 x i32]* @array, i64 0, i64 2))
@text = private unnamed_addr constant [14 x i8] c"%d %d %d %ld\0A\00"
@number = private unnamed_addr constant [5 x i8] c"%ld\0A\00"
@copy = global [16 x i8] zeroinitializer
@word = global i32 5
@.asm = internal global i32 0

declare i32 @printf(i8*, ...)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i32, i1)
declare void @llvm.memset.p0i8.i64(i8*, i8, i64, i32, i1)
declare void @llvm.memmove.p0i8.p0i8.i64(i8*, i8*, i64, i32, i1)
declare i64 @llvm.objectsize.i64.p0i8(i8*, i1)
declare void @llvm.lifetime.start(i64, i8*)
declare void @llvm.lifetime.end(i64, i8*)
declare {}* @llvm.invariant.start(i64, i8*)
declare void @llvm.invariant.end({}*, i64, i8*)
declare i32 @llvm.flt.rounds()
declare i64 @llvm.expect.i64(i64, i64)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare void @llvm.va_start(i8*)
declare void @llvm.va_end(i8*)
declare void @llvm.assume(i1)
declare i8* @llvm.stacksave()
declare void @llvm.stackrestore(i8*)
declare void @llvm.prefetch(i8*, i32, i32, i32)
declare double @llvm.fabs.f64(double)
declare i32 @llvm.bswap.i32(i32)

define void @show(i64 %x) {
  %p = getelementptr [5 x i8], [5 x i8]* @number, i32 0, i32 0
  %r = call i32 (i8*, ...) @printf(i8* %p, i64 %x)
  ret void
}

define internal i32 @sum(i32 %n, ...) {
  %list = alloca [24 x i8], align 16
  %p = bitcast [24 x i8]* %list to i8*
  call void @llvm.va_start(i8* %p)
  %a = va_arg i8* %p, i32
  %b = va_arg i8* %p, i32
  call void @llvm.va_end(i8* %p)
  %s = add nsw i32 %a, %b
  %t = add i32 %s, %n
  ret i32 %t
}

define internal void @fill(%pair* sret %result, %pair* byval align 8 %from) {
  %f = getelementptr inbounds %pair, %pair* %from, i32 0, i32 1
  %v = load i64, i64* %f
  %t = getelementptr inbounds %pair, %pair* %result, i32 0, i32 1
  %w = mul i64 %v, 3
  store i64 %w, i64* %t, align 8
  %z = getelementptr inbounds %pair, %pair* %result, i32 0, i32 0
  store i32 1, i32* %z
  ret void
}

define internal i32 @choose(i32 %n) "no-frame-pointer-elim"="true" "no-frame-pointer-elim-non-leaf" {
entry:
  switch i32 %n, label %no [
    i32 1, label %one
    i32 7, label %one
    i32 100, label %hundred
  ]
one:
  br label %no
hundred:
  br label %no
no:
  %r = phi i32 [ 3, %entry ], [ 4, %one ], [ 5, %hundred ]
  ret i32 %r
}

define i32 @main() {
  %local = alloca i32
  %pair = alloca %pair
  %result = alloca %pair
  %bytes = bitcast i32* %local to i8*
  call void @llvm.lifetime.start(i64 4, i8* %bytes)
  store i32 21, i32* %local
  %a = atomicrmw add i32* %local, i32 4 seq_cst
  %pairs = cmpxchg weak i32* %local, i32 25, i32 30 acq_rel monotonic
  %old = extractvalue { i32, i1 } %pairs, 0
  %strong = cmpxchg volatile i32* %local, i32 99, i32 31 seq_cst seq_cst
  %did = extractvalue { i32, i1 } %strong, 1
  fence acquire
  store atomic i32 77, i32* @word release, align 4
  %l = load atomic i32, i32* @word acquire, align 4
  %v = load volatile i32, i32* %local
  %s1 = add i32 %old, %l
  %s2 = add i32 %s1, %a
  %s3 = zext i32 %s2 to i64
  call void @show(i64 %s3)
  %z = call i32 @llvm.ctlz.i32(i32 %v, i1 false)
  %y = call i32 @llvm.cttz.i32(i32 %v, i1 true)
  %zy = shl i32 %z, %y
  %zz = zext i32 %zy to i64
  call void @show(i64 %zz)
  %from = bitcast [4 x i32]* @array to i8*
  %to = getelementptr inbounds [16 x i8], [16 x i8]* @copy, i64 0, i64 0
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* %to, i8* %from, i64 16, i32 4, i1 false)
  %to4 = getelementptr inbounds i8, i8* %to, i64 4
  call void @llvm.memset.p0i8.i64(i8* %to4, i8 1, i64 2, i32 1, i1 false)
  call void @llvm.memmove.p0i8.p0i8.i64(i8* %to, i8* %to4, i64 8, i32 1, i1 true)
  %c = bitcast i8* %to to i64*
  %cv = load i64, i64* %c, align 1
  call void @show(i64 %cv)
  %size = call i64 @llvm.objectsize.i64.p0i8(i8* %to4, i1 false)
  %room = icmp ugt i64 %size, 11
  %room64 = zext i1 %room to i64
  call void @show(i64 %room64)
  %inv = call {}* @llvm.invariant.start(i64 4, i8* %bytes)
  call void @llvm.invariant.end({}* %inv, i64 4, i8* %bytes)
  %rounds = call i32 @llvm.flt.rounds()
  %rounds64 = sext i32 %rounds to i64
  call void @show(i64 %rounds64)
  %sum = call i32 (i32, ...) @sum(i32 1, i32 20, i32 300)
  %sum64 = sext i32 %sum to i64
  call void @show(i64 %sum64)
  %field = getelementptr inbounds %pair, %pair* %pair, i32 0, i32 1
  store i64 14, i64* %field
  call void @fill(%pair* sret %result, %pair* byval align 8 %pair)
  %filled = getelementptr inbounds %pair, %pair* %result, i32 0, i32 1
  %fv = load i64, i64* %filled
  call void @show(i64 %fv)
  %o1 = call i32 @choose(i32 7)
  %o2 = call i32 @choose(i32 100)
  %o3 = mul i32 %o1, %o2
  %o = zext i32 %o3 to i64
  call void @show(i64 %o)
  %g1 = load i32, i32* @chosen
  %g2 = load i1, i1* @compared
  %g3 = load i32, i32* @taken
  %g4 = load <2 x i32>, <2 x i32>* @shuffled
  %g5 = load i64, i64* @difference
  %g6 = load i1, i1* @is_same
  %g7 = load i32, i32* @second
  %x1 = select i1 %g2, i32 %g1, i32 1
  %x2 = add i32 %x1, %g3
  %x3 = extractelement <2 x i32> %g4, i32 0
  %x4 = insertelement <2 x i32> %g4, i32 %x2, i32 1
  %x5 = shufflevector <2 x i32> %x4, <2 x i32> %g4, <2 x i32> <i32 1, i32 3>
  %x6 = extractelement <2 x i32> %x5, i32 0
  %x7 = extractelement <2 x i32> %x5, i32 1
  %x8 = mul i32 %x6, %x7
  %x9 = add i32 %x8, %x3
  %x10 = select i1 %g6, i32 0, i32 %x9
  %x11 = add i32 %x10, %g7
  %x12 = zext i32 %x11 to i64
  %x13 = add i64 %x12, %g5
  call void @show(i64 %x13)
  %f1 = sitofp i32 %x11 to double
  %f2 = fsub fast double -0.0, %f1
  %f3 = call double @llvm.fabs.f64(double %f2)
  %f4 = fdiv double %f3, 2.0
  %f5 = fptosi double %f4 to i64
  call void @show(i64 %f5)
  %p1 = ptrtoint i32* %local to i64
  %p2 = inttoptr i64 %p1 to i32*
  %p3 = icmp eq i32* %p2, %local
  call void @llvm.assume(i1 %p3)
  %q = call i64 asm sideeffect "leaq 5($1), $0", "=r,r,~{memory},~{dirflag},~{fpsr},~{flags}"(i64 %x12)
  call void @show(i64 %q)
  %sv = call i8* @llvm.stacksave()
  %dyn = alloca i8, i64 %q
  store i8 3, i8* %dyn
  %dv = load i8, i8* %dyn
  call void @llvm.stackrestore(i8* %sv)
  %d64 = sext i8 %dv to i64
  call void @show(i64 %d64)
  call void @llvm.lifetime.end(i64 4, i8* %bytes)
  ret i32 0
}

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"PIC Level", i32 2}
