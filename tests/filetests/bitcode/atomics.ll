; Atomic accesses that are more than one instruction.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; A block of the file that becomes several is named by a phi, and its value before it is defined.
define i32 @integer(ptr %p, i32 %v, i1 %c) {
entry:
  br i1 %c, label %update, label %other
use:
  %r = phi i32 [ %x, %update ], [ %v, %other ]
  ret i32 %r
update:
  %x = atomicrmw volatile udec_wrap ptr %p, i32 %v acq_rel, align 2
  br label %use
other:
  br label %use
}

define double @extreme(ptr %p, double %v) {
  %x = atomicrmw fmaximum ptr %p, double %v release, align 4
  ret double %x
}

define <2 x float> @vector(ptr %p) {
  %x = atomicrmw fmin ptr %p, <2 x float> zeroinitializer monotonic, align 8
  store atomic <2 x float> %x, ptr %p seq_cst, align 8
  %y = load atomic <2 x float>, ptr %p acquire, align 8
  ret <2 x float> %y
}

define i128 @signed(ptr %p, i128 %v) {
  %x = atomicrmw max ptr %p, i128 %v seq_cst, align 16
  %y = atomicrmw add ptr %p, i128 %x seq_cst, align 16
  ret i128 %y
}

define i1 @wide(ptr %p, ptr %q) {
  %v = load atomic i256, ptr %p acquire, align 32
  %x = atomicrmw xchg ptr %p, i256 %v seq_cst, align 32
  %y = atomicrmw and ptr %p, i256 %x acq_rel, align 1
  store atomic i256 %y, ptr %q release, align 32
  %z = cmpxchg ptr %p, i256 %y, i256 3 release acquire, align 32
  %r = extractvalue { i256, i1 } %z, 1
  ret i1 %r
}

define void @elements(ptr %p, ptr %q, i64 %n, i8 %b) {
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 %n, i32 4)
  call void @llvm.memmove.element.unordered.atomic.p0.p0.i32(ptr align 16 %p, ptr align 16 %q, i32 32, i32 16)
  call void @llvm.memset.element.unordered.atomic.p0.i64(ptr align 1 %p, i8 %b, i64 %n, i32 1)
  ret void
}

declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)
declare void @llvm.memmove.element.unordered.atomic.p0.p0.i32(ptr, ptr, i32, i32)
declare void @llvm.memset.element.unordered.atomic.p0.i64(ptr, i8, i64, i32)
