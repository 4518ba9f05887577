; Library functions on vectors of half, bfloat and fp128, lane by lane, in the type that has the function.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define <2 x half> @half_of_float(<2 x half> %a, <2 x half> %b) {
  %s = call <2 x half> @llvm.sin.v2f16(<2 x half> %a)
  %p = call <2 x half> @llvm.pow.v2f16(<2 x half> %s, <2 x half> %b)
  ret <2 x half> %p
}

define <2 x bfloat> @with_integers(<2 x bfloat> %a, <2 x i32> %n, i32 %m) {
  %l = call <2 x bfloat> @llvm.ldexp.v2bf16.v2i32(<2 x bfloat> %a, <2 x i32> %n)
  %p = call <2 x bfloat> @llvm.powi.v2bf16.i32(<2 x bfloat> %l, i32 %m)
  ret <2 x bfloat> %p
}

define <2 x i64> @to_integers(<2 x half> %a, <2 x fp128> %q) {
  %r = call <2 x i64> @llvm.lround.v2i64.v2f16(<2 x half> %a)
  %n = call <2 x i32> @llvm.lrint.v2i32.v2f128(<2 x fp128> %q)
  %w = sext <2 x i32> %n to <2 x i64>
  %s = add <2 x i64> %r, %w
  ret <2 x i64> %s
}

define <2 x half> @two_results(<2 x half> %a) {
  %m = call { <2 x half>, <2 x half> } @llvm.modf.v2f16(<2 x half> %a)
  %whole = extractvalue { <2 x half>, <2 x half> } %m, 1
  %f = call { <2 x half>, <2 x i32> } @llvm.frexp.v2f16.v2i32(<2 x half> %whole)
  %fraction = extractvalue { <2 x half>, <2 x i32> } %f, 0
  %c = call { <2 x half>, <2 x half> } @llvm.sincos.v2f16(<2 x half> %fraction)
  %cosine = extractvalue { <2 x half>, <2 x half> } %c, 1
  ret <2 x half> %cosine
}

define <2 x fp128> @quads(ptr %p, <2 x i1> %m) {
  %v = call <2 x fp128> @llvm.vp.load.v2f128.p0(ptr %p, <2 x i1> %m, i32 2)
  %c = call <2 x fp128> @llvm.canonicalize.v2f128(<2 x fp128> %v)
  %s = call fp128 @llvm.vp.reduce.fadd.v2f128(fp128 0xL00000000000000003FFF000000000000, <2 x fp128> %c, <2 x i1> %m, i32 2)
  %r = insertelement <2 x fp128> %c, fp128 %s, i32 0
  ret <2 x fp128> %r
}

define <2 x half> @canonical(<2 x half> %a, bfloat %b) {
  %c = call <2 x half> @llvm.canonicalize.v2f16(<2 x half> %a)
  %d = call bfloat @llvm.canonicalize.bf16(bfloat %b)
  %i = bitcast bfloat %d to half
  %r = insertelement <2 x half> %c, half %i, i32 1
  ret <2 x half> %r
}
