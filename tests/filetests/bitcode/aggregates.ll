; First-class aggregates are several values.
%inner = type { i8, float }
%outer = type { i32, [2 x %inner], ptr }

declare { i64, ptr } @pair(ptr, { i32, double })

define %outer @build(i8 %b, float %f, ptr %p) {
  %a = insertvalue %outer poison, i32 7, 0
  %c = insertvalue %outer %a, i8 %b, 1, 1, 0
  %i = insertvalue %inner undef, float %f, 1
  %d = insertvalue %outer %c, %inner %i, 1, 0
  %e = insertvalue %outer %d, ptr %p, 2
  ret %outer %e
}

define float @take(%outer %o) {
  %i = extractvalue %outer %o, 1, 1
  %f = extractvalue %inner %i, 1
  ret float %f
}

define void @memory(ptr %p, ptr %q) {
  %o = load %outer, ptr %p, align 8
  store %outer %o, ptr %q, align 4
  store { i16, i16 } zeroinitializer, ptr %q, align 1
  ret void
}

define i64 @through_calls(ptr %p, { i32, double } %d, i1 %c) {
entry:
  %a = call { i64, ptr } @pair(ptr %p, { i32, double } %d)
  br i1 %c, label %left, label %right
left:
  %b = freeze { i64, ptr } %a
  br label %right
right:
  %m = phi { i64, ptr } [ %a, %entry ], [ %b, %left ]
  %s = select i1 %c, { i64, ptr } %m, { i64, ptr } { i64 1, ptr null }
  %x = extractvalue { i64, ptr } %s, 0
  ret i64 %x
}

define i32 @loop_carried(i32 %n) {
entry:
  br label %loop
loop:
  %state = phi { i32, i32 } [ zeroinitializer, %entry ], [ %next, %loop ]
  %i = extractvalue { i32, i32 } %state, 0
  %sum = extractvalue { i32, i32 } %state, 1
  %i2 = add i32 %i, 1
  %sum2 = add i32 %sum, %i
  %t = insertvalue { i32, i32 } poison, i32 %i2, 0
  %next = insertvalue { i32, i32 } %t, i32 %sum2, 1
  %more = icmp ult i32 %i2, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %sum2
}

define { i32, i1 } @overflow(i32 %a, i32 %b) {
  %r = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %a, i32 %b)
  ret { i32, i1 } %r
}
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
