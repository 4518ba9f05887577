; Calls that must, or may, take the place of their caller in 32-bit code: what tests/conventions runs under every recipe.
target datalayout = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"
target triple = "i686-unknown-linux-gnu"
%struct.s = type { [5 x i32] }
@.f = private constant [25 x i8] c"%d %d %d %d %d %d %d %d\0A\00"
@.v = private constant [17 x i8] c"%s %d %f %f %lld\00"
@.n = private constant [5 x i8] c"name\00"
declare i32 @printf(ptr, ...)
declare i32 @vprintf(ptr, ptr)
declare void @llvm.va_start(ptr)

; counts down, rotating arguments on the stack, which overlap in words
define i32 @rotate(i32 %n, i32 %b, i64 %w, double %x, i32 %c, i32 %d) noinline {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %done, label %more
more:
  %n1 = sub i32 %n, 1
  %w1 = add i64 %w, 3
  %x1 = fadd double %x, 1.0
  %r = musttail call i32 @rotate(i32 %n1, i32 %c, i64 %w1, double %x1, i32 %d, i32 %b)
  ret i32 %r
done:
  %t = trunc i64 %w to i32
  %i = fptosi double %x to i32
  %s0 = mul i32 %b, 10
  %s1 = add i32 %s0, %c
  %s2 = add i32 %s1, %t
  %s3 = add i32 %s2, %i
  %s4 = mul i32 %d, 100
  %s5 = add i32 %s3, %s4
  ret i32 %s5
}
; through a pointer, which no register that the epilogue restores can have
define i32 @through(ptr %f, i32 %a, i32 %b) noinline {
  call void asm sideeffect "", "~{esi},~{edi},~{ebx}"()
  %r = musttail call i32 %f(ptr %f, i32 %b, i32 %a)
  ret i32 %r
}
define i32 @difference(ptr %f, i32 %a, i32 %b) noinline {
  %r = sub i32 %a, %b
  ret i32 %r
}
; with arguments in the registers in which that pointer could be
define i32 @in_registers(i32 inreg %a, i32 inreg %b, ptr %f) noinline {
  %c = add i32 %a, 1
  %r = musttail call i32 %f(i32 inreg %b, i32 inreg %c, ptr %f)
  ret i32 %r
}
define i32 @taken_in_registers(i32 inreg %a, i32 inreg %b, ptr %f) noinline {
  %t = mul i32 %a, 10
  %r = add i32 %t, %b
  ret i32 %r
}
define x86_stdcallcc i32 @popping(i32 %a, i32 %b, i32 %c) noinline {
  %z = icmp eq i32 %a, 0
  br i1 %z, label %done, label %more
more:
  %a1 = sub i32 %a, 1
  %r = musttail call x86_stdcallcc i32 @popping(i32 %a1, i32 %c, i32 %b)
  ret i32 %r
done:
  %t = mul i32 %b, 10
  %s = add i32 %t, %c
  ret i32 %s
}
define x86_fastcallcc i32 @fast(i32 inreg %a, i32 inreg %b, i32 %c) noinline {
  %z = icmp eq i32 %a, 0
  br i1 %z, label %done, label %more
more:
  %a1 = sub i32 %a, 1
  %r = musttail call x86_fastcallcc i32 @fast(i32 inreg %a1, i32 inreg %c, i32 %b)
  ret i32 %r
done:
  %t = mul i32 %b, 10
  %s = add i32 %t, %c
  ret i32 %s
}
; swaps memory passed by value
define i32 @swap(i32 %n, ptr byval(%struct.s) align 4 %a, ptr byval(%struct.s) align 4 %b) noinline {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %done, label %more
more:
  %n1 = sub i32 %n, 1
  %r = musttail call i32 @swap(i32 %n1, ptr byval(%struct.s) align 4 %b, ptr byval(%struct.s) align 4 %a)
  ret i32 %r
done:
  %a4 = getelementptr i32, ptr %a, i32 4
  %x = load i32, ptr %a4
  %y = load i32, ptr %b
  %m = mul i32 %x, 1000
  %s = add i32 %m, %y
  ret i32 %s
}
define i32 @target(ptr %this, ...) noinline {
  %ap = alloca ptr, align 4
  call void @llvm.va_start(ptr %ap)
  %list = load ptr, ptr %ap
  %r = call i32 @vprintf(ptr %this, ptr %list)
  ret i32 %r
}
@fp = global ptr @target
define i32 @thunk(ptr %this, ...) "thunk" noinline {
  %t = load ptr, ptr @fp
  %r = musttail call i32 (ptr, ...) %t(ptr %this, ...)
  ret i32 %r
}
define void @sr(ptr sret(%struct.s) %o, i32 %x) noinline {
  store i32 %x, ptr %o
  ret void
}
define void @srt(ptr sret(%struct.s) %o, i32 %x) noinline {
  %y = mul i32 %x, 3
  musttail call void @sr(ptr sret(%struct.s) %o, i32 %y)
  ret void
}
; ordinary calls before returns
define i32 @sib(i32 %x, i32 %y) noinline {
  %z = sub i32 %x, %y
  ret i32 %z
}
@sibp = global ptr @sib
define i32 @sibling(i32 %x, i32 %y) noinline {
  %p = load ptr, ptr @sibp
  %r = tail call i32 %p(i32 %y, i32 %x)
  ret i32 %r
}
; a convention whose tail calls take their caller's place by themselves, with arguments on the stack
define tailcc i32 @even(i32 %n, i32 %b, i32 %c, i32 %d, i32 %e) noinline {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %done, label %more
more:
  %n1 = sub i32 %n, 1
  %r = tail call tailcc i32 @odd(i32 %n1, i32 %e, i32 %b, i32 %c, i32 %d)
  ret i32 %r
done:
  %t = mul i32 %b, 10
  %s = add i32 %t, %e
  ret i32 %s
}
define tailcc i32 @odd(i32 %n, i32 %b, i32 %c, i32 %d, i32 %e) noinline {
  %n1 = sub i32 %n, 1
  %r = tail call tailcc i32 @even(i32 %n1, i32 %b, i32 %c, i32 %d, i32 %e)
  ret i32 %r
}
define i32 @main() {
  %r = call i32 @rotate(i32 100000, i32 1, i64 4294967295, double 2.5, i32 4, i32 5)
  %t = call i32 @through(ptr @difference, i32 30, i32 12)
  %i = call i32 @in_registers(i32 inreg 4, i32 inreg 7, ptr @taken_in_registers)
  %p = call x86_stdcallcc i32 @popping(i32 100001, i32 6, i32 9)
  %f = call x86_fastcallcc i32 @fast(i32 inreg 100001, i32 inreg 3, i32 8)
  %s1 = alloca %struct.s
  %s2 = alloca %struct.s
  %p1 = getelementptr i32, ptr %s1, i32 4
  %p2 = getelementptr i32, ptr %s2, i32 4
  store i32 11, ptr %s1
  store i32 22, ptr %s2
  store i32 33, ptr %p1
  store i32 44, ptr %p2
  %q = call i32 @swap(i32 1001, ptr byval(%struct.s) align 4 %s1, ptr byval(%struct.s) align 4 %s2)
  %v = call i32 (ptr, ...) @thunk(ptr @.v, ptr @.n, i32 7, double 1.5, double 2.5, i64 5)
  call void @srt(ptr sret(%struct.s) %s1, i32 5)
  %sr = load i32, ptr %s1
  %si = call i32 @sibling(i32 30, i32 12)
  %sum = add i32 %sr, %si
  %ev = call tailcc i32 @even(i32 1000000, i32 1, i32 2, i32 3, i32 4)
  %o = call i32 (ptr, ...) @printf(ptr @.f, i32 %r, i32 %t, i32 %i, i32 %p, i32 %f, i32 %q, i32 %sum, i32 %ev)
  ret i32 0
}
