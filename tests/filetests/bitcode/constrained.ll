; Constrained operations: what the metadata say of rounding and exceptions decides between plain and strict ones.
define double @arithmetic(double %x, double %y) strictfp {
  %a = call double @llvm.experimental.constrained.fadd.f64(double %x, double %y, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %b = call double @llvm.experimental.constrained.fmul.f64(double %a, double %y, metadata !"round.tonearest", metadata !"fpexcept.ignore") strictfp
  %c = call double @llvm.experimental.constrained.fsub.f64(double %b, double %y, metadata !"round.upward", metadata !"fpexcept.ignore") strictfp
  %d = call double @llvm.experimental.constrained.fdiv.f64(double %c, double %y, metadata !"round.tonearest", metadata !"fpexcept.maytrap") strictfp
  %e = call double @llvm.experimental.constrained.fmuladd.f64(double %c, double %y, double %d, metadata !"round.dynamic", metadata !"fpexcept.ignore") strictfp
  %f = call double @llvm.experimental.constrained.sqrt.f64(double %e, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %g = call double @llvm.experimental.constrained.floor.f64(double %f, metadata !"fpexcept.strict") strictfp
  ret double %g
}

define i1 @comparisons(x86_fp80 %x, x86_fp80 %y) strictfp {
  %a = call i1 @llvm.experimental.constrained.fcmp.f80(x86_fp80 %x, x86_fp80 %y, metadata !"oeq", metadata !"fpexcept.strict") strictfp
  %b = call i1 @llvm.experimental.constrained.fcmps.f80(x86_fp80 %x, x86_fp80 %y, metadata !"ult", metadata !"fpexcept.strict") strictfp
  %c = call i1 @llvm.experimental.constrained.fcmps.f80(x86_fp80 %x, x86_fp80 %y, metadata !"uno", metadata !"fpexcept.ignore") strictfp
  %d = and i1 %a, %b
  %e = and i1 %c, %d
  ret i1 %e
}

define i64 @conversions(float %x, i32 %i, i100 %j) strictfp {
  %a = call i64 @llvm.experimental.constrained.fptoui.i64.f32(float %x, metadata !"fpexcept.strict") strictfp
  %b = call double @llvm.experimental.constrained.sitofp.f64.i32(i32 7, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %c = call float @llvm.experimental.constrained.fptrunc.f32.f64(double %b, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %d = call x86_fp80 @llvm.experimental.constrained.fpext.f80.f32(float %c, metadata !"fpexcept.strict") strictfp
  %e = call double @llvm.experimental.constrained.uitofp.f64.i100(i100 %j, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %f = call float @llvm.experimental.constrained.uitofp.f32.i32(i32 %i, metadata !"round.tonearest", metadata !"fpexcept.ignore") strictfp
  ret i64 %a
}

define <2 x double> @lanes(<2 x double> %x, <2 x float> %y) strictfp {
  %a = call <2 x double> @llvm.experimental.constrained.fpext.v2f64.v2f32(<2 x float> %y, metadata !"fpexcept.strict") strictfp
  %b = call <2 x double> @llvm.experimental.constrained.fadd.v2f64(<2 x double> %x, <2 x double> %a, metadata !"round.tonearest", metadata !"fpexcept.ignore") strictfp
  %c = call <2 x i1> @llvm.experimental.constrained.fcmp.v2f64(<2 x double> %a, <2 x double> %b, metadata !"olt", metadata !"fpexcept.strict") strictfp
  %d = select <2 x i1> %c, <2 x double> %a, <2 x double> %b
  ret <2 x double> %d
}

define double @library(double %x, i32 %n) strictfp {
  %a = call double @llvm.experimental.constrained.pow.f64(double %x, double %x, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %b = call double @llvm.experimental.constrained.powi.f64.i32(double %a, i32 %n, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %c = call i64 @llvm.experimental.constrained.lround.i64.f64(double %b, metadata !"fpexcept.strict") strictfp
  ret double %b
}

declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)
declare double @llvm.experimental.constrained.fsub.f64(double, double, metadata, metadata)
declare double @llvm.experimental.constrained.fmul.f64(double, double, metadata, metadata)
declare double @llvm.experimental.constrained.fdiv.f64(double, double, metadata, metadata)
declare double @llvm.experimental.constrained.fmuladd.f64(double, double, double, metadata, metadata)
declare double @llvm.experimental.constrained.sqrt.f64(double, metadata, metadata)
declare double @llvm.experimental.constrained.floor.f64(double, metadata)
declare i1 @llvm.experimental.constrained.fcmp.f80(x86_fp80, x86_fp80, metadata, metadata)
declare i1 @llvm.experimental.constrained.fcmps.f80(x86_fp80, x86_fp80, metadata, metadata)
declare i64 @llvm.experimental.constrained.fptoui.i64.f32(float, metadata)
declare double @llvm.experimental.constrained.sitofp.f64.i32(i32, metadata, metadata)
declare float @llvm.experimental.constrained.fptrunc.f32.f64(double, metadata, metadata)
declare x86_fp80 @llvm.experimental.constrained.fpext.f80.f32(float, metadata)
declare double @llvm.experimental.constrained.uitofp.f64.i100(i100, metadata, metadata)
declare float @llvm.experimental.constrained.uitofp.f32.i32(i32, metadata, metadata)
declare <2 x double> @llvm.experimental.constrained.fpext.v2f64.v2f32(<2 x float>, metadata)
declare <2 x double> @llvm.experimental.constrained.fadd.v2f64(<2 x double>, <2 x double>, metadata, metadata)
declare <2 x i1> @llvm.experimental.constrained.fcmp.v2f64(<2 x double>, <2 x double>, metadata, metadata)
declare double @llvm.experimental.constrained.pow.f64(double, double, metadata, metadata)
declare double @llvm.experimental.constrained.powi.f64.i32(double, i32, metadata, metadata)
declare i64 @llvm.experimental.constrained.lround.i64.f64(double, metadata)
