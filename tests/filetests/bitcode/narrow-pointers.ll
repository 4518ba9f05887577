; Integers that become pointers, and pointers that become integers, are extended by zeros, whatever their widths.
source_filename = "narrow-pointers.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@pointer = global ptr inttoptr (i32 -1 to ptr)
@byte = global ptr inttoptr (i8 200 to ptr)
@bit = global ptr inttoptr (i1 true to ptr)
@long = global ptr inttoptr (i64 -1 to ptr)
@number = global i64 ptrtoint (ptr inttoptr (i32 -2 to ptr) to i64)
@wide = global i128 ptrtoint (ptr inttoptr (i64 -3 to ptr) to i128)
@wide_narrow = global i128 ptrtoint (ptr inttoptr (i16 -3 to ptr) to i128)
@odd = global i70 ptrtoint (ptr inttoptr (i64 -4 to ptr) to i70)
@again = global i32 ptrtoint (ptr inttoptr (i16 -3 to ptr) to i32)
@cut = global i16 ptrtoint (ptr inttoptr (i32 -559038737 to ptr) to i16)
@sum = global i64 add (i64 ptrtoint (ptr inttoptr (i32 -2 to ptr) to i64), i64 5)
@element = global ptr getelementptr (i8, ptr inttoptr (i32 -2 to ptr), i64 5)
@bits = global <2 x i70> <i70 -1, i70 36893488147419103233>
@wide_bits = global <2 x i65> <i65 ptrtoint (ptr inttoptr (i64 -1 to ptr) to i65), i65 -1>

define i1 @is_equal(ptr %pointer) {
  %equal = icmp eq ptr %pointer, inttoptr (i32 -1 to ptr)
  ret i1 %equal
}

define void @store(ptr %to) {
  store ptr inttoptr (i32 -1 to ptr), ptr %to
  store i64 ptrtoint (ptr inttoptr (i32 -2 to ptr) to i64), ptr %to
  store i128 ptrtoint (ptr inttoptr (i64 -3 to ptr) to i128), ptr %to
  store ptr inttoptr (i8 200 to ptr), ptr %to
  store i16 ptrtoint (ptr inttoptr (i32 -559038737 to ptr) to i16), ptr %to
  ret void
}
