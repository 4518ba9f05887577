; Constant expressions that LLVM had until version 14, and an atomic operation with a typed pointer.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@g = global i32 5
@h = global i32 7

define i32 @extracted() {
  ret i32 extractelement (<2 x i32> bitcast (i64 ptrtoint (i32* @g to i64) to <2 x i32>), i32 1)
}

define <2 x i32> @inserted() {
  ret <2 x i32> insertelement (<2 x i32> bitcast (i64 ptrtoint (i32* @g to i64) to <2 x i32>), i32 3, i64 1)
}

define <2 x i32> @shuffled() {
  ret <2 x i32> shufflevector (<2 x i32> bitcast (i64 ptrtoint (i32* @g to i64) to <2 x i32>), <2 x i32> undef, <2 x i32> <i32 1, i32 0>)
}

define <4 x i32> @widened() {
  ret <4 x i32> shufflevector (<2 x i32> bitcast (i64 ptrtoint (i32* @g to i64) to <2 x i32>), <2 x i32> zeroinitializer, <4 x i32> <i32 1, i32 2, i32 0, i32 3>)
}

define double @negative() {
  ret double fneg (double bitcast (i64 ptrtoint (i32* @g to i64) to double))
}

define i32 @chosen(i1 %c) {
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %p = phi i32 [ 0, %0 ], [ select (i1 icmp eq (i32* @g, i32* @h), i32 1, i32 2), %a ]
  ret i32 %p
}

define i32 @updated(i32* %p) {
  %v = atomicrmw add i32* %p, i32 3 seq_cst
  ret i32 %v
}
