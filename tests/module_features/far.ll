; Data of all kinds, some of which says how far away it may be.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@a = global [10 x i32] zeroinitializer, align 8
@b = global [10 x i32] zeroinitializer, code_model "small", align 8
@c = global [10 x i32] zeroinitializer, code_model "large", align 8
@d = global [10 x i32] zeroinitializer, section ".foo", code_model "large", align 8
@f = global [10 x i32] zeroinitializer, section ".foo2", align 8
@g = thread_local global [10 x i32] zeroinitializer, code_model "large", align 8
@h = constant [10 x i32] zeroinitializer, section ".rodata.x", align 8
@i = global [10 x i32] zeroinitializer, code_model "medium", align 8
@j = global [10 x i32] zeroinitializer, code_model "kernel", align 8
@k = global [10 x i32] zeroinitializer, code_model "tiny", align 8
@l = external global [10 x i32]
@m = external global [10 x i32], section ".foo3"
@__start_xx = external hidden global i32
@n = global [0 x i32] zeroinitializer, align 8
@o = common global [10 x i32] zeroinitializer, align 8
@p = global [100 x i32] zeroinitializer, code_model "small", align 8
@q = weak global [10 x i32] zeroinitializer, align 8
@r = unnamed_addr constant [4 x i8] c"abc\00", align 8
@s = unnamed_addr constant i64 5, align 8
@al = alias i32, ptr @a
define ptr @fa() {
  ret ptr @a
}
define ptr @fb() {
  ret ptr @b
}
define ptr @fl() {
  ret ptr @l
}
define ptr @fm() {
  ret ptr @m
}
define ptr @fs() {
  ret ptr @__start_xx
}
define ptr @fal() {
  ret ptr @al
}
@relro = constant [2 x ptr] [ptr @a, ptr @outside], align 8
@relro2 = internal constant [2 x ptr] [ptr @a, ptr @outside], align 8
@outside = external global i32
@rel32 = constant i32 trunc (i64 sub (i64 ptrtoint (ptr @relro2 to i64), i64 ptrtoint (ptr @rel32 to i64)) to i32), align 8
@__ehdr_start = external hidden global [1 x i8]
@hot = internal global [10 x i32] zeroinitializer, align 8, !section_prefix !0
@t = unnamed_addr constant [8 x i8] c"abcdefg\00", align 1
@w = unnamed_addr constant [4 x i64] [i64 1, i64 2, i64 3, i64 4], align 32
!0 = !{!"section_prefix", !"hot"}
