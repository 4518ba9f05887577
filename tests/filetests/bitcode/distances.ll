; With pointers of 32 bits, distances, sizes and masks have 32 bits.
target datalayout = "e-m:e-p:32:32-i64:64-i128:128-f80:128-n8:16:32-S128"

@object = global [8 x i32] zeroinitializer
@number = global i32 ptrtoint (ptr getelementptr (i8, ptr @object, i32 4) to i32)
@variable = thread_local global [4 x i32] zeroinitializer

define ptr @relative(ptr %base, i32 %offset) {
  %address = call ptr @llvm.load.relative.i32(ptr %base, i32 %offset)
  ret ptr %address
}

define ptr @relative_from_wider(ptr %base, i64 %offset) {
  %address = call ptr @llvm.load.relative.i64(ptr %base, i64 %offset)
  ret ptr %address
}

define ptr @relative_by_constants(ptr %base) {
  %near = call ptr @llvm.load.relative.i64(ptr %base, i64 8)
  %far = call ptr @llvm.load.relative.i32(ptr %near, i32 2147483640)
  ret ptr %far
}

define ptr @mask(ptr %address, i32 %mask) {
  %masked = call ptr @llvm.ptrmask.p0.i32(ptr %address, i32 %mask)
  ret ptr %masked
}

define { i32, i64 } @aggregate(ptr %address) {
  %both = load { i32, i64 }, ptr %address
  ret { i32, i64 } %both
}

define ptr @far_index(ptr %base, i64 %index) {
  %wide = getelementptr [70000 x i8], ptr %base, i64 %index
  %far = getelementptr i8, ptr %wide, i32 2147483640
  ret ptr %far
}

define i32 @address_as_number() {
  ret i32 ptrtoint (ptr getelementptr (i8, ptr @object, i32 12) to i32)
}

define ptr @thread_local_place() {
  ret ptr getelementptr (i8, ptr @variable, i32 8)
}

define void @dynamic(i64 %count, i8 %few) {
  %many = alloca i32, i64 %count
  %some = alloca i8, i8 %few
  call void @use(ptr %many, ptr %some)
  ret void
}

define i256 @shift(i256 %number, i256 %distance) {
  %shifted = shl i256 %number, %distance
  ret i256 %shifted
}

define i256 @atomic(ptr %address) {
  %number = load atomic i256, ptr %address seq_cst, align 32
  ret i256 %number
}

define i256 @environment() {
  %environment = call i256 @llvm.get.fpenv.i256()
  ret i256 %environment
}

define i256 @wide_number(ptr %address) {
  %number = ptrtoint ptr %address to i256
  ret i256 %number
}

declare ptr @llvm.load.relative.i32(ptr, i32)
declare ptr @llvm.load.relative.i64(ptr, i64)
declare ptr @llvm.ptrmask.p0.i32(ptr, i32)
declare i256 @llvm.get.fpenv.i256()
declare void @use(ptr, ptr)
