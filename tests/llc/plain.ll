; A function without calls and without variables of threads, for systems and models that differ in those.

@counter = global i32 0

define i32 @count(i32 %x) {
  %old = load i32, ptr @counter
  %new = add i32 %old, %x
  store i32 %new, ptr @counter
  ret i32 %new
}
