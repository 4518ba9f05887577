; Calls of functions in other images, of one that a resolver chooses, and of what is called when a guard has changed.
target datalayout = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"
target triple = "i686-unknown-linux-gnu"

@format = private constant [10 x i8] c"%d %d %d\0A\00"
@number = private constant [4 x i8] c"%d\0A\00"

@chosen = internal ifunc i32 (i32), ptr @choose

declare i32 @printf(ptr, ...)
declare i32 @abs(i32)
declare ptr @memset(ptr, i32, i32)

define internal ptr @choose() {
  ret ptr @twice
}

define internal i32 @twice(i32 %x) {
  %r = add i32 %x, %x
  ret i32 %r
}

define i32 @passes_on(i32 %x) noinline {
  %r = tail call i32 @abs(i32 %x)
  ret i32 %r
}

define i32 @must_pass_on(i32 %x) noinline {
  %r = musttail call i32 @abs(i32 %x)
  ret i32 %r
}

define void @overflows(i32 %count) noinline sspstrong {
  %room = alloca [16 x i8]
  %r = call ptr @memset(ptr %room, i32 1, i32 %count)
  ret void
}

define i32 @main(i32 %count, ptr %words) {
  %a = call i32 @passes_on(i32 -20)
  %b = call i32 @must_pass_on(i32 -22)
  %sum = add i32 %a, %b
  %p = call i32 (ptr, ...) @printf(ptr @format, i32 %a, i32 %b, i32 %sum)
  %c = call i32 @chosen(i32 %b)
  %q = call i32 (ptr, ...) @printf(ptr @number, i32 %c)
  %more = sub i32 %count, 1
  %bytes = mul i32 %more, 40
  call void @overflows(i32 %bytes)
  ret i32 0
}
