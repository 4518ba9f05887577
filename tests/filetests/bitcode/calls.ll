; Calls with their attributes, exceptions, inline assembly.
%big = type { i64, i64, i64 }

declare signext i8 @narrow(i16 zeroext, i8 signext, i32 inreg)
declare void @by_value(ptr byval(%big) align 16, ptr sret(%big), ptr nest)
declare i32 @printf(ptr, ...)
declare void @may_throw()
declare i32 @setjmp(ptr) returns_twice
declare i32 @personality(...)
declare void @stop() noreturn nounwind
@type_info = external constant ptr

define void @attributes(ptr %p, i16 %a) {
  %r = call signext i8 @narrow(i16 zeroext %a, i8 signext -3, i32 inreg 5)
  call void @by_value(ptr byval(%big) align 16 %p, ptr sret(%big) %p, ptr nest null)
  tail call fastcc void @may_throw() nounwind
  ret void
}

define i32 @variadic(ptr %format, double %d, i64 %l) {
  %a = call i32 (ptr, ...) @printf(ptr %format, double %d, i64 %l)
  %b = call i32 (ptr, ...) @printf(ptr %format, i64 %l, double %d)
  %c = call i32 (ptr, ...) @printf(ptr %format, double %d, i64 %l)
  ret i32 %c
}

define i32 @indirect(ptr %f) {
  %r = call i32 %f(i32 1, i32 2)
  %s = call i32 @setjmp(ptr %f)
  call void @stop()
  unreachable
}

define void @must(ptr %p) {
  musttail call void @must(ptr %p)
  ret void
}

define i32 @catches() personality ptr @personality {
  %r = invoke i32 (ptr, ...) @printf(ptr null, i32 1) to label %fine unwind label %pad
fine:
  ret i32 %r
pad:
  %e = landingpad { ptr, i32 } cleanup catch ptr @type_info catch ptr null filter [2 x ptr] [ptr @type_info, ptr null] filter [0 x ptr] zeroinitializer
  %s = extractvalue { ptr, i32 } %e, 1
  %id = call i32 @llvm.eh.typeid.for.p0(ptr @type_info)
  %is = icmp eq i32 %s, %id
  br i1 %is, label %mine, label %theirs
mine:
  ret i32 -1
theirs:
  resume { ptr, i32 } %e
}

define i64 @assembly(i64 %a) {
  %r = call i64 asm sideeffect "bswap $0", "=r,0,~{dirflag}"(i64 %a)
  call void asm "", "~{memory}"()
  ret i64 %r
}

declare i32 @llvm.eh.typeid.for.p0(ptr)
