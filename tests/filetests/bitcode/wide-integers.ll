; Operations on integers of more than 128 bits, in functions of 64-bit numbers.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Carries, borrows and products.
define i64 @arithmetic(i64 %x, i64 %y) {
  %za = zext i64 %x to i200
  %sb = sext i64 %y to i200
  %up = shl i200 %za, 130
  %mix = xor i200 %up, %sb
  %a = mul i200 %mix, 340282366920938463463374607431768211507
  %down = lshr i200 %a, 77
  %b = add i200 %down, %sb
  %r1 = add i200 %a, %b
  %r2 = sub i200 %b, %a
  %r3 = mul i200 %a, %b
  %lo0 = trunc i200 %r1 to i64
  %h0 = lshr i200 %r1, 64
  %m0 = trunc i200 %h0 to i64
  %hh0 = lshr i200 %r1, 136
  %t0 = trunc i200 %hh0 to i64
  %x0 = xor i64 %lo0, %m0
  %y0 = add i64 %x0, %t0
  %lo1 = trunc i200 %r2 to i64
  %h1 = lshr i200 %r2, 64
  %m1 = trunc i200 %h1 to i64
  %hh1 = lshr i200 %r2, 136
  %t1 = trunc i200 %hh1 to i64
  %x1 = xor i64 %lo1, %m1
  %y1 = add i64 %x1, %t1
  %z1 = mul i64 %y0, 31
  %w1 = add i64 %z1, %y1
  %lo2 = trunc i200 %r3 to i64
  %h2 = lshr i200 %r3, 64
  %m2 = trunc i200 %h2 to i64
  %hh2 = lshr i200 %r3, 136
  %t2 = trunc i200 %hh2 to i64
  %x2 = xor i64 %lo2, %m2
  %y2 = add i64 %x2, %t2
  %z2 = mul i64 %w1, 31
  %w2 = add i64 %z2, %y2
  ret i64 %w2
}

; Each division splits its block.
define i64 @divide(i64 %x, i64 %y) {
  %za = zext i64 %x to i200
  %sb = sext i64 %y to i200
  %up = shl i200 %za, 130
  %mix = xor i200 %up, %sb
  %a = mul i200 %mix, 340282366920938463463374607431768211507
  %down = lshr i200 %a, 77
  %b = add i200 %down, %sb
  %d = or i200 %b, 1
  %r1 = udiv i200 %a, %d
  %r2 = srem i200 %a, 1000000007
  %lo0 = trunc i200 %r1 to i64
  %h0 = lshr i200 %r1, 64
  %m0 = trunc i200 %h0 to i64
  %hh0 = lshr i200 %r1, 136
  %t0 = trunc i200 %hh0 to i64
  %x0 = xor i64 %lo0, %m0
  %y0 = add i64 %x0, %t0
  %lo1 = trunc i200 %r2 to i64
  %h1 = lshr i200 %r2, 64
  %m1 = trunc i200 %h1 to i64
  %hh1 = lshr i200 %r2, 136
  %t1 = trunc i200 %hh1 to i64
  %x1 = xor i64 %lo1, %m1
  %y1 = add i64 %x1, %t1
  %z1 = mul i64 %y0, 31
  %w1 = add i64 %z1, %y1
  ret i64 %w1
}

; Variable distances go through memory; the distance of a funnel shift counts modulo the width.
define i64 @shift(i64 %x, i64 %y) {
  %za = zext i64 %x to i200
  %sb = sext i64 %y to i200
  %up = shl i200 %za, 130
  %mix = xor i200 %up, %sb
  %a = mul i200 %mix, 340282366920938463463374607431768211507
  %down = lshr i200 %a, 77
  %b = add i200 %down, %sb
  %n = and i200 %b, 127
  %r1 = shl i200 %a, %n
  %r2 = lshr i200 %a, %n
  %r3 = ashr i200 %a, %n
  %r4 = ashr i200 %a, 150
  %r5 = call i200 @llvm.fshl.i200(i200 %a, i200 %b, i200 %a)
  %lo0 = trunc i200 %r1 to i64
  %h0 = lshr i200 %r1, 64
  %m0 = trunc i200 %h0 to i64
  %hh0 = lshr i200 %r1, 136
  %t0 = trunc i200 %hh0 to i64
  %x0 = xor i64 %lo0, %m0
  %y0 = add i64 %x0, %t0
  %lo1 = trunc i200 %r2 to i64
  %h1 = lshr i200 %r2, 64
  %m1 = trunc i200 %h1 to i64
  %hh1 = lshr i200 %r2, 136
  %t1 = trunc i200 %hh1 to i64
  %x1 = xor i64 %lo1, %m1
  %y1 = add i64 %x1, %t1
  %z1 = mul i64 %y0, 31
  %w1 = add i64 %z1, %y1
  %lo2 = trunc i200 %r3 to i64
  %h2 = lshr i200 %r3, 64
  %m2 = trunc i200 %h2 to i64
  %hh2 = lshr i200 %r3, 136
  %t2 = trunc i200 %hh2 to i64
  %x2 = xor i64 %lo2, %m2
  %y2 = add i64 %x2, %t2
  %z2 = mul i64 %w1, 31
  %w2 = add i64 %z2, %y2
  %lo3 = trunc i200 %r4 to i64
  %h3 = lshr i200 %r4, 64
  %m3 = trunc i200 %h3 to i64
  %hh3 = lshr i200 %r4, 136
  %t3 = trunc i200 %hh3 to i64
  %x3 = xor i64 %lo3, %m3
  %y3 = add i64 %x3, %t3
  %z3 = mul i64 %w2, 31
  %w3 = add i64 %z3, %y3
  %lo4 = trunc i200 %r5 to i64
  %h4 = lshr i200 %r5, 64
  %m4 = trunc i200 %h4 to i64
  %hh4 = lshr i200 %r5, 136
  %t4 = trunc i200 %hh4 to i64
  %x4 = xor i64 %lo4, %m4
  %y4 = add i64 %x4, %t4
  %z4 = mul i64 %w3, 31
  %w4 = add i64 %z4, %y4
  ret i64 %w4
}

; Counts and reversals.
define i64 @bits(i64 %x, i64 %y) {
  %za = zext i64 %x to i200
  %sb = sext i64 %y to i200
  %up = shl i200 %za, 130
  %mix = xor i200 %up, %sb
  %a = mul i200 %mix, 340282366920938463463374607431768211507
  %down = lshr i200 %a, 77
  %b = add i200 %down, %sb
  %r1 = call i200 @llvm.ctlz.i200(i200 %b, i1 false)
  %r2 = call i200 @llvm.cttz.i200(i200 %a, i1 false)
  %r3 = call i200 @llvm.ctpop.i200(i200 %a)
  %r4 = call i200 @llvm.bitreverse.i200(i200 %a)
  %r5 = call i200 @llvm.abs.i200(i200 %a, i1 false)
  %lo0 = trunc i200 %r1 to i64
  %h0 = lshr i200 %r1, 64
  %m0 = trunc i200 %h0 to i64
  %hh0 = lshr i200 %r1, 136
  %t0 = trunc i200 %hh0 to i64
  %x0 = xor i64 %lo0, %m0
  %y0 = add i64 %x0, %t0
  %lo1 = trunc i200 %r2 to i64
  %h1 = lshr i200 %r2, 64
  %m1 = trunc i200 %h1 to i64
  %hh1 = lshr i200 %r2, 136
  %t1 = trunc i200 %hh1 to i64
  %x1 = xor i64 %lo1, %m1
  %y1 = add i64 %x1, %t1
  %z1 = mul i64 %y0, 31
  %w1 = add i64 %z1, %y1
  %lo2 = trunc i200 %r3 to i64
  %h2 = lshr i200 %r3, 64
  %m2 = trunc i200 %h2 to i64
  %hh2 = lshr i200 %r3, 136
  %t2 = trunc i200 %hh2 to i64
  %x2 = xor i64 %lo2, %m2
  %y2 = add i64 %x2, %t2
  %z2 = mul i64 %w1, 31
  %w2 = add i64 %z2, %y2
  %lo3 = trunc i200 %r4 to i64
  %h3 = lshr i200 %r4, 64
  %m3 = trunc i200 %h3 to i64
  %hh3 = lshr i200 %r4, 136
  %t3 = trunc i200 %hh3 to i64
  %x3 = xor i64 %lo3, %m3
  %y3 = add i64 %x3, %t3
  %z3 = mul i64 %w2, 31
  %w3 = add i64 %z3, %y3
  %lo4 = trunc i200 %r5 to i64
  %h4 = lshr i200 %r5, 64
  %m4 = trunc i200 %h4 to i64
  %hh4 = lshr i200 %r5, 136
  %t4 = trunc i200 %hh4 to i64
  %x4 = xor i64 %lo4, %m4
  %y4 = add i64 %x4, %t4
  %z4 = mul i64 %w3, 31
  %w4 = add i64 %z4, %y4
  ret i64 %w4
}

; Orders of signed and unsigned numbers.
define i64 @compare(i64 %x, i64 %y) {
  %za = zext i64 %x to i200
  %sb = sext i64 %y to i200
  %up = shl i200 %za, 130
  %mix = xor i200 %up, %sb
  %a = mul i200 %mix, 340282366920938463463374607431768211507
  %down = lshr i200 %a, 77
  %b = add i200 %down, %sb
  %c1 = icmp ult i200 %a, %b
  %c2 = icmp sge i200 %a, %b
  %c3 = icmp ne i200 %a, %mix
  %r1 = select i1 %c1, i200 %a, i200 %b
  %r2 = select i1 %c2, i200 3, i200 -9
  %r3 = select i1 %c3, i200 %b, i200 1606938044258990275541962092341162602522202993782792835301375
  %r4 = call i200 @llvm.smax.i200(i200 %a, i200 %b)
  %lo0 = trunc i200 %r1 to i64
  %h0 = lshr i200 %r1, 64
  %m0 = trunc i200 %h0 to i64
  %hh0 = lshr i200 %r1, 136
  %t0 = trunc i200 %hh0 to i64
  %x0 = xor i64 %lo0, %m0
  %y0 = add i64 %x0, %t0
  %lo1 = trunc i200 %r2 to i64
  %h1 = lshr i200 %r2, 64
  %m1 = trunc i200 %h1 to i64
  %hh1 = lshr i200 %r2, 136
  %t1 = trunc i200 %hh1 to i64
  %x1 = xor i64 %lo1, %m1
  %y1 = add i64 %x1, %t1
  %z1 = mul i64 %y0, 31
  %w1 = add i64 %z1, %y1
  %lo2 = trunc i200 %r3 to i64
  %h2 = lshr i200 %r3, 64
  %m2 = trunc i200 %h2 to i64
  %hh2 = lshr i200 %r3, 136
  %t2 = trunc i200 %hh2 to i64
  %x2 = xor i64 %lo2, %m2
  %y2 = add i64 %x2, %t2
  %z2 = mul i64 %w1, 31
  %w2 = add i64 %z2, %y2
  %lo3 = trunc i200 %r4 to i64
  %h3 = lshr i200 %r4, 64
  %m3 = trunc i200 %h3 to i64
  %hh3 = lshr i200 %r4, 136
  %t3 = trunc i200 %hh3 to i64
  %x3 = xor i64 %lo3, %m3
  %y3 = add i64 %x3, %t3
  %z3 = mul i64 %w2, 31
  %w3 = add i64 %z3, %y3
  ret i64 %w3
}

; Overflow is told, or ends at the limit.
define i64 @checked(i64 %x, i64 %y) {
  %za = zext i64 %x to i200
  %sb = sext i64 %y to i200
  %up = shl i200 %za, 130
  %mix = xor i200 %up, %sb
  %a = mul i200 %mix, 340282366920938463463374607431768211507
  %down = lshr i200 %a, 77
  %b = add i200 %down, %sb
  %p1 = call { i200, i1 } @llvm.sadd.with.overflow.i200(i200 %a, i200 %b)
  %p2 = call { i200, i1 } @llvm.umul.with.overflow.i200(i200 %a, i200 %sb)
  %f1 = extractvalue { i200, i1 } %p1, 1
  %f2 = extractvalue { i200, i1 } %p2, 1
  %v1 = extractvalue { i200, i1 } %p1, 0
  %v2 = extractvalue { i200, i1 } %p2, 0
  %r1 = select i1 %f1, i200 %v2, i200 5
  %r2 = select i1 %f2, i200 %v1, i200 7
  %r3 = call i200 @llvm.sadd.sat.i200(i200 %a, i200 %a)
  %r4 = call i200 @llvm.usub.sat.i200(i200 %a, i200 %b)
  %lo0 = trunc i200 %r1 to i64
  %h0 = lshr i200 %r1, 64
  %m0 = trunc i200 %h0 to i64
  %hh0 = lshr i200 %r1, 136
  %t0 = trunc i200 %hh0 to i64
  %x0 = xor i64 %lo0, %m0
  %y0 = add i64 %x0, %t0
  %lo1 = trunc i200 %r2 to i64
  %h1 = lshr i200 %r2, 64
  %m1 = trunc i200 %h1 to i64
  %hh1 = lshr i200 %r2, 136
  %t1 = trunc i200 %hh1 to i64
  %x1 = xor i64 %lo1, %m1
  %y1 = add i64 %x1, %t1
  %z1 = mul i64 %y0, 31
  %w1 = add i64 %z1, %y1
  %lo2 = trunc i200 %r3 to i64
  %h2 = lshr i200 %r3, 64
  %m2 = trunc i200 %h2 to i64
  %hh2 = lshr i200 %r3, 136
  %t2 = trunc i200 %hh2 to i64
  %x2 = xor i64 %lo2, %m2
  %y2 = add i64 %x2, %t2
  %z2 = mul i64 %w1, 31
  %w2 = add i64 %z2, %y2
  %lo3 = trunc i200 %r4 to i64
  %h3 = lshr i200 %r4, 64
  %m3 = trunc i200 %h3 to i64
  %hh3 = lshr i200 %r4, 136
  %t3 = trunc i200 %hh3 to i64
  %x3 = xor i64 %lo3, %m3
  %y3 = add i64 %x3, %t3
  %z3 = mul i64 %w2, 31
  %w3 = add i64 %z3, %y3
  ret i64 %w3
}

; To the nearest double and back.
define i64 @floats(i64 %x, i64 %y) {
  %za = zext i64 %x to i200
  %sb = sext i64 %y to i200
  %up = shl i200 %za, 130
  %mix = xor i200 %up, %sb
  %a = mul i200 %mix, 340282366920938463463374607431768211507
  %down = lshr i200 %a, 77
  %b = add i200 %down, %sb
  %d1 = sitofp i200 %a to double
  %d2 = uitofp i200 %b to double
  %q = fdiv double %d2, 1.000000e+03
  %r1 = fptosi double %d1 to i200
  %r2 = fptoui double %q to i200
  %lo0 = trunc i200 %r1 to i64
  %h0 = lshr i200 %r1, 64
  %m0 = trunc i200 %h0 to i64
  %hh0 = lshr i200 %r1, 136
  %t0 = trunc i200 %hh0 to i64
  %x0 = xor i64 %lo0, %m0
  %y0 = add i64 %x0, %t0
  %lo1 = trunc i200 %r2 to i64
  %h1 = lshr i200 %r2, 64
  %m1 = trunc i200 %h1 to i64
  %hh1 = lshr i200 %r2, 136
  %t1 = trunc i200 %hh1 to i64
  %x1 = xor i64 %lo1, %m1
  %y1 = add i64 %x1, %t1
  %z1 = mul i64 %y0, 31
  %w1 = add i64 %z1, %y1
  ret i64 %w1
}

; A switch, phis, and narrower types.
define i64 @cases(i64 %x, i64 %y) {
  %za = zext i64 %x to i200
  %sb = sext i64 %y to i200
  %up = shl i200 %za, 130
  %mix = xor i200 %up, %sb
  %a = mul i200 %mix, 340282366920938463463374607431768211507
  %down = lshr i200 %a, 77
  %b = add i200 %down, %sb
  %small = sext i64 %y to i200
  switch i200 %small, label %other [
    i200 1, label %one
    i200 -2, label %minus
  ]
one:
  br label %join
minus:
  br label %join
other:
  br label %join
join:
  %r1 = phi i200 [ %a, %one ], [ %b, %minus ], [ 170141183460469231731687303715884105727, %other ]
  %n = trunc i200 %r1 to i100
  %r2 = sext i100 %n to i200
  %lo0 = trunc i200 %r1 to i64
  %h0 = lshr i200 %r1, 64
  %m0 = trunc i200 %h0 to i64
  %hh0 = lshr i200 %r1, 136
  %t0 = trunc i200 %hh0 to i64
  %x0 = xor i64 %lo0, %m0
  %y0 = add i64 %x0, %t0
  %lo1 = trunc i200 %r2 to i64
  %h1 = lshr i200 %r2, 64
  %m1 = trunc i200 %h1 to i64
  %hh1 = lshr i200 %r2, 136
  %t1 = trunc i200 %hh1 to i64
  %x1 = xor i64 %lo1, %m1
  %y1 = add i64 %x1, %t1
  %z1 = mul i64 %y0, 31
  %w1 = add i64 %z1, %y1
  ret i64 %w1
}

declare i200 @llvm.abs.i200(i200, i1)
declare i200 @llvm.bitreverse.i200(i200)
declare i200 @llvm.ctlz.i200(i200, i1)
declare i200 @llvm.ctpop.i200(i200)
declare i200 @llvm.cttz.i200(i200, i1)
declare i200 @llvm.fshl.i200(i200, i200, i200)
declare i200 @llvm.sadd.sat.i200(i200, i200)
declare i200 @llvm.smax.i200(i200, i200)
declare i200 @llvm.usub.sat.i200(i200, i200)
declare { i200, i1 } @llvm.sadd.with.overflow.i200(i200, i200)
declare { i200, i1 } @llvm.umul.with.overflow.i200(i200, i200)
