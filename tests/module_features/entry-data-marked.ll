; As entry-data.ll, with marks for indirect branches.
target triple = "x86_64-pc-linux-gnu"

@table = internal constant [2 x i32] [i32 5, i32 6]
@outside = external global i32

; Numbers before the symbol.
define i32 @number() nounwind prefix i32 123456789 {
  ret i32 1
}

; The type's size counts, and zeros stand at its end.
define i32 @padded() nounwind prefix { i32, i8, [5 x i16], i8 } { i32 1, i8 2, [5 x i16] zeroinitializer, i8 0 } {
  ret i32 2
}

; Addresses, distances and a difference within this object, as an interpreter's tables have them.
define i32 @addresses() nounwind prefix <{ ptr, ptr, i32, i32, i64 }> <{
    ptr @number,
    ptr @outside,
    i32 trunc (i64 sub (i64 ptrtoint (ptr @table to i64), i64 ptrtoint (ptr @addresses to i64)) to i32),
    i32 trunc (i64 sub (i64 ptrtoint (ptr @padded to i64), i64 ptrtoint (ptr @addresses to i64)) to i32),
    i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @addresses, i64 1) to i64), i64 ptrtoint (ptr @number to i64)) }> {
  ret i32 3
}

; An address alone.
define i32 @address() nounwind align 32 prefix ptr @table {
  ret i32 4
}

; A jump over data (`jmp .+6`), as sanitizers of calls put it, then what is executed.
define i32 @jumped(i32 %x) prologue <{ i8, i8, i32 }> <{ i8 235, i8 4, i32 305419896 }> {
  %r = call i32 @number()
  %s = add i32 %r, %x
  ret i32 %s
}

; A jump of six bytes over the address of another function, and a loop whose beginning is aligned.
define i32 @addressed(i32 %n) nounwind prologue <{ i8, i8, ptr, i32 }> <{ i8 235, i8 12, ptr @jumped,
    i32 trunc (i64 sub (i64 ptrtoint (ptr @table to i64), i64 ptrtoint (ptr @addressed to i64)) to i32) }> {
entry:
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %j, %loop ]
  %s = phi i32 [ 0, %entry ], [ %t, %loop ]
  %t = add i32 %s, %i
  %j = sub i32 %i, 1
  %c = icmp eq i32 %j, 0
  br i1 %c, label %out, label %loop
out:
  ret i32 %t
}

; Everything at once: data, filler, symbol, data, mark, filler, code. Three nops are the data that is executed.
define i32 @everything(i32 %x) uwtable "patchable-function-entry"="2" "patchable-function-prefix"="3" prefix i64 72623859790382856 prologue [3 x i8] c"\90\90\90" {
  %r = call i32 @jumped(i32 %x)
  ret i32 %r
}

define i32 @entered(i32 %x) "patchable-function-entry"="1" prologue i8 144 {
  %r = call i32 @jumped(i32 %x)
  ret i32 %r
}

; Exceptions, jump tables and addresses of blocks count from the symbol.
declare i32 @thrower(i32)
declare i32 @__gxx_personality_v0(...)

define i32 @caught(i32 %x) prefix i32 77 prologue <{ i8, i8, i64 }> <{ i8 235, i8 8, i64 -1 }> personality ptr @__gxx_personality_v0 {
entry:
  %r = invoke i32 @thrower(i32 %x) to label %fine unwind label %lands
fine:
  ret i32 %r
lands:
  %pad = landingpad { ptr, i32 } catch ptr null
  %object = extractvalue { ptr, i32 } %pad, 0
  %begun = call ptr @__cxa_begin_catch(ptr %object)
  %value = load i32, ptr %begun
  call void @__cxa_end_catch()
  %negative = sub i32 0, %value
  ret i32 %negative
}

declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()

@places = constant [2 x ptr] [ptr blockaddress(@computed, %one), ptr blockaddress(@computed, %two)]

define i32 @computed(i32 %x) nounwind prefix ptr blockaddress(@computed, %two) prologue i16 37008 {
  %place = getelementptr ptr, ptr @places, i32 %x
  %to = load ptr, ptr %place
  indirectbr ptr %to, [label %one, label %two]
one:
  ret i32 11
two:
  ret i32 12
}

define i32 @chosen(i32 %x) nounwind prologue i16 37008 {
  switch i32 %x, label %other [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %two
    i32 3, label %three
    i32 4, label %four
  ]
zero:
  ret i32 14
one:
  ret i32 3
two:
  ret i32 77
three:
  ret i32 -4
four:
  ret i32 8
other:
  ret i32 100
}

!llvm.module.flags = !{!0}
!0 = !{i32 8, !"cf-protection-branch", i32 1}
