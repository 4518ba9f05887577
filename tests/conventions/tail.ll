; Calls that must, or may, take the place of their caller: what tests/conventions runs under every recipe.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.s = type { [5 x i64] }
@.f = private constant [28 x i8] c"%ld %ld %ld %ld %ld %ld %s\0A\00"
@.v = private constant [20 x i8] c"%s %d %f %f %ld %ld\00"
@.n = private constant [5 x i8] c"name\00"
@.p = private constant [14 x i8] c"%ld %ld %.1f\0A\00"
declare i32 @printf(ptr, ...)
declare i32 @vprintf(ptr, ptr)
declare void @llvm.va_start(ptr)

; counts down, rotating arguments on the stack
define i64 @rotate(i64 %n, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, double %x, i128 %w) noinline {
  %z = icmp eq i64 %n, 0
  br i1 %z, label %done, label %more
more:
  %n1 = sub i64 %n, 1
  %w1 = add i128 %w, 3
  %r = musttail call i64 @rotate(i64 %n1, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %b, double %x, i128 %w1)
  ret i64 %r
done:
  %t = trunc i128 %w to i64
  call i32 (ptr, ...) @printf(ptr @.p, i64 %g, i64 %h, double %x)
  %s0 = mul i64 %b, 10
  %s1 = add i64 %s0, %c
  %s2 = add i64 %s1, %t
  %u = lshr i128 %w, 64
  %u1 = trunc i128 %u to i64
  %s3 = add i64 %s2, %u1
  ret i64 %s3
}
; swaps memory passed by value
define i64 @swap(i64 %n, ptr byval(%struct.s) align 8 %a, ptr byval(%struct.s) align 8 %b) noinline {
  %z = icmp eq i64 %n, 0
  br i1 %z, label %done, label %more
more:
  %n1 = sub i64 %n, 1
  %r = musttail call i64 @swap(i64 %n1, ptr byval(%struct.s) align 8 %b, ptr byval(%struct.s) align 8 %a)
  ret i64 %r
done:
  %a4 = getelementptr i64, ptr %a, i64 4
  %x = load i64, ptr %a4
  %y = load i64, ptr %b
  %m = mul i64 %x, 1000
  %s = add i64 %m, %y
  ret i64 %s
}
define i32 @target(ptr %this, ...) noinline {
  %ap = alloca [24 x i8], align 8
  call void @llvm.va_start(ptr %ap)
  %r = call i32 @vprintf(ptr %this, ptr %ap)
  ret i32 %r
}
@fp = global ptr @target
define i32 @thunk(ptr %this, ...) "thunk" noinline {
  %t = load ptr, ptr @fp
  %adj = getelementptr i8, ptr %this, i64 0
  %r = musttail call i32 (ptr, ...) %t(ptr %adj, ...)
  ret i32 %r
}
define { i64, i64, i64, i64 } @many(i64 %x) noinline {
  %a = insertvalue { i64, i64, i64, i64 } poison, i64 %x, 0
  %b = insertvalue { i64, i64, i64, i64 } %a, i64 2, 1
  %c = insertvalue { i64, i64, i64, i64 } %b, i64 3, 2
  %d = insertvalue { i64, i64, i64, i64 } %c, i64 4, 3
  ret { i64, i64, i64, i64 } %d
}
define { i64, i64, i64, i64 } @manytail(i64 %x) noinline {
  %y = add i64 %x, 5
  %r = musttail call { i64, i64, i64, i64 } @many(i64 %y)
  ret { i64, i64, i64, i64 } %r
}
define void @sr(ptr sret(%struct.s) %o, i64 %x) noinline {
  store i64 %x, ptr %o
  ret void
}
define void @srt(ptr sret(%struct.s) %o, i64 %x) noinline {
  %y = mul i64 %x, 3
  musttail call void @sr(ptr sret(%struct.s) %o, i64 %y)
  ret void
}
; sibling calls
define i64 @sib(i64 %x, i64 %y) noinline {
  %z = add i64 %x, %y
  ret i64 %z
}
@sibp = global ptr @sib
define i64 @sibling(i64 %x, i64 %y) noinline {
  %p = load ptr, ptr @sibp
  %r = tail call i64 %p(i64 %y, i64 %x)
  ret i64 %r
}
define void @sayp(i64 %a, double %d) noinline {
  %k = mul i64 %a, 2
  %r = tail call i32 (ptr, ...) @printf(ptr @.p, i64 %k, i64 %a, double %d)
  ret void
}
; interpreter in the style of preserve_none
define preserve_nonecc i64 @op_add(ptr %pc, i64 %acc, i64 %k, ptr %table) noinline {
  %acc1 = add i64 %acc, %k
  %o = load i8, ptr %pc
  %ox = zext i8 %o to i64
  %slot = getelementptr ptr, ptr %table, i64 %ox
  %f = load ptr, ptr %slot
  %pc1 = getelementptr i8, ptr %pc, i64 1
  %r = musttail call preserve_nonecc i64 %f(ptr %pc1, i64 %acc1, i64 %k, ptr %table)
  ret i64 %r
}
define preserve_nonecc i64 @op_mul(ptr %pc, i64 %acc, i64 %k, ptr %table) noinline {
  %acc1 = mul i64 %acc, %k
  %o = load i8, ptr %pc
  %ox = zext i8 %o to i64
  %slot = getelementptr ptr, ptr %table, i64 %ox
  %f = load ptr, ptr %slot
  %pc1 = getelementptr i8, ptr %pc, i64 1
  %r = musttail call preserve_nonecc i64 %f(ptr %pc1, i64 %acc1, i64 %k, ptr %table)
  ret i64 %r
}
define preserve_nonecc i64 @op_end(ptr %pc, i64 %acc, i64 %k, ptr %table) noinline {
  ret i64 %acc
}
; a convention whose tail calls take their caller's place by themselves, with arguments on the stack
define tailcc i64 @even(i64 %n, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g) noinline {
  %z = icmp eq i64 %n, 0
  br i1 %z, label %done, label %more
more:
  %n1 = sub i64 %n, 1
  %r = tail call tailcc i64 @odd(i64 %n1, i64 %g, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f)
  ret i64 %r
done:
  %t = mul i64 %b, 10
  %s = add i64 %t, %g
  ret i64 %s
}
define tailcc i64 @odd(i64 %n, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g) noinline {
  %n1 = sub i64 %n, 1
  %r = tail call tailcc i64 @even(i64 %n1, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g)
  ret i64 %r
}
@table = global [3 x ptr] [ptr @op_end, ptr @op_add, ptr @op_mul]
@code = constant [8 x i8] c"\01\02\01\01\02\02\01\00"
define i32 @main() {
  %r = call i64 @rotate(i64 100000, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, double 2.5, i128 18446744073709551600)
  %s1 = alloca %struct.s
  %s2 = alloca %struct.s
  %p1 = getelementptr i64, ptr %s1, i64 4
  %p2 = getelementptr i64, ptr %s2, i64 4
  store i64 11, ptr %s1
  store i64 22, ptr %s2
  store i64 33, ptr %p1
  store i64 44, ptr %p2
  %q = call i64 @swap(i64 1001, ptr byval(%struct.s) align 8 %s1, ptr byval(%struct.s) align 8 %s2)
  %v = call i32 (ptr, ...) @thunk(ptr @.v, ptr @.n, i32 7, double 1.5, double 2.5, i64 5, i64 6, i64 7, i64 8)
  %v64 = sext i32 %v to i64
  %m = call { i64, i64, i64, i64 } @manytail(i64 1)
  %m0 = extractvalue { i64, i64, i64, i64 } %m, 0
  %m3 = extractvalue { i64, i64, i64, i64 } %m, 3
  %mm = add i64 %m0, %m3
  call void @srt(ptr sret(%struct.s) %s1, i64 5)
  %sr = load i64, ptr %s1
  %si = call i64 @sibling(i64 30, i64 12)
  call void @sayp(i64 21, double 0.5)
  %in = call preserve_nonecc i64 @op_add(ptr @code, i64 1, i64 3, ptr @table)
  call i32 (ptr, ...) @printf(ptr @.f, i64 %r, i64 %q, i64 %v64, i64 %mm, i64 %sr, i64 %si, ptr @.n)
  %ev = call tailcc i64 @even(i64 1000000, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6)
  call i32 (ptr, ...) @printf(ptr @.f, i64 %in, i64 %ev, i64 0, i64 0, i64 0, i64 0, ptr @.n)
  ret i32 0
}
