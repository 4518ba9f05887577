; Every kind of symbol and section that objects distinguish. Assembled: llvm-as-22 objects.ll -o objects.bc

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

$group = comdat any
$leader = comdat any
$kept_twice = comdat nodeduplicate

@.str = private unnamed_addr constant [6 x i8] c"hello\00", align 1
@aligned_text = private unnamed_addr constant [18 x i8] c"hello \22quoted\22 \0A\\\00", align 16
@eight = private unnamed_addr constant i64 72623859790382856, align 8
@0 = private unnamed_addr constant [2 x i32] [i32 1, i32 2], align 4
@retained = internal global i32 5
@retained_in_section = global i32 6, section "mysec"
@in_section = global i32 6, section "mysec"
@zero_in_section = global i32 0, section "zsec"
@pointer = constant ptr @called, align 8
@pointers = internal constant [3 x ptr] [ptr @retained, ptr getelementptr (i8, ptr @.str, i64 2), ptr @undefined], align 8
@distance = constant i32 trunc (i64 sub (i64 ptrtoint (ptr @called to i64), i64 ptrtoint (ptr @distance to i64)) to i32)
@number = constant i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @number, i64 24) to i64), i64 ptrtoint (ptr @number to i64))
@thread = thread_local global i32 3
@thread_zero = internal thread_local global i32 0
@shared_zero = common global [10 x i32] zeroinitializer, align 16
@zero = internal global [1000 x i64] zeroinitializer, align 32
@empty = global {} zeroinitializer
@mixed = global { i8, [40 x i8], i16, ptr, [3 x i8] } { i8 1, [40 x i8] zeroinitializer, i16 -2, ptr @mixed, [3 x i8] c"a\00b" }
@weak = weak global i32 3
@weak_elsewhere = extern_weak global i32
@hidden = hidden global i32 1
@protected = protected global i32 2
@hidden_elsewhere = external hidden global i32
@undefined = external global i32
@in_group = linkonce_odr constant i32 4, comdat($group)
@"name with spaces and \22quotes\22" = global i32 1
@"\01verbatim" = global i32 1
@elsewhere = available_externally global i32 9
@number_alias = alias i32, ptr @retained_in_section
@inner_alias = internal alias i8, getelementptr (i8, ptr @retained_in_section, i64 2)
@function_alias = weak alias void (), ptr @called
@chosen = ifunc void (), ptr @resolver
@llvm.used = appending global [3 x ptr] [ptr @retained, ptr @retained_in_section, ptr @constructor], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr @zero], section "llvm.metadata"
@llvm.global_ctors = appending global [3 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @constructor, ptr null }, { i32, ptr, ptr } { i32 101, ptr @constructor, ptr null }, { i32, ptr, ptr } { i32 65535, ptr @constructor, ptr @in_group }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 7, ptr @constructor, ptr null }]

declare void @elsewhere_function()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @constructor() {
  call void @called()
  %value = load i32, ptr @weak_elsewhere
  %small = trunc i32 %value to i8
  store i8 %small, ptr @inner_alias
  %other = load i32, ptr @hidden_elsewhere
  store i32 %other, ptr @zero
  ret void
}

define linkonce_odr void @grouped() comdat($group) {
  call void @constructor()
  ret void
}

define linkonce_odr hidden void @leader() comdat {
  call void @grouped()
  ret void
}

define void @kept() comdat($kept_twice) {
  ret void
}

define void @called() nounwind align 64 {
  ret void
}

define void @own_section() section ".text.hot.own" {
  call void @chosen()
  ret void
}

define ptr @resolver() {
  ret ptr @called
}

define available_externally void @inlined() {
  ret void
}

define double @constants(i32 %which, double %x) uwtable {
entry:
  call void @inlined()
  switch i32 %which, label %other [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %two
    i32 3, label %zero
    i32 4, label %one
    i32 5, label %two
    i32 6, label %other
    i32 7, label %zero
  ]
zero:
  %sum = fadd double %x, 1.5
  ret double %sum
one:
  %product = fmul double %x, 2.5
  ret double %product
two:
  %quotient = fdiv double 1.5, %x
  ret double %quotient
other:
  call void @elsewhere_function()
  %first = load i64, ptr @eight
  %second = load i64, ptr @0
  %third = load i8, ptr @aligned_text
  %fourth = load i8, ptr @.str
  %wide = zext i8 %third to i64
  %wider = zext i8 %fourth to i64
  %a = add i64 %first, %second
  %b = add i64 %a, %wide
  %c = add i64 %b, %wider
  %result = sitofp i64 %c to double
  ret double %result
}

define void @copies(ptr %to, ptr %from, i64 %size) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %size, i1 false)
  ret void
}
