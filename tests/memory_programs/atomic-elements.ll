; Copies whose elements are atomic, which are calls of functions that the program has.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define void @copy(ptr %to, ptr %from, i64 %length) {
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 %length, i32 4)
  %next = getelementptr i8, ptr %to, i64 16
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 16 %next, ptr align 16 %from, i64 48, i32 16)
  ret void
}

define void @move(ptr %to, ptr %from, i32 %length) {
  call void @llvm.memmove.element.unordered.atomic.p0.p0.i32(ptr align 2 %to, ptr align 2 %from, i32 %length, i32 2)
  ret void
}

define void @fill(ptr %to, i32 %value, i64 %length) {
  %byte = trunc i32 %value to i8
  call void @llvm.memset.element.unordered.atomic.p0.i64(ptr align 8 %to, i8 %byte, i64 %length, i32 8)
  call void @llvm.memset.element.unordered.atomic.p0.i64(ptr align 8 %to, i8 -1, i64 1, i32 1)
  ret void
}

declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)
declare void @llvm.memmove.element.unordered.atomic.p0.p0.i32(ptr, ptr, i32, i32)
declare void @llvm.memset.element.unordered.atomic.p0.i64(ptr, i8, i64, i32)
