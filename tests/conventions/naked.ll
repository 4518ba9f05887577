; A function of assembly alone, although frame pointers are asked for and the text overwrites a saved register.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define i32 @sum(i32 %a, i32 %b) naked noinline uwtable "frame-pointer"="all" {
  call void asm sideeffect "pushq %rbx\0A\09leal (%rdi,%rsi), %ebx\0A\09movl %ebx, %eax\0A\09popq %rbx\0A\09ret", "~{rbx},~{memory},~{dirflag},~{fpsr},~{flags}"()
  unreachable
}

define i32 @main() {
  %r = call i32 @sum(i32 40, i32 2)
  %c = icmp ne i32 %r, 42
  %z = zext i1 %c to i32
  ret i32 %z
}
