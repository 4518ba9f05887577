; Data and another function name blocks of a function in which division of wide integers takes more blocks.
target triple = "x86_64-unknown-linux-gnu"
@t = global [2 x ptr] [ptr blockaddress(@f, %b), ptr blockaddress(@f, %c)]
define ptr @other(i32 %k) {
  %z = icmp eq i32 %k, 0
  %r = select i1 %z, ptr blockaddress(@f, %b), ptr blockaddress(@f, %c)
  ret ptr %r
}
define ptr @f(ptr %p, ptr %q, i32 %k) {
  %x = load i256, ptr %p
  %y = load i256, ptr %q
  %d = udiv i256 %x, %y
  store i256 %d, ptr %p
  %z = icmp eq i32 %k, 0
  %w = select i1 %z, ptr blockaddress(@f, %b), ptr blockaddress(@f, %c)
  indirectbr ptr %w, [label %b, label %c]
b:
  %e = urem i256 %x, %d
  store i256 %e, ptr %q
  ret ptr blockaddress(@f, %b)
c:
  ret ptr blockaddress(@f, %c)
}
