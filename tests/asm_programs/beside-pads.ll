; A text that may unwind and is no invoke, between two that lead to a pad: what it throws does not come there. (llc 22 makes
; one range of all three.) The exit code says which pads were reached.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@_ZTIi = external constant ptr

declare i32 @__gxx_personality_v0(...)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr)

define void @throws(i32 %x) noinline {
  %e = call ptr @__cxa_allocate_exception(i64 4)
  store i32 %x, ptr %e
  call void @__cxa_throw(ptr %e, ptr @_ZTIi, ptr null)
  unreachable
}

define void @returns(i32 %x) noinline {
  ret void
}

define i32 @middle(i32 %x) noinline personality ptr @__gxx_personality_v0 {
  invoke void @returns(i32 1) to label %next unwind label %pad
next:
  call void asm sideeffect alignstack unwind "movl $0, %edi; call ${1:P}", "r,s,~{rdi},~{rax},~{rcx},~{rdx},~{rsi},~{r8},~{r9},~{r10},~{r11},~{memory}"(i32 %x, ptr @throws)
  invoke void @returns(i32 2) to label %last unwind label %pad
last:
  ret i32 100
pad:
  %l = landingpad { ptr, i32 } catch ptr null
  %e = extractvalue { ptr, i32 } %l, 0
  %c = call ptr @__cxa_begin_catch(ptr %e)
  call void @__cxa_end_catch()
  ret i32 50
}

define i32 @main() personality ptr @__gxx_personality_v0 {
  %r = invoke i32 @middle(i32 7) to label %next unwind label %pad
next:
  ret i32 %r
pad:
  %l = landingpad { ptr, i32 } catch ptr @_ZTIi
  %e = extractvalue { ptr, i32 } %l, 0
  %c = call ptr @__cxa_begin_catch(ptr %e)
  %v = load i32, ptr %c
  call void @__cxa_end_catch()
  %s = add i32 %v, 3
  ret i32 %s
}

!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}
