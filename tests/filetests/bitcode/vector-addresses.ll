; Vectors of addresses are no constants of the IR: they are put together where they are used.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@g = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
define void @f(ptr %p, i1 %c) {
e:
  store <2 x ptr> <ptr @g, ptr getelementptr (i8, ptr @g, i64 4)>, ptr %p
  br i1 %c, label %x, label %y
x:
  br label %y
y:
  %v = phi <2 x i64> [ <i64 ptrtoint (ptr @g to i64), i64 7>, %e ], [ <i64 5, i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @g to i64))>, %x ]
  %q = getelementptr i8, ptr %p, i64 16
  store <2 x i64> %v, ptr %q
  ret void
}
