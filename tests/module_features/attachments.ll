; Where symbols are placed by what is attached to them.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

$group = comdat any

@named = global i32 1, section "section_named", !section_prefix !0
@text = private unnamed_addr constant [4 x i8] c"abc\00", !section_prefix !0
@eight = private unnamed_addr constant i64 8, !section_prefix !0
@pointer = constant ptr @named, !section_prefix !0
@number = constant i32 1, !section_prefix !0
@written = internal global i32 4, !section_prefix !0
@zero = global i32 0, !section_prefix !1
@common = common global i32 0, !section_prefix !0
@thread = thread_local global i32 3, !section_prefix !0
@gone = external global i32
@with_gone = global i32 1, section "ordered", !associated !2
@with_named = global i32 1, section "ordered", !associated !3
@with_named_too = global i32 2, section "ordered", !associated !3
@with_none = global i32 3, section "ordered"
@null = global i32 4, !associated !4
@plain = global i32 5, !associated !3
@excluded = global i32 0, section "section_excluded", !exclude !5
@excluded_code_name = constant i32 1, !exclude !5
@ordered_and_excluded = global i32 1, section "both", !exclude !5, !associated !3
@note = constant [3 x i8] c"abc", section ".note.mine", !exclude !5
@group = global i32 2, comdat, !associated !3
@retained = global i32 1, !associated !6
@thread_with = thread_local global i32 1, !associated !6
@uses = global [6 x ptr] [ptr @text, ptr @eight, ptr @written, ptr @gone, ptr @hot, ptr @cold]
@llvm.used = appending global [1 x ptr] [ptr @retained], section "llvm.metadata"

define void @hot() !section_prefix !0 {
  ret void
}

define void @cold() !section_prefix !1 {
  ret void
}

define void @hot_with() !section_prefix !0 !associated !3 {
  ret void
}

define void @named_with() section "code" !associated !6 {
  ret void
}

define void @not_excluded() section "loaded" !exclude !5 {
  ret void
}

define void @plain_code() {
  ret void
}

!0 = !{!"section_prefix", !"hot"}
!1 = !{!"section_prefix", !"unlikely"}
!2 = !{ptr @gone}
!3 = !{ptr @named}
!4 = !{ptr null}
!5 = !{}
!6 = !{ptr @hot}
