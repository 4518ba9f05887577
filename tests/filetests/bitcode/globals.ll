; Initialisers become bytes and relocations; symbols keep what the linker must know.
source_filename = "globals.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%node = type { i8, ptr, [3 x i16] }

$group = comdat any
$largest = comdat largest

@text = private unnamed_addr constant [6 x i8] c"hello\00", align 1
@bytes = constant [4 x i8] c"\01\02\00\00"
@zero = global [100 x i32] zeroinitializer, align 16
@trailing = internal global <{ i32, [99 x i32] }> <{ i32 1, [99 x i32] zeroinitializer }>
@nested = global [2 x %node] [%node { i8 1, ptr @text, [3 x i16] [i16 1, i16 -2, i16 3] }, %node { i8 2, ptr getelementptr inbounds ([2 x %node], ptr @nested, i64 0, i64 1, i32 2), [3 x i16] zeroinitializer }]
@packed = global <{ i8, i32, ptr }> <{ i8 1, i32 2, ptr @f }>
@odd = global { i1, i24, i128, i3 } { i1 true, i24 -2, i128 -3, i3 -1 }
@floats = global { float, double, x86_fp80, half } { float 1.0, double 2.0, x86_fp80 0xK3FFF8000000000000000, half 0xH3C00 }
@vectors = global { <4 x i16>, <8 x i1> } { <4 x i16> <i16 1, i16 2, i16 3, i16 4>, <8 x i1> <i1 true, i1 false, i1 true, i1 true, i1 false, i1 false, i1 false, i1 true> }
@difference = constant [2 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @difference to i64)) to i32), i32 trunc (i64 sub (i64 ptrtoint (ptr @g to i64), i64 ptrtoint (ptr getelementptr inbounds ([2 x i32], ptr @difference, i64 0, i64 1) to i64)) to i32)]
@number = global i64 ptrtoint (ptr inttoptr (i64 4096 to ptr) to i64)
@target = global ptr blockaddress(@f, %next)
@undefined = global { i32, i32 } { i32 undef, i32 7 }
@common = common global i32 0
@declared = external hidden global i32, align 4
@weak = extern_weak global i8
@tls = thread_local(initialexec) global i32 5
@sectioned = global i8 1, section ".mine", comdat($group), align 32
@odr = linkonce_odr hidden global i8 2, comdat($largest)
@other = alias i8, getelementptr (i8, ptr @bytes, i64 2)
@chosen = ifunc void (), ptr @resolver

@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @f, ptr null }, { i32, ptr, ptr } { i32 101, ptr @g, ptr @zero }]
@llvm.used = appending global [1 x ptr] [ptr @odr], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr @text], section "llvm.metadata"

define void @f() nounwind uwtable "frame-pointer"="all" "probe-stack"="inline-asm" {
  br label %next
next:
  ret void
}

define internal fastcc void @g() unnamed_addr noreturn align 32 {
  unreachable
}

define available_externally void @elsewhere() {
  ret void
}

define internal ptr @resolver() personality ptr @personality {
  ret ptr @f
}

define void @protected() sspstrong alignstack(32) {
  ret void
}

declare i32 @personality(...)

!llvm.module.flags = !{!0, !1, !2}
!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{i32 7, !"uwtable", i32 2}
!2 = !{i32 7, !"frame-pointer", i32 2}
