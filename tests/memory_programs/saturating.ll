; Saturating conversions of x86_fp80.
target triple = "x86_64-pc-linux-gnu"
declare i1 @llvm.fptoui.sat.i1.f80(x86_fp80)
define i128 @u1(x86_fp80 %v) {
  %x = call i1 @llvm.fptoui.sat.i1.f80(x86_fp80 %v)
  %y = zext i1 %x to i128
  ret i128 %y
}
declare i7 @llvm.fptoui.sat.i7.f80(x86_fp80)
define i128 @u7(x86_fp80 %v) {
  %x = call i7 @llvm.fptoui.sat.i7.f80(x86_fp80 %v)
  %y = zext i7 %x to i128
  ret i128 %y
}
declare i8 @llvm.fptoui.sat.i8.f80(x86_fp80)
define i128 @u8(x86_fp80 %v) {
  %x = call i8 @llvm.fptoui.sat.i8.f80(x86_fp80 %v)
  %y = zext i8 %x to i128
  ret i128 %y
}
declare i16 @llvm.fptoui.sat.i16.f80(x86_fp80)
define i128 @u16(x86_fp80 %v) {
  %x = call i16 @llvm.fptoui.sat.i16.f80(x86_fp80 %v)
  %y = zext i16 %x to i128
  ret i128 %y
}
declare i24 @llvm.fptoui.sat.i24.f80(x86_fp80)
define i128 @u24(x86_fp80 %v) {
  %x = call i24 @llvm.fptoui.sat.i24.f80(x86_fp80 %v)
  %y = zext i24 %x to i128
  ret i128 %y
}
declare i32 @llvm.fptoui.sat.i32.f80(x86_fp80)
define i128 @u32(x86_fp80 %v) {
  %x = call i32 @llvm.fptoui.sat.i32.f80(x86_fp80 %v)
  %y = zext i32 %x to i128
  ret i128 %y
}
declare i53 @llvm.fptoui.sat.i53.f80(x86_fp80)
define i128 @u53(x86_fp80 %v) {
  %x = call i53 @llvm.fptoui.sat.i53.f80(x86_fp80 %v)
  %y = zext i53 %x to i128
  ret i128 %y
}
declare i64 @llvm.fptoui.sat.i64.f80(x86_fp80)
define i128 @u64(x86_fp80 %v) {
  %x = call i64 @llvm.fptoui.sat.i64.f80(x86_fp80 %v)
  %y = zext i64 %x to i128
  ret i128 %y
}
declare i65 @llvm.fptoui.sat.i65.f80(x86_fp80)
define i128 @u65(x86_fp80 %v) {
  %x = call i65 @llvm.fptoui.sat.i65.f80(x86_fp80 %v)
  %y = zext i65 %x to i128
  ret i128 %y
}
declare i100 @llvm.fptoui.sat.i100.f80(x86_fp80)
define i128 @u100(x86_fp80 %v) {
  %x = call i100 @llvm.fptoui.sat.i100.f80(x86_fp80 %v)
  %y = zext i100 %x to i128
  ret i128 %y
}
declare i128 @llvm.fptoui.sat.i128.f80(x86_fp80)
define i128 @u128(x86_fp80 %v) {
  %x = call i128 @llvm.fptoui.sat.i128.f80(x86_fp80 %v)
  ret i128 %x
}
declare i1 @llvm.fptosi.sat.i1.f80(x86_fp80)
define i128 @s1(x86_fp80 %v) {
  %x = call i1 @llvm.fptosi.sat.i1.f80(x86_fp80 %v)
  %y = sext i1 %x to i128
  ret i128 %y
}
declare i7 @llvm.fptosi.sat.i7.f80(x86_fp80)
define i128 @s7(x86_fp80 %v) {
  %x = call i7 @llvm.fptosi.sat.i7.f80(x86_fp80 %v)
  %y = sext i7 %x to i128
  ret i128 %y
}
declare i8 @llvm.fptosi.sat.i8.f80(x86_fp80)
define i128 @s8(x86_fp80 %v) {
  %x = call i8 @llvm.fptosi.sat.i8.f80(x86_fp80 %v)
  %y = sext i8 %x to i128
  ret i128 %y
}
declare i16 @llvm.fptosi.sat.i16.f80(x86_fp80)
define i128 @s16(x86_fp80 %v) {
  %x = call i16 @llvm.fptosi.sat.i16.f80(x86_fp80 %v)
  %y = sext i16 %x to i128
  ret i128 %y
}
declare i24 @llvm.fptosi.sat.i24.f80(x86_fp80)
define i128 @s24(x86_fp80 %v) {
  %x = call i24 @llvm.fptosi.sat.i24.f80(x86_fp80 %v)
  %y = sext i24 %x to i128
  ret i128 %y
}
declare i32 @llvm.fptosi.sat.i32.f80(x86_fp80)
define i128 @s32(x86_fp80 %v) {
  %x = call i32 @llvm.fptosi.sat.i32.f80(x86_fp80 %v)
  %y = sext i32 %x to i128
  ret i128 %y
}
declare i53 @llvm.fptosi.sat.i53.f80(x86_fp80)
define i128 @s53(x86_fp80 %v) {
  %x = call i53 @llvm.fptosi.sat.i53.f80(x86_fp80 %v)
  %y = sext i53 %x to i128
  ret i128 %y
}
declare i64 @llvm.fptosi.sat.i64.f80(x86_fp80)
define i128 @s64(x86_fp80 %v) {
  %x = call i64 @llvm.fptosi.sat.i64.f80(x86_fp80 %v)
  %y = sext i64 %x to i128
  ret i128 %y
}
declare i65 @llvm.fptosi.sat.i65.f80(x86_fp80)
define i128 @s65(x86_fp80 %v) {
  %x = call i65 @llvm.fptosi.sat.i65.f80(x86_fp80 %v)
  %y = sext i65 %x to i128
  ret i128 %y
}
declare i100 @llvm.fptosi.sat.i100.f80(x86_fp80)
define i128 @s100(x86_fp80 %v) {
  %x = call i100 @llvm.fptosi.sat.i100.f80(x86_fp80 %v)
  %y = sext i100 %x to i128
  ret i128 %y
}
declare i128 @llvm.fptosi.sat.i128.f80(x86_fp80)
define i128 @s128(x86_fp80 %v) {
  %x = call i128 @llvm.fptosi.sat.i128.f80(x86_fp80 %v)
  ret i128 %x
}
