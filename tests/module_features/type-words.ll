; Words before functions by which callers find out their types (clang's -fsanitize=function): alone, behind data and
; behind filler.
target triple = "x86_64-unknown-linux-gnu"

@variable = global i32 0

define void @typed() !func_sanitize !0 {
  ret void
}

define void @filled() "patchable-function-prefix"="3" "patchable-function-entry"="2" !func_sanitize !1 {
  ret void
}

define void @behind_number() "patchable-function-prefix"="2" prefix i32 7 !func_sanitize !0 {
  ret void
}

define void @behind_address() prefix ptr @variable !func_sanitize !1 {
  ret void
}

define void @untyped() prefix i32 9 {
  ret void
}

!0 = !{i32 -1056584962, i32 -897942929}
!1 = !{i32 -1056584962, i32 490069349}
