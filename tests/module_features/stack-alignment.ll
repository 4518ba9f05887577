; Stacks that are aligned to more than a page.
target triple = "x86_64-pc-linux-gnu"

define void @f() {
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"override-stack-alignment", i32 8192}
