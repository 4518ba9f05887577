; The floating-point environment as a whole and its modes, halves that are integers, canonical numbers;
; environment-access-main.c calls them.
define void @get_environment(ptr %p) {
  %value = call i256 @llvm.get.fpenv.i256()
  store i256 %value, ptr %p, align 8
  ret void
}

define void @set_environment(ptr %p) {
  %value = load i256, ptr %p, align 8
  call void @llvm.set.fpenv.i256(i256 %value)
  ret void
}

define void @reset_environment() {
  call void @llvm.reset.fpenv()
  ret void
}

define i64 @get_modes() {
  %value = call i64 @llvm.get.fpmode.i64()
  ret i64 %value
}

define i32 @get_short_modes() {
  %value = call i32 @llvm.get.fpmode.i32()
  ret i32 %value
}

define void @set_modes(i64 %value) {
  call void @llvm.set.fpmode.i64(i64 %value)
  ret void
}

define void @reset_modes() {
  call void @llvm.reset.fpmode()
  ret void
}

define i16 @half_of_float(float %x) {
  %value = call i16 @llvm.convert.to.fp16.f32(float %x)
  ret i16 %value
}

define i16 @half_of_double(double %x) {
  %value = call i16 @llvm.convert.to.fp16.f64(double %x)
  ret i16 %value
}

define i16 @half_of_extended(x86_fp80 %x) {
  %value = call i16 @llvm.convert.to.fp16.f80(x86_fp80 %x)
  ret i16 %value
}

define float @float_of_half(i16 %x) {
  %value = call float @llvm.convert.from.fp16.f32(i16 %x)
  ret float %value
}

define double @double_of_half(i16 %x) {
  %value = call double @llvm.convert.from.fp16.f64(i16 %x)
  ret double %value
}

define x86_fp80 @extended_of_half(i16 %x) {
  %value = call x86_fp80 @llvm.convert.from.fp16.f80(i16 %x)
  ret x86_fp80 %value
}

define x86_fp80 @canonical(x86_fp80 %x) {
  %value = call x86_fp80 @llvm.canonicalize.f80(x86_fp80 %x)
  ret x86_fp80 %value
}

define i1 @is_of_type(ptr %p) {
  %first = call i1 @llvm.type.test(ptr %p, metadata !"a")
  %second = call i1 @llvm.public.type.test(ptr %p, metadata !"b")
  %both = and i1 %first, %second
  ret i1 %both
}

declare i256 @llvm.get.fpenv.i256()
declare void @llvm.set.fpenv.i256(i256)
declare void @llvm.reset.fpenv()
declare i64 @llvm.get.fpmode.i64()
declare i32 @llvm.get.fpmode.i32()
declare void @llvm.set.fpmode.i64(i64)
declare void @llvm.reset.fpmode()
declare i16 @llvm.convert.to.fp16.f32(float)
declare i16 @llvm.convert.to.fp16.f64(double)
declare i16 @llvm.convert.to.fp16.f80(x86_fp80)
declare float @llvm.convert.from.fp16.f32(i16)
declare double @llvm.convert.from.fp16.f64(i16)
declare x86_fp80 @llvm.convert.from.fp16.f80(i16)
declare x86_fp80 @llvm.canonicalize.f80(x86_fp80)
declare i1 @llvm.type.test(ptr, metadata)
declare i1 @llvm.public.type.test(ptr, metadata)
