; Intrinsics on vectors that become other instructions when they are read.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define <4 x i32> @moves(<4 x i32> %a, <4 x i32> %b) {
  %r = call <4 x i32> @llvm.vector.reverse.v4i32(<4 x i32> %a)
  %s = call <4 x i32> @llvm.vector.splice.left.v4i32(<4 x i32> %r, <4 x i32> %b, i32 1)
  %h = call <2 x i32> @llvm.vector.extract.v2i32.v4i32(<4 x i32> %s, i64 2)
  %i = call <4 x i32> @llvm.vector.insert.v4i32.v2i32(<4 x i32> %b, <2 x i32> %h, i64 0)
  %w = call <8 x i32> @llvm.vector.interleave2.v8i32(<4 x i32> %i, <4 x i32> %s)
  %d = call { <4 x i32>, <4 x i32> } @llvm.vector.deinterleave2.v8i32(<8 x i32> %w)
  %e = extractvalue { <4 x i32>, <4 x i32> } %d, 1
  ret <4 x i32> %e
}

define <3 x i32> @interleave3(<1 x i32> %a, <1 x i32> %b, <1 x i32> %c) {
  %r = call <3 x i32> @llvm.vector.interleave3.v3i32(<1 x i32> %a, <1 x i32> %b, <1 x i32> %c)
  ret <3 x i32> %r
}

define i32 @numbers(i32 %base, i32 %end, <4 x float> %v) {
  %m = call <4 x i1> @llvm.get.active.lane.mask.v4i1.i32(i32 %base, i32 %end)
  %n = call i32 @llvm.experimental.cttz.elts.i32.v4i1(<4 x i1> %m, i1 false)
  %s = call <4 x i32> @llvm.stepvector.v4i32()
  %p = call <2 x i32> @llvm.vector.partial.reduce.add.v2i32.v4i32(<2 x i32> <i32 1, i32 2>, <4 x i32> %s)
  %f = call float @llvm.vector.reduce.fmaximum.v4f32(<4 x float> %v)
  %i = fptosi float %f to i32
  %e = extractelement <2 x i32> %p, i32 1
  %x = add i32 %n, %e
  %y = add i32 %x, %i
  ret i32 %y
}

define <2 x double> @by_lane(<2 x double> %v, i32 %n, <2 x i16> %a, ptr %to) {
  %s = call <2 x double> @llvm.sin.v2f64(<2 x double> %v)
  %p = call <2 x double> @llvm.powi.v2f64.i32(<2 x double> %s, i32 %n)
  %c = call <2 x double> @llvm.canonicalize.v2f64(<2 x double> %p)
  %m = call { <2 x double>, <2 x double> } @llvm.modf.v2f64(<2 x double> %c)
  %f = call <2 x i16> @llvm.smul.fix.sat.v2i16(<2 x i16> %a, <2 x i16> %a, i32 3)
  store <2 x i16> %f, ptr %to
  %e = extractvalue { <2 x double>, <2 x double> } %m, 1
  ret <2 x double> %e
}

define <2 x i32> @predicated(<2 x i32> %a, <2 x i32> %b, <2 x i1> %m, i32 %n, ptr %p, <2 x ptr> %q) {
  %l = call <2 x i32> @llvm.vp.load.v2i32.p0(ptr %p, <2 x i1> %m, i32 %n)
  %s = call <2 x i32> @llvm.vp.add.v2i32(<2 x i32> %a, <2 x i32> %l, <2 x i1> %m, i32 %n)
  %d = call <2 x i32> @llvm.vp.sdiv.v2i32(<2 x i32> %s, <2 x i32> %b, <2 x i1> %m, i32 2)
  %r = call i32 @llvm.vp.reduce.smax.v2i32(i32 7, <2 x i32> %d, <2 x i1> %m, i32 %n)
  call void @llvm.experimental.vector.histogram.add.v2p0.i32(<2 x ptr> %q, i32 %r, <2 x i1> %m)
  %c = call <2 x i32> @llvm.experimental.vector.compress.v2i32(<2 x i32> %d, <2 x i1> %m, <2 x i32> %b)
  %x = call <2 x i32> @llvm.vp.merge.v2i32(<2 x i1> %m, <2 x i32> %c, <2 x i32> %a, i32 %n)
  ret <2 x i32> %x
}
