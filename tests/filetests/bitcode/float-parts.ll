; Library functions with two results give the second through a pointer.
define double @modf(double %x) {
  %both = call { double, double } @llvm.modf.f64(double %x)
  %fraction = extractvalue { double, double } %both, 0
  %whole = extractvalue { double, double } %both, 1
  %sum = fsub double %fraction, %whole
  ret double %sum
}

define i32 @frexp(float %x) {
  %both = call { float, i32 } @llvm.frexp.f32.i32(float %x)
  %fraction = extractvalue { float, i32 } %both, 0
  %exponent = extractvalue { float, i32 } %both, 1
  %bits = bitcast float %fraction to i32
  %sum = add i32 %bits, %exponent
  ret i32 %sum
}

declare { double, double } @llvm.modf.f64(double)
declare { float, i32 } @llvm.frexp.f32.i32(float)
