; Intrinsics about numbers that compilers of C do not give, and code on the stack.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@format = private constant [13 x i8] c"%016lx %08x\0A\00"
@doubles = private constant [6 x i64] [i64 0, i64 u0x8000000000000000, i64 u0x3FF8000000000000, i64 u0xC004000000000000, i64 u0x7FF8000000000000, i64 u0x7FF0000000000001]
@area = global [4096 x i8] zeroinitializer, align 4096

declare i32 @printf(ptr, ...)
declare i32 @mprotect(ptr, i64, i32)
declare double @llvm.minimumnum.f64(double, double)
declare double @llvm.maximumnum.f64(double, double)
declare float @llvm.minimumnum.f32(float, float)
declare double @llvm.canonicalize.f64(double)
declare float @llvm.canonicalize.f32(float)
declare { double, double } @llvm.sincos.f64(double)
declare { float, float } @llvm.sincos.f32(float)
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @llvm.fake.use(...)
declare void @llvm.clear_cache(ptr, ptr)

define void @show(double %wide, float %narrow) noinline {
  %w = bitcast double %wide to i64
  %n = bitcast float %narrow to i32
  call i32 (ptr, ...) @printf(ptr @format, i64 %w, i32 %n)
  ret void
}

; Which of two quiet numbers that are none comes out is open, but not that it is none.
define void @pair(i64 %i, i64 %j) noinline {
  %pi = getelementptr i64, ptr @doubles, i64 %i
  %pj = getelementptr i64, ptr @doubles, i64 %j
  %x = load double, ptr %pi
  %y = load double, ptr %pj
  %least = call double @llvm.minimumnum.f64(double %x, double %y)
  %most = call double @llvm.maximumnum.f64(double %x, double %y)
  %f = fptrunc double %x to float
  %g = fptrunc double %y to float
  %least.f = call float @llvm.minimumnum.f32(float %f, float %g)
  call void @show(double %least, float %least.f)
  call void @show(double %most, float 0.0)
  ret void
}

define i64 @nested(ptr nest %frame, i64 %x) {
  %y = load i64, ptr %frame
  %sum = add i64 %x, %y
  call void (...) @llvm.fake.use(i64 %sum)
  ret i64 %sum
}

define i32 @main() {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %pairs ]
  %both = and i64 %i, %j
  %is.open = icmp uge i64 %both, 4
  br i1 %is.open, label %pairs, label %shown
shown:
  call void @pair(i64 %i, i64 %j)
  br label %pairs
pairs:
  %j.next = add i64 %j, 1
  %j.ends = icmp eq i64 %j.next, 6
  br i1 %j.ends, label %next, label %inner
next:
  %p = getelementptr i64, ptr @doubles, i64 %i
  %x = load double, ptr %p
  %quiet = call double @llvm.canonicalize.f64(double %x)
  %f = fptrunc double %x to float
  %quiet.f = call float @llvm.canonicalize.f32(float %f)
  call void @show(double %quiet, float %quiet.f)
  %i.next = add i64 %i, 1
  %i.ends = icmp eq i64 %i.next, 6
  br i1 %i.ends, label %end, label %outer
end:
  %angles = call { double, double } @llvm.sincos.f64(double 0.5)
  %sine = extractvalue { double, double } %angles, 0
  %cosine = extractvalue { double, double } %angles, 1
  %angles.f = call { float, float } @llvm.sincos.f32(float 0.5)
  %sine.f = extractvalue { float, float } %angles.f, 0
  %cosine.f = extractvalue { float, float } %angles.f, 1
  call void @show(double %sine, float %cosine.f)
  call void @show(double %cosine, float %sine.f)
  %frame = alloca i64
  store i64 30, ptr %frame
  call i32 @mprotect(ptr @area, i64 4096, i32 7)
  call void @llvm.init.trampoline(ptr @area, ptr @nested, ptr %frame)
  %end.of.area = getelementptr i8, ptr @area, i64 32
  call void @llvm.clear_cache(ptr @area, ptr %end.of.area)
  %code = call ptr @llvm.adjust.trampoline(ptr @area)
  %sum = call i64 %code(i64 12)
  call i32 (ptr, ...) @printf(ptr @format, i64 %sum, i32 0)
  ret i32 0
}
