; Stack probes by a function, which gets the size of the frame in rax; arguments in rax and on the stack stay.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__probestack()
declare void @touch(ptr)
declare void @llvm.va_start(ptr)
declare void @llvm.va_end(ptr)

define i64 @large(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g) #0 {
  %bytes = alloca [50000 x i8], align 16
  call void @touch(ptr %bytes)
  %last = getelementptr i8, ptr %bytes, i64 49999
  call void @touch(ptr %last)
  %s1 = mul i64 %a, %g
  %s2 = add i64 %s1, %f
  ret i64 %s2
}

define double @variadic(i32 %n, ...) #0 {
  %bytes = alloca [9000 x i8], align 16
  %list = alloca [24 x i8], align 16
  call void @touch(ptr %bytes)
  call void @llvm.va_start(ptr %list)
  %saved_place = getelementptr i8, ptr %list, i64 16
  %saved = load ptr, ptr %saved_place
  %first_float = getelementptr i8, ptr %saved, i64 48
  %x = load double, ptr %first_float
  call void @llvm.va_end(ptr %list)
  ret double %x
}

define i64 @small(i64 %a) #0 {
  %bytes = alloca [900 x i8], align 16
  call void @touch(ptr %bytes)
  ret i64 %a
}

attributes #0 = { "probe-stack"="__probestack" "stack-probe-size"="8192" }
