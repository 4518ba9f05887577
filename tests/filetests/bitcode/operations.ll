; Flags, atomics, vectors, control flow, values that are named before they are defined.
define i32 @flags(i32 %a, i32 %b, float %f) {
  %v0 = add nuw nsw i32 %a, %b
  %v1 = sdiv exact i32 %v0, %b
  %v2 = or disjoint i32 %v1, %a
  %v3 = zext nneg i32 %v2 to i64
  %v4 = trunc nuw i64 %v3 to i16
  %v5 = icmp samesign ult i32 %v2, %a
  %v6 = fadd fast float %f, 1.0
  %v7 = fcmp nnan olt float %v6, %f
  %v8 = fneg ninf float %v6
  %v9 = and i1 %v5, %v7
  %v10 = sext i16 %v4 to i32
  %v11 = select i1 %v9, i32 %v10, i32 4
  ret i32 %v11
}

define i64 @atomics(ptr %p, i64 %x) {
  %a = load atomic i64, ptr %p acquire, align 8
  store atomic volatile i64 %a, ptr %p syncscope("singlethread") release, align 8
  %b = atomicrmw umax ptr %p, i64 %x acq_rel, align 8
  %c = cmpxchg weak ptr %p, i64 %b, i64 %x release acquire, align 8
  %d = extractvalue { i64, i1 } %c, 0
  fence seq_cst
  ret i64 %d
}

define <4 x i32> @vectors(<4 x i32> %a, <4 x i32> %b, i32 %i) {
  %c = icmp sgt <4 x i32> %a, %b
  %d = select <4 x i1> %c, <4 x i32> %a, <4 x i32> %b
  %e = shufflevector <4 x i32> %d, <4 x i32> poison, <4 x i32> <i32 3, i32 poison, i32 1, i32 0>
  %f = extractelement <4 x i32> %e, i32 %i
  %g = insertelement <4 x i32> %a, i32 %f, i64 2
  ret <4 x i32> %g
}

define i32 @switches(i32 %x) {
entry:
  switch i32 %x, label %other [
    i32 1, label %same
    i32 2, label %same
    i32 -2147483648, label %other
  ]
same:
  %s = phi i32 [ 10, %entry ], [ 10, %entry ]
  br label %other
other:
  %r = phi i32 [ 20, %entry ], [ 20, %entry ], [ %s, %same ]
  ret i32 %r
}

define i32 @forward(i1 %c) {
entry:
  br label %second
first:
  %a = add i32 %b, 1
  %m = mul i64 %wide, 3
  ret i32 %a
second:
  %b = select i1 %c, i32 5, i32 6
  %wide = zext i32 %b to i64
  br label %first
}

define i32 @loop(i32 %n, i1 %early) {
entry:
  br i1 %early, label %loop, label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret i32 %next
}
