; Functions at whose beginning a short jump can be written.
target triple = "x86_64-pc-linux-gnu"
declare void @g()

define void @small() nounwind "patchable-function"="prologue-short-redirect" {
  ret void
}

define void @calling() optsize "patchable-function"="prologue-short-redirect" {
  call void @g()
  call void @g()
  ret void
}
