; Constraints of the x87 stack that C does not write: three popped inputs, outputs and inputs of different types, results
; stored through pointers, the dialect of Intel, and control registers as overwritten.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@format = private constant [37 x i8] c"%.17g %.17g %.17g %.17g %.17g %.17g\0A\00"

declare i32 @printf(ptr, ...)

define float @three_popped(float %x, double %y, x86_fp80 %z) noinline {
  %r = call float asm "faddp; faddp", "={st},{st},{st(1)},{st(2)},~{st(1)},~{st(2)},~{fpsr},~{fpcr}"(float %x, double %y, x86_fp80 %z)
  ret float %r
}

define double @other_type(x86_fp80 %x) noinline {
  %r = call double asm "fsqrt", "={st},0"(x86_fp80 %x)
  ret double %r
}

define double @intel(double %x, double %y) noinline {
  %r = call double asm inteldialect "fsub $0, $2", "=&{st},0,f"(double %x, double %y)
  ret double %r
}

define double @pushed(double %x, double %y) noinline {
  %r = call double asm "fld $1; fadd $2, $0", "=&{st},f,f"(double %x, double %y)
  ret double %r
}

define void @three_outputs(double %x, ptr %p) noinline {
  %r = call { double, float, x86_fp80 } asm "fld1; fldz; fld %st(2)", "={st},={st(1)},={st(2)},f"(double %x)
  %a = extractvalue { double, float, x86_fp80 } %r, 0
  %b = extractvalue { double, float, x86_fp80 } %r, 1
  %c = extractvalue { double, float, x86_fp80 } %r, 2
  %b64 = fpext float %b to double
  %c64 = fptrunc x86_fp80 %c to double
  store double %a, ptr %p
  %q = getelementptr double, ptr %p, i64 1
  store double %b64, ptr %q
  %s = getelementptr double, ptr %p, i64 2
  store double %c64, ptr %s
  ret void
}

define i32 @main() {
  %p = alloca [3 x double]
  %a = call float @three_popped(float 1.5, double 2.25, x86_fp80 0xK4000C000000000000000)
  %a64 = fpext float %a to double
  %b = call double @other_type(x86_fp80 0xK4000C000000000000000)
  %c = call double @intel(double 1.0, double 4.0)
  %d = call double @pushed(double 1.0, double 4.0)
  call void @three_outputs(double 6.5, ptr %p)
  %e = load double, ptr %p
  %q = getelementptr double, ptr %p, i64 1
  %f = load double, ptr %q
  %n = call i32 (ptr, ...) @printf(ptr @format, double %a64, double %b, double %c, double %d, double %e, double %f)
  ret i32 %n
}
