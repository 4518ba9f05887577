; Atomic accesses that are library calls: not aligned to their size, or of 16 bytes without cmpxchg16b.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define i128 @load16(ptr %p) {
  %x = load atomic i128, ptr %p acquire, align 16
  ret i128 %x
}

define void @store16(ptr %p, i128 %v) {
  store atomic i128 %v, ptr %p release, align 16
  ret void
}

define i128 @exchange16(ptr %p, i128 %v) {
  %x = atomicrmw xchg ptr %p, i128 %v seq_cst, align 16
  ret i128 %x
}

define i128 @updates16(ptr %p, i128 %v) {
  %a = atomicrmw add ptr %p, i128 %v seq_cst, align 16
  %b = atomicrmw sub ptr %p, i128 7 acquire, align 16
  %c = atomicrmw and ptr %p, i128 -2 seq_cst, align 16
  %d = atomicrmw or ptr %p, i128 %v release, align 16
  %e = atomicrmw xor ptr %p, i128 %a monotonic, align 16
  %f = atomicrmw nand ptr %p, i128 %b seq_cst, align 16
  %s1 = add i128 %a, %b
  %s2 = add i128 %s1, %c
  %s3 = mul i128 %s2, 3
  %s4 = add i128 %s3, %d
  %s5 = xor i128 %s4, %e
  %s6 = add i128 %s5, %f
  ret i128 %s6
}

define i1 @compare16(ptr %p, i128 %e, i128 %v, ptr %old) {
  %x = cmpxchg ptr %p, i128 %e, i128 %v acq_rel monotonic, align 16
  %a = extractvalue { i128, i1 } %x, 0
  %b = extractvalue { i128, i1 } %x, 1
  store i128 %a, ptr %old
  ret i1 %b
}

define i32 @load4(ptr %p) {
  %x = load atomic i32, ptr %p seq_cst, align 1
  ret i32 %x
}

define void @store4(ptr %p, i32 %v) {
  store atomic i32 %v, ptr %p monotonic, align 2
  ret void
}

define double @load8(ptr %p) {
  %x = load atomic double, ptr %p acquire, align 4
  ret double %x
}

define void @store8(ptr %p, double %v) {
  store atomic double %v, ptr %p seq_cst, align 1
  ret void
}

define i16 @exchange2(ptr %p, i16 %v) {
  %x = atomicrmw xchg ptr %p, i16 %v seq_cst, align 1
  ret i16 %x
}

define i1 @compare8(ptr %p, i64 %e, i64 %v, ptr %old) {
  %x = cmpxchg weak ptr %p, i64 %e, i64 %v release monotonic, align 1
  %a = extractvalue { i64, i1 } %x, 0
  %b = extractvalue { i64, i1 } %x, 1
  store i64 %a, ptr %old
  ret i1 %b
}

define i128 @exchange16_unaligned(ptr %p, i128 %v) {
  %x = atomicrmw xchg ptr %p, i128 %v acquire, align 8
  ret i128 %x
}
