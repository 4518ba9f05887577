; Symbols that stand for numbers are never reached relative to the code.
target triple = "x86_64-pc-linux-gnu"

@small = external hidden global i8, !absolute_symbol !0
@any = external global i8, !absolute_symbol !1

define i64 @add_small(i64 %x) {
  %sum = add i64 %x, ptrtoint (ptr @small to i64)
  ret i64 %sum
}

define ptr @any_plus() {
  ret ptr getelementptr (i8, ptr @any, i64 5)
}

define i1 @is_any(ptr %x) {
  %same = icmp eq ptr %x, @any
  ret i1 %same
}

!0 = !{i64 0, i64 256}
!1 = !{i64 -1, i64 -1}
