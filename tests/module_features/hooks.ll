; Functions that call others where they begin and return.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@sink = external global i32

declare i32 @thrower(i32)
declare i32 @__gxx_personality_v0(...)

; Parameters outlive the call, also those on the stack and in vector registers.
define i64 @counted(i64 %a, i64 %b, double %c, ptr %d, i64 %e, i64 %f, i64 %g, i64 %h) #0 {
  %1 = mul i64 %a, %b
  %2 = fptosi double %c to i64
  %3 = add i64 %1, %2
  %4 = load i64, ptr %d, align 8
  %5 = add i64 %3, %4
  %6 = sub i64 %5, %e
  %7 = mul i64 %f, %g
  %8 = sub i64 %7, %h
  %9 = add i64 %6, %8
  ret i64 %9
}

define void @nothing() #1 {
  ret void
}

; Two ways out, and a constant that phis want early.
define i32 @both(i32 %a) #2 {
entry:
  %small = icmp slt i32 %a, 5
  br i1 %small, label %less, label %more
less:
  %p = phi ptr [ getelementptr (i8, ptr @sink, i64 4), %entry ]
  %q = getelementptr i8, ptr %p, i64 -4
  store volatile i32 %a, ptr %q, align 4
  ret i32 77
more:
  %b = mul i32 %a, %a
  ret i32 %b
}

; What takes the function's place comes after the exit.
define i32 @handed_on(i32 %a) #2 {
  %b = add i32 %a, 1
  %c = musttail call i32 @both(i32 %b)
  ret i32 %c
}

; A call behind which something is to be called is no jump.
define i32 @tail(i32 %a) #2 {
  %b = tail call i32 @both(i32 %a)
  ret i32 %b
}

define internal fastcc { i64, double } @pair(i64 %a) #2 {
  %b = insertvalue { i64, double } poison, i64 %a, 0
  %c = insertvalue { i64, double } %b, double 2.5, 1
  ret { i64, double } %c
}

define i64 @paired(i64 %a) #3 {
  %p = call fastcc { i64, double } @pair(i64 %a)
  %x = extractvalue { i64, double } %p, 0
  %y = extractvalue { i64, double } %p, 1
  %z = fptosi double %y to i64
  %s = add i64 %x, %z
  ret i64 %s
}

define i32 @caught(i32 %a) #2 personality ptr @__gxx_personality_v0 {
  %b = invoke i32 @thrower(i32 %a) to label %normal unwind label %pad
normal:
  ret i32 %b
pad:
  %c = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %c
}

define x86_fp80 @long(x86_fp80 %a) #2 {
  %b = fadd x86_fp80 %a, %a
  ret x86_fp80 %b
}

define void @stays() #4 {
  call void asm sideeffect "ret", ""()
  unreachable
}

; An empty name is none, and what comes before inlining is for the front end.
define i32 @none(i32 %a) "instrument-function-entry-inlined"="" "instrument-function-exit-inlined"="" {
  ret i32 %a
}

attributes #0 = { "instrument-function-entry-inlined"="mcount" "frame-pointer"="all" }
attributes #1 = { "instrument-function-entry-inlined"="__cyg_profile_func_enter_bare" "instrument-function-exit-inlined"="\01_mcount" }
attributes #2 = { uwtable "instrument-function-entry-inlined"="__cyg_profile_func_enter" "instrument-function-exit-inlined"="__cyg_profile_func_exit" }
attributes #3 = { "instrument-function-entry-inlined"="__mcount" "instrument-function-exit-inlined"=".mcount" }
attributes #4 = { naked "instrument-function-entry-inlined"="mcount" "instrument-function-exit-inlined"="mcount" }
