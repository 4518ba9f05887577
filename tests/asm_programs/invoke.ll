; Inline assembly that is invoked and does not unwind: its results are used on the normal way, beside invokes of calls.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@format = private constant [13 x i8] c"%d %d %d %d\0A\00"

declare i32 @__gxx_personality_v0(...)
declare i32 @printf(ptr, ...)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr)
@_ZTIi = external constant ptr

define void @throws(i32 %x) noinline {
  %is = icmp sgt i32 %x, 100
  br i1 %is, label %throw, label %done
throw:
  %e = call ptr @__cxa_allocate_exception(i64 4)
  store i32 %x, ptr %e
  call void @__cxa_throw(ptr %e, ptr @_ZTIi, ptr null)
  unreachable
done:
  ret void
}

define i32 @f(i32 %x, i32 %y) personality ptr @__gxx_personality_v0 {
  %t = invoke { i32, i32 } asm sideeffect "1: addl $2, $0\0Adecl $1\0Ajnz 1b", "=&r,=&{cx},r,0,1,~{cc}"(i32 %y, i32 0, i32 3)
          to label %next unwind label %pad
next:
  %tp = phi { i32, i32 } [ %t, %0 ]
  %kept = extractvalue { i32, i32 } %tp, 0
  invoke void @throws(i32 %kept) to label %more unwind label %pad
more:
  %b = invoke { i32, i32 } asm "leal 1($2), $0; leal 2($2), $1", "=&r,=&r,r"(i32 %kept)
          to label %last unwind label %pad
last:
  %p = extractvalue { i32, i32 } %b, 0
  %q = extractvalue { i32, i32 } %b, 1
  %r = mul i32 %p, %q
  ret i32 %r
pad:
  %seen = phi i32 [ %x, %0 ], [ %kept, %next ], [ %kept, %more ]
  %l = landingpad { ptr, i32 } catch ptr null
  %e = extractvalue { ptr, i32 } %l, 0
  %c = call ptr @__cxa_begin_catch(ptr %e)
  call void @__cxa_end_catch()
  %s = sub i32 0, %seen
  ret i32 %s
}

define i32 @main() {
  %a = call i32 @f(i32 1, i32 2)
  %b = call i32 @f(i32 1, i32 33)
  %c = call i32 @f(i32 1, i32 34)
  %d = call i32 @f(i32 1, i32 -5)
  %n = call i32 (ptr, ...) @printf(ptr @format, i32 %a, i32 %b, i32 %c, i32 %d)
  ret i32 0
}

!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}
