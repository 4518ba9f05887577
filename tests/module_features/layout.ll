; A module that does not say how things are laid out: the target does.
%t = type { i32, i64, i128, x86_fp80 }
@g = global %t { i32 1, i64 2, i128 3, x86_fp80 0xK3FFF8000000000000000 }
define i64 @f(ptr %p) {
  %q = getelementptr %t, ptr %p, i32 0, i32 2
  %r = load i64, ptr %q
  ret i64 %r
}
