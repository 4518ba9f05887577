; Far data, addresses of blocks, differences, other forms of constants.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@big = global [70000 x i8] zeroinitializer, align 16
@small = global i32 1, align 4
@unknown = external global [0 x i8]
@large = global i32 2, code_model "large", align 4
@placed = global i32 3, section ".ldata.mine", align 4
@other = alias i8, getelementptr (i8, ptr @big, i64 4)
@labels = constant [2 x ptr] [ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)], align 8
@distances = constant [2 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr blockaddress(@f, %two) to i64), i64 ptrtoint (ptr blockaddress(@f, %one) to i64)) to i32), i32 trunc (i64 sub (i64 ptrtoint (ptr dso_local_equivalent @g to i64), i64 ptrtoint (ptr @distances to i64)) to i32)], align 4
@narrow = global i16 trunc (i64 ptrtoint (ptr @small to i64) to i16), align 2

declare void @g()

define i32 @f(i64 %n) {
  %place = getelementptr [2 x ptr], ptr @labels, i64 0, i64 %n
  %label = load ptr, ptr %place, align 8
  indirectbr ptr %label, [label %one, label %two]
one:
  %a = load i32, ptr @large, align 4
  ret i32 %a
two:
  %b = load i32, ptr @small, align 4
  ret i32 %b
}

define ptr @elsewhere() {
  ret ptr blockaddress(@f, %two)
}

!llvm.module.flags = !{!0, !1}
!0 = !{i32 1, !"Code Model", i32 3}
!1 = !{i32 1, !"Large Data Threshold", i64 65535}
