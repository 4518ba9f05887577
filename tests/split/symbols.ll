; What only few front ends write: relative tables, keys of constructors, associated variables, aliases into the middle of
; variables and with conventions, tables of addresses of blocks, variables of one section, copies for the optimizer.
target triple = "x86_64-unknown-linux-gnu"
@a = internal global i32 1, section "mine"
@b = internal global i32 2, section "mine"
@rel = private constant [2 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr @s1 to i64), i64 ptrtoint (ptr @rel to i64)) to i32), i32 trunc (i64 sub (i64 ptrtoint (ptr @s2 to i64), i64 ptrtoint (ptr @rel to i64)) to i32)]
@s1 = private constant [4 x i8] c"one\00"
@s2 = private unnamed_addr constant [4 x i8] c"two\00"
@0 = private constant i32 77
@assoc = internal global i32 3, section "assoc_sec", !associated !0
@tab = internal global [2 x ptr] [ptr blockaddress(@bb, %l1), ptr blockaddress(@bb, %l2)]
@al = internal alias i32, getelementptr (i8, ptr @pair, i64 4)
@pair = internal global [2 x i32] [i32 5, i32 6]
@tls = internal thread_local(localexec) global i32 9
@llvm.used = appending global [1 x ptr] [ptr @kept], section "llvm.metadata"
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @init, ptr @key }]
$key = comdat any
@key = linkonce_odr global i32 0, comdat
@str.dup = private unnamed_addr constant [6 x i8] c"hello\00"
declare i32 @puts(ptr)
declare i32 @printf(ptr, ...)
@fmt = private unnamed_addr constant [4 x i8] c"%d\0A\00"
define internal void @init() comdat($key) {
  store i32 42, ptr @key
  ret void
}
define internal i32 @kept() {
  ret i32 1
}
define internal ptr @getrel(i32 %i) {
  %p = getelementptr i32, ptr @rel, i32 %i
  %o = load i32, ptr %p
  %e = sext i32 %o to i64
  %q = getelementptr i8, ptr @rel, i64 %e
  ret ptr %q
}
define i32 @bb(i32 %i) {
  %p = getelementptr ptr, ptr @tab, i32 %i
  %t = load ptr, ptr %p
  indirectbr ptr %t, [label %l1, label %l2]
l1: ret i32 100
l2: ret i32 200
}
define fastcc i32 @fast(i32 %x) {
  %r = mul i32 %x, 3
  ret i32 %r
}
@fastal = internal alias i32 (i32), ptr @fast
define linkonce_odr i32 @lo() {
  %v = load i32, ptr @0
  ret i32 %v
}
define available_externally i32 @abs(i32 %x) {
  ret i32 %x
}
declare i32 @__gxx_personality_v0(...)
define i32 @pers() prefix i32 123 personality ptr @__gxx_personality_v0 {
  %v = load i32, ptr @a
  %w = load i32, ptr @b
  %z = add i32 %v, %w
  ret i32 %z
}
define void @show(i32 %x) {
  %r = call i32 (ptr, ...) @printf(ptr @fmt, i32 %x)
  ret void
}
define i32 @main() {
  %p = call ptr @getrel(i32 0)
  call i32 @puts(ptr %p)
  %p2 = call ptr @getrel(i32 1)
  call i32 @puts(ptr %p2)
  %b = call i32 @bb(i32 1)
  call void @show(i32 %b)
  %f = call fastcc i32 @fastal(i32 7)
  call void @show(i32 %f)
  %l = call i32 @lo()
  call void @show(i32 %l)
  %ab = call i32 @abs(i32 -4)
  call void @show(i32 %ab)
  %pe = call i32 @pers()
  call void @show(i32 %pe)
  %k = load i32, ptr @key
  call void @show(i32 %k)
  %x = load i32, ptr @al
  call void @show(i32 %x)
  %t = load i32, ptr @tls
  call void @show(i32 %t)
  %as = load i32, ptr @assoc
  call void @show(i32 %as)
  call i32 @puts(ptr @str.dup)
  ret i32 0
}
!0 = !{ptr @kept}
!1 = !{ptr @getrel}
!named = !{!1}
