target triple = "x86_64-pc-linux-gnu"

define i64 @whole(<2 x float> %a, <2 x i1> %m, i32 %n) {
  %floor = call <2 x float> @llvm.vp.floor.v2f32(<2 x float> %a, <2 x i1> %m, i32 %n)
  %away = call <2 x float> @llvm.vp.roundtozero.v2f32(<2 x float> %a, <2 x i1> %m, i32 %n)
  %signed = call <2 x float> @llvm.vp.copysign.v2f32(<2 x float> %floor, <2 x float> %away, <2 x i1> %m, i32 %n)
  %least = call <2 x float> @llvm.vp.minimum.v2f32(<2 x float> %signed, <2 x float> %a, <2 x i1> %m, i32 %n)
  %is = call <2 x i1> @llvm.vp.is.fpclass.v2f32(<2 x float> %least, i32 3, <2 x i1> %m, i32 %n)
  %below = call <2 x i1> @llvm.vp.fcmp.v2f32(<2 x float> %least, <2 x float> %a, metadata !"ult", <2 x i1> %m, i32 %n)
  %either = or <2 x i1> %is, %below
  %near = call <2 x i64> @llvm.vp.lrint.v2i64.v2f32(<2 x float> %a, <2 x i1> %m, i32 %n)
  %as = call <2 x i64> @llvm.vp.zext.v2i64.v2i1(<2 x i1> %either, <2 x i1> %m, i32 %n)
  %sum = add <2 x i64> %near, %as
  %r = call i64 @llvm.vp.reduce.add.v2i64(i64 0, <2 x i64> %sum, <2 x i1> %m, i32 %n)
  ret i64 %r
}

define float @sums(float %s, <2 x float> %a, <2 x i1> %m, i32 %n) {
  %sum = call float @llvm.vp.reduce.fadd.v2f32(float %s, <2 x float> %a, <2 x i1> %m, i32 %n)
  %product = call float @llvm.vp.reduce.fmul.v2f32(float %sum, <2 x float> %a, <2 x i1> %m, i32 %n)
  %most = call float @llvm.vp.reduce.fmax.v2f32(float %product, <2 x float> %a, <2 x i1> %m, i32 %n)
  %least = call float @llvm.vp.reduce.fminimum.v2f32(float %most, <2 x float> %a, <2 x i1> %m, i32 %n)
  ret float %least
}

define i32 @first(<4 x i32> %a, <4 x i1> %m, i32 %n) {
  %r = call i32 @llvm.vp.cttz.elts.i32.v4i32(<4 x i32> %a, i1 false, <4 x i1> %m, i32 %n)
  ret i32 %r
}

define <4 x i32> @moved(<4 x i32> %a, <4 x i32> %b, <4 x i1> %m, i32 %n, i32 %o) {
  %back = call <4 x i32> @llvm.experimental.vp.reverse.v4i32(<4 x i32> %a, <4 x i1> %m, i32 %n)
  %from = call <4 x i32> @llvm.experimental.vp.splice.v4i32(<4 x i32> %back, <4 x i32> %b, i32 -1, <4 x i1> %m, i32 %n, i32 %o)
  ret <4 x i32> %from
}

define void @memory(ptr %p, ptr %q, i16 %step, <2 x i1> %m, i32 %n) {
  %a = call <2 x i16> @llvm.experimental.vp.strided.load.v2i16.p0.i16(ptr %p, i16 %step, <2 x i1> %m, i32 %n)
  %places = getelementptr i16, ptr %q, <2 x i16> %a
  %b = call <2 x i16> @llvm.vp.gather.v2i16.v2p0(<2 x ptr> %places, <2 x i1> %m, i32 %n)
  %c = call <2 x i16> @llvm.vp.ctlz.v2i16(<2 x i16> %b, i1 false, <2 x i1> %m, i32 %n)
  call void @llvm.vp.scatter.v2i16.v2p0(<2 x i16> %c, <2 x ptr> %places, <2 x i1> %m, i32 %n)
  call void @llvm.experimental.vp.strided.store.v2i16.p0.i16(<2 x i16> %c, ptr %p, i16 %step, <2 x i1> %m, i32 %n)
  ret void
}

declare <2 x float> @llvm.vp.copysign.v2f32(<2 x float>, <2 x float>, <2 x i1>, i32)
declare <2 x float> @llvm.vp.floor.v2f32(<2 x float>, <2 x i1>, i32)
declare <2 x float> @llvm.vp.minimum.v2f32(<2 x float>, <2 x float>, <2 x i1>, i32)
declare <2 x float> @llvm.vp.roundtozero.v2f32(<2 x float>, <2 x i1>, i32)
declare <2 x i16> @llvm.experimental.vp.strided.load.v2i16.p0.i16(ptr, i16, <2 x i1>, i32)
declare <2 x i16> @llvm.vp.ctlz.v2i16(<2 x i16>, i1, <2 x i1>, i32)
declare <2 x i16> @llvm.vp.gather.v2i16.v2p0(<2 x ptr>, <2 x i1>, i32)
declare <2 x i1> @llvm.vp.fcmp.v2f32(<2 x float>, <2 x float>, metadata, <2 x i1>, i32)
declare <2 x i1> @llvm.vp.is.fpclass.v2f32(<2 x float>, i32, <2 x i1>, i32)
declare <2 x i64> @llvm.vp.lrint.v2i64.v2f32(<2 x float>, <2 x i1>, i32)
declare <2 x i64> @llvm.vp.zext.v2i64.v2i1(<2 x i1>, <2 x i1>, i32)
declare <4 x i32> @llvm.experimental.vp.reverse.v4i32(<4 x i32>, <4 x i1>, i32)
declare <4 x i32> @llvm.experimental.vp.splice.v4i32(<4 x i32>, <4 x i32>, i32, <4 x i1>, i32, i32)
declare float @llvm.vp.reduce.fadd.v2f32(float, <2 x float>, <2 x i1>, i32)
declare float @llvm.vp.reduce.fmax.v2f32(float, <2 x float>, <2 x i1>, i32)
declare float @llvm.vp.reduce.fminimum.v2f32(float, <2 x float>, <2 x i1>, i32)
declare float @llvm.vp.reduce.fmul.v2f32(float, <2 x float>, <2 x i1>, i32)
declare i32 @llvm.vp.cttz.elts.i32.v4i32(<4 x i32>, i1, <4 x i1>, i32)
declare i64 @llvm.vp.reduce.add.v2i64(i64, <2 x i64>, <2 x i1>, i32)
declare void @llvm.experimental.vp.strided.store.v2i16.p0.i16(<2 x i16>, ptr, i16, <2 x i1>, i32)
declare void @llvm.vp.scatter.v2i16.v2p0(<2 x i16>, <2 x ptr>, <2 x i1>, i32)
