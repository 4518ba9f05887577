; Constants as operands: immediates, constants of the function, and expressions that become instructions.
@x = external global [10 x i32]
@y = external global i8
@t = external thread_local global i32

define void @kinds(ptr %p) {
  store i32 536870911, ptr %p
  store i32 536870912, ptr %p
  store i64 -9223372036854775808, ptr %p
  store i1 true, ptr %p
  store i24 -5, ptr %p
  store i128 170141183460469231731687303715884105727, ptr %p
  store float 1.5, ptr %p
  store double -0.0, ptr %p
  store half 0xH3C00, ptr %p
  store x86_fp80 0xK3FFF8000000000000000, ptr %p
  store fp128 0xL00000000000000003FFF000000000000, ptr %p
  store i32 undef, ptr %p
  store i32 poison, ptr %p
  store ptr null, ptr %p
  store ptr getelementptr (i8, ptr @x, i64 8), ptr %p
  store i64 ptrtoint (ptr @y to i64), ptr %p
  store ptr inttoptr (i64 -1 to ptr), ptr %p
  store ptr inttoptr (i64 81985529216486895 to ptr), ptr %p
  store ptr blockaddress(@blocks, %second), ptr %p
  ret void
}

define void @vectors(ptr %p) {
  store <4 x i32> <i32 1, i32 -2, i32 poison, i32 1000000000>, ptr %p
  store <4 x i32> zeroinitializer, ptr %p
  store <2 x double> <double 1.0, double 2.0>, ptr %p
  store <16 x i8> <i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7, i8 8, i8 9, i8 10, i8 11, i8 12, i8 13, i8 14, i8 15, i8 -1>, ptr %p
  store <2 x ptr> <ptr @y, ptr null>, ptr %p
  ret void
}

define i64 @expressions(ptr %p) {
  store i32 trunc (i64 sub (i64 ptrtoint (ptr @y to i64), i64 ptrtoint (ptr @x to i64)) to i32), ptr %p
  ret i64 sub (i64 ptrtoint (ptr @y to i64), i64 ptrtoint (ptr @x to i64))
}

define i64 @in_phi(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %r = phi i64 [ sub (i64 ptrtoint (ptr @y to i64), i64 ptrtoint (ptr @x to i64)), %a ], [ 3, %entry ]
  ret i64 %r
}

define i32 @thread_local() {
  %a = call ptr @llvm.threadlocal.address.p0(ptr @t)
  %v = load i32, ptr %a
  ret i32 %v
}

define void @blocks(ptr %p) {
  indirectbr ptr %p, [label %first, label %second]
first:
  ret void
second:
  ret void
}

define i8 @casts_of_constants(ptr %p) {
  %a = trunc i32 ptrtoint (ptr @y to i32) to i8
  ret i8 %a
}

declare ptr @llvm.threadlocal.address.p0(ptr)
