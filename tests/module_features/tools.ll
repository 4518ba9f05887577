; What modules say to linkers and other tools.
target triple = "x86_64-pc-linux-gnu"

define void @f() {
  ret void
}

!llvm.ident = !{!0, !1}
!llvm.dependent-libraries = !{!2, !3}
!llvm.linker.options = !{!4, !5}
!llvm.commandline = !{!6}
!0 = !{!"somebody 1"}
!1 = !{!"somebody else \22quoted\22"}
!2 = !{!"pthread"}
!3 = !{!"m"}
!4 = !{!"first", !"second"}
!5 = !{!"third", !"fourth"}
!6 = !{!"-O7 -o a.out"}
