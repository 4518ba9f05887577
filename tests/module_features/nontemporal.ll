; Stores, and loads with SSE 4.1, that do not go through caches.
target triple = "x86_64-pc-linux-gnu"

define void @stores(ptr %p, i32 %a, i64 %b, <4 x i32> %c, <2 x double> %d, <4 x float> %e) {
  store i32 %a, ptr %p, !nontemporal !0
  %p8 = getelementptr i8, ptr %p, i64 8
  store i64 %b, ptr %p8, align 8, !nontemporal !0
  %p16 = getelementptr i8, ptr %p, i64 16
  store <4 x i32> %c, ptr %p16, align 16, !nontemporal !0
  %p32 = getelementptr i8, ptr %p, i64 32
  store <2 x double> %d, ptr %p32, align 16, !nontemporal !0
  %p48 = getelementptr i8, ptr %p, i64 48
  store <4 x float> %e, ptr %p48, align 16, !nontemporal !0
  ret void
}

define void @narrow(ptr %p, i8 %a, i16 %b, float %c) {
  store i8 %a, ptr %p, !nontemporal !0
  %p2 = getelementptr i8, ptr %p, i64 2
  store i16 %b, ptr %p2, !nontemporal !0
  %p4 = getelementptr i8, ptr %p, i64 4
  store float %c, ptr %p4, !nontemporal !0
  ret void
}

; Marks name instructions by their numbers: others stand before, with phis, calls and constants.
define i64 @loop(ptr %p, i64 %n) {
entry:
  %cond = icmp eq i64 %n, 0
  br i1 %cond, label %out, label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  %at = getelementptr i64, ptr %p, i64 %i
  %old = load i64, ptr %at
  %new = add i64 %old, %i
  store i64 %new, ptr %at, !nontemporal !0
  store i64 %old, ptr %p
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %turn, label %out
out:
  %result = load i64, ptr %p
  ret i64 %result
}

; The node is one that no other function names.
define void @own(ptr %p, i64 %b) {
  store i64 %b, ptr %p, !nontemporal !1
  ret void
}

define <4 x i32> @loads(ptr %p) "target-features"="+sse4.1" {
  %v = load <4 x i32>, ptr %p, align 16, !nontemporal !0
  ret <4 x i32> %v
}

define void @plain(ptr %p, i64 %b) {
  store i64 %b, ptr %p
  ret void
}

!0 = !{i32 1}
!1 = !{i32 1}
