; Inline assembly that may unwind, encoded at once and assembled: to landing pads, through frames with cleanups, with
; values that live on in both ways, outputs in every kind of place, a moved stack pointer.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@format = private constant [22 x i8] c"%d %d %d %d %.6g %Lg\0A\00"
@cleaned = internal global i32 0
@_ZTIi = external constant ptr

declare i32 @__gxx_personality_v0(...)
declare i32 @printf(ptr, ...)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr)

; Throws its argument if that is more than 100, and overwrites what it may.
define i32 @throws(i32 %x) noinline {
  call void asm sideeffect "xorl %ecx, %ecx; xorl %edx, %edx; xorl %esi, %esi; xorl %r8d, %r8d; xorl %r9d, %r9d; xorl %r10d, %r10d; pxor %xmm0, %xmm0; pxor %xmm7, %xmm7; pxor %xmm15, %xmm15", "~{rcx},~{rdx},~{rsi},~{r8},~{r9},~{r10},~{xmm0},~{xmm7},~{xmm15}"()
  %is = icmp sgt i32 %x, 100
  br i1 %is, label %throw, label %done
throw:
  %e = call ptr @__cxa_allocate_exception(i64 4)
  store i32 %x, ptr %e
  call void @__cxa_throw(ptr %e, ptr @_ZTIi, ptr null)
  unreachable
done:
  %r = mul i32 %x, 3
  ret i32 %r
}

; To a pad of its own, with results in a register and values that live on both ways.
define i32 @caught(i32 %x, i32 %y, double %d, ptr %out) personality ptr @__gxx_personality_v0 {
  %z = mul i32 %x, %y
  %dd = fmul double %d, 2.0
  %r = invoke i32 asm sideeffect alignstack unwind "movl $1, %edi; call ${2:P}", "={eax},r,s,~{rdi},~{rcx},~{rdx},~{rsi},~{r8},~{r9},~{r10},~{r11},~{xmm0},~{xmm1},~{xmm2},~{xmm3},~{xmm4},~{xmm5},~{xmm6},~{xmm7},~{xmm8},~{xmm9},~{xmm10},~{xmm11},~{xmm12},~{xmm13},~{xmm14},~{xmm15},~{memory}"(i32 %x, ptr @throws)
          to label %next unwind label %pad
next:
  %s = add i32 %r, %z
  store double %dd, ptr %out
  ret i32 %s
pad:
  %seen = phi i32 [ %z, %0 ]
  %l = landingpad { ptr, i32 } catch ptr @_ZTIi
  %e = extractvalue { ptr, i32 } %l, 0
  %c = call ptr @__cxa_begin_catch(ptr %e)
  %v = load i32, ptr %c
  call void @__cxa_end_catch()
  %minus = fneg double %dd
  store double %minus, ptr %out
  %t = add i32 %v, %seen
  %n = sub i32 0, %t
  ret i32 %n
}

; Operands in any register and in memory, several results, one on the x87 stack, a text that an assembler reads.
define i32 @several(i32 %x, i32 %y, ptr %wide) personality ptr @__gxx_personality_v0 {
  %r = invoke { i32, i32, double, x86_fp80 } asm sideeffect alignstack unwind "1: movl $4, %edi\0A\09call ${7:P}\0A\09movl %eax, $0\0A\09leal 7(%rax), $1\0A\09cvtsi2sd %eax, $2\0A\09testl %eax, %eax\0A\09jz 1b\0A\09fld1\0A\09fldpi\0A\09faddp", "=&r,=&r,=&x,={st},r,m,r,s,~{rax},~{rcx},~{rdx},~{rsi},~{rdi},~{r8},~{r9},~{r10},~{r11},~{xmm0},~{xmm7},~{xmm15},~{memory}"(i32 %x, i32 %y, i32 %y, ptr @throws)
          to label %next unwind label %pad
next:
  %phi = phi { i32, i32, double, x86_fp80 } [ %r, %0 ]
  %a = extractvalue { i32, i32, double, x86_fp80 } %phi, 0
  %b = extractvalue { i32, i32, double, x86_fp80 } %phi, 1
  %c = extractvalue { i32, i32, double, x86_fp80 } %phi, 2
  %w = extractvalue { i32, i32, double, x86_fp80 } %phi, 3
  store x86_fp80 %w, ptr %wide
  %ci = fptosi double %c to i32
  %ab = mul i32 %a, %b
  %s = add i32 %ab, %ci
  %sy = add i32 %s, %y
  ret i32 %sy
pad:
  %l = landingpad { ptr, i32 } catch ptr null
  %e = extractvalue { ptr, i32 } %l, 0
  %k = call ptr @__cxa_begin_catch(ptr %e)
  call void @__cxa_end_catch()
  %n = sub i32 %y, %x
  ret i32 %n
}

; A text that unwinds through a frame without pads.
define i32 @plain(i32 %x) noinline {
  %r = call i32 asm sideeffect alignstack unwind "movl $1, %edi; call ${2:P}", "={eax},r,s,~{rdi},~{rcx},~{rdx},~{rsi},~{r8},~{r9},~{r10},~{r11},~{memory}"(i32 %x, ptr @throws)
  %s = add i32 %r, 0
  ret i32 %s
}

; A frame with a cleanup.
define i32 @through(i32 %x) noinline personality ptr @__gxx_personality_v0 {
  %kept = invoke i32 @throws(i32 1) to label %next unwind label %pad
next:
  %r = invoke i32 @plain(i32 %x) to label %then unwind label %pad
then:
  %more = invoke i32 asm sideeffect alignstack unwind "movl $1, %edi; call ${2:P}", "={eax},r,s,~{rdi},~{rcx},~{rdx},~{rsi},~{r8},~{r9},~{r10},~{r11},~{memory}"(i32 %r, ptr @throws) to label %last unwind label %pad
last:
  %s = add i32 %kept, %more
  ret i32 %s
pad:
  %l = landingpad { ptr, i32 } cleanup
  %old = load i32, ptr @cleaned
  %new = add i32 %old, 1
  store i32 %new, ptr @cleaned
  resume { ptr, i32 } %l
}

; With a stack pointer that moves, and a loop around.
define i32 @moving(i32 %x, i32 %n) personality ptr @__gxx_personality_v0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %again ]
  %sum = phi i32 [ 0, %entry ], [ %sum1, %again ]
  %i1 = add i32 %i, 1
  %size = mul i32 %i1, 24
  %buffer = alloca i8, i32 %size
  store i32 %i1, ptr %buffer
  %arg = mul i32 %x, %i1
  %r = invoke i32 @through(i32 %arg) to label %invoked unwind label %pad
invoked:
  %r2 = invoke i32 asm sideeffect alignstack unwind "movl $1, %edi; call ${2:P}", "={eax},r,s,~{rdi},~{rcx},~{rdx},~{rsi},~{r8},~{r9},~{r10},~{r11},~{memory}"(i32 %arg, ptr @through) to label %again unwind label %pad
pad:
  %p = phi i32 [ 1000, %loop ], [ 2000, %invoked ]
  %l = landingpad { ptr, i32 } catch ptr @_ZTIi
  %e = extractvalue { ptr, i32 } %l, 0
  %c = call ptr @__cxa_begin_catch(ptr %e)
  %v = load i32, ptr %c
  call void @__cxa_end_catch()
  %kept = load i32, ptr %buffer
  %pv = add i32 %p, %v
  %pvk = add i32 %pv, %kept
  br label %again
again:
  %term = phi i32 [ %r2, %invoked ], [ %pvk, %pad ]
  %sum1 = add i32 %sum, %term
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %sum1
}

define i32 @main() {
  %p = alloca double
  %w = alloca x86_fp80
  store x86_fp80 0xK00000000000000000000, ptr %w
  %a = call i32 @caught(i32 5, i32 7, double 1.5, ptr %p)
  %d = load double, ptr %p
  %b = call i32 @several(i32 6, i32 2, ptr %w)
  %w1 = load x86_fp80, ptr %w
  %c = call i32 @moving(i32 9, i32 13)
  %k = load i32, ptr @cleaned
  %n = call i32 (ptr, ...) @printf(ptr @format, i32 %a, i32 %b, i32 %c, i32 %k, double %d, x86_fp80 %w1)
  %a2 = call i32 @caught(i32 101, i32 7, double 1.5, ptr %p)
  %d2 = load double, ptr %p
  %b2 = call i32 @several(i32 102, i32 300, ptr %w)
  %w2 = load x86_fp80, ptr %w
  %c2 = call i32 @moving(i32 60, i32 4)
  %k2 = load i32, ptr @cleaned
  %n2 = call i32 (ptr, ...) @printf(ptr @format, i32 %a2, i32 %b2, i32 %c2, i32 %k2, double %d2, x86_fp80 %w2)
  ret i32 0
}

!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}
