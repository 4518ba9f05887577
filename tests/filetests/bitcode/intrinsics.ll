; Intrinsics become instructions, library calls or nothing; one that is not known stays a call.
define void @memory(ptr %p, ptr %q, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p, ptr align 4 %q, i64 %n, i1 false)
  call void @llvm.memmove.p0.p0.i32(ptr %p, ptr %q, i32 12, i1 true)
  call void @llvm.memset.p0.i64(ptr align 16 %p, i8 7, i64 %n, i1 false)
  call void @llvm.prefetch.p0(ptr %p, i32 1, i32 3, i32 1)
  ret void
}

define i32 @integers(i32 %a, i32 %b, i1 %c) {
  %v0 = call i32 @llvm.umin.i32(i32 %a, i32 3)
  %v1 = call i32 @llvm.ctlz.i32(i32 %v0, i1 true)
  %v2 = call i32 @llvm.cttz.i32(i32 %v1, i1 false)
  %v3 = call i32 @llvm.abs.i32(i32 %v2, i1 true)
  %v4 = call i32 @llvm.fshl.i32(i32 %v3, i32 %b, i32 5)
  %v5 = call i32 @llvm.uadd.sat.i32(i32 %v4, i32 %b)
  %v6 = call i8 @llvm.scmp.i8.i32(i32 7, i32 %v5)
  %v7 = sext i8 %v6 to i32
  ret i32 %v7
}

define double @floats(double %a, float %f) {
  %v0 = call double @llvm.fmuladd.f64(double %a, double %a, double 1.0)
  %v1 = call nnan double @llvm.sqrt.f64(double %v0)
  %v2 = call double @llvm.pow.f64(double %v1, double %a)
  %v3 = call double @llvm.powi.f64.i32(double %v2, i32 3)
  %v4 = call float @llvm.sin.f32(float %f)
  %v5 = fpext float %v4 to double
  %v6 = call i32 @llvm.fptosi.sat.i32.f64(double %v5)
  %v7 = sitofp i32 %v6 to double
  %v8 = call i1 @llvm.is.fpclass.f64(double %v7, i32 3)
  %v9 = select nsz i1 %v8, double %v7, double %v3
  ret double %v9
}

define i32 @vectors(<4 x i32> %v, <4 x float> %f) {
  %a = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)
  %b = call reassoc float @llvm.vector.reduce.fadd.v4f32(float 0.0, <4 x float> %f)
  %c = fptosi float %b to i32
  %d = add i32 %a, %c
  ret i32 %d
}

define i64 @hints(ptr %p, i64 %x) {
  %local = alloca i8
  call void @llvm.lifetime.start.p0(ptr %local)

  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 16) ]
  %e = call i64 @llvm.expect.i64(i64 %x, i64 1)
  %k = call i1 @llvm.is.constant.i64(i64 %x)
  %s = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 false, i1 true, i1 false)
  %z = zext i1 %k to i64
  %r = add i64 %e, %s
  %q = add i64 %r, %z
  ret i64 %q
}

define ptr @relative(ptr %p, i64 %o) {
  %r = call ptr @llvm.load.relative.i64(ptr %p, i64 %o)
  %m = call ptr @llvm.ptrmask.p0.i64(ptr %r, i64 -16)
  ret ptr %m
}

define ptr @frames(i64 %n, ...) {
  %list = alloca [24 x i8], align 16
  call void @llvm.va_start.p0(ptr %list)
  call void @llvm.va_end.p0(ptr %list)
  %s = call ptr @llvm.stacksave.p0()
  %d = alloca i32, i64 %n, align 32
  store volatile i32 1, ptr %d
  call void @llvm.stackrestore.p0(ptr %s)
  %f = call ptr @llvm.frameaddress.p0(i32 0)
  ret ptr %f
}

define void @unknown(ptr %p) {
  call void @llvm.x86.sse2.pause()
  call void @llvm.trap()
  unreachable
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.uadd.sat.i32(i32, i32)
declare i8 @llvm.scmp.i8.i32(i32, i32)
declare double @llvm.fmuladd.f64(double, double, double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.pow.f64(double, double)
declare double @llvm.powi.f64.i32(double, i32)
declare float @llvm.sin.f32(float)
declare i32 @llvm.fptosi.sat.i32.f64(double)
declare i1 @llvm.is.fpclass.f64(double, i32)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.assume(i1)
declare i64 @llvm.expect.i64(i64, i64)
declare i1 @llvm.is.constant.i64(i64)
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)
declare ptr @llvm.load.relative.i64(ptr, i64)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare ptr @llvm.frameaddress.p0(i32)
declare void @llvm.x86.sse2.pause()
declare void @llvm.trap()
