; Functions that begin with room for code of others, or call a counter, and symbols with partitions.
target triple = "x86_64-pc-linux-gnu"
!llvm.module.flags = !{!0}
!0 = !{i32 8, !"cf-protection-branch", i32 1}

$group = comdat any

declare void @ext()

define void @entry() "patchable-function-entry"="2" {
  ret void
}

define void @both() "patchable-function-entry"="3" "patchable-function-prefix"="2" {
  ret void
}

define void @prefix() "patchable-function-prefix"="2" {
  call void @ext()
  ret void
}

define void @long() "patchable-function-entry"="9" {
  call void @ext()
  ret void
}

define void @none() "patchable-function-entry"="0" "fentry-call"="false" {
  ret void
}

define void @group() "patchable-function-entry"="1" comdat {
  ret void
}

define void @counted() "fentry-call"="true" {
  call void @ext()
  ret void
}

define void @part() partition "part1" {
  ret void
}

define hidden void @hidden() partition "part1" {
  ret void
}

@data = global i32 1, partition "part2"
