; An aligned frame in which the stack pointer moves and no register survives.
target triple = "x86_64-pc-linux-gnu"

define i32 @f(ptr %buffer, i64 %size) #0 {
  %memory = alloca i8, i64 %size
  %again = call i32 @llvm.eh.sjlj.setjmp(ptr %buffer)
  store i8 1, ptr %memory
  call void @g(ptr %memory)
  ret i32 %again
}

declare void @g(ptr)
declare i32 @llvm.eh.sjlj.setjmp(ptr)

attributes #0 = { "stackrealign" }
