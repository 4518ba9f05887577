; Variables as LLVM up to 18 writes them: by calls of intrinsics. `intrinsics.bc` is what llvm-as of LLVM 14 makes of it.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; int main(int count) { int twice = count; { int sum = twice + 7; return sum; } }
define i32 @main(i32 %count) !dbg !10 {
  %twice = alloca i32, align 4
  %sum = alloca i32, align 4
  %argument = alloca i32, align 4
  store i32 %count, i32* %argument, align 4
  call void @llvm.dbg.declare(metadata i32* %argument, metadata !15, metadata !DIExpression()), !dbg !20
  call void @llvm.dbg.declare(metadata i32* %twice, metadata !16, metadata !DIExpression()), !dbg !21
  %first = load i32, i32* %argument, align 4, !dbg !21
  store i32 %first, i32* %twice, align 4, !dbg !21
  call void @llvm.dbg.declare(metadata i32* %sum, metadata !18, metadata !DIExpression()), !dbg !22
  %second = load i32, i32* %twice, align 4, !dbg !22
  %third = add nsw i32 %second, 7, !dbg !22
  store i32 %third, i32* %sum, align 4, !dbg !22
  call void @llvm.dbg.value(metadata i32 41, metadata !19, metadata !DIExpression()), !dbg !22
  call void @llvm.dbg.label(metadata !24), !dbg !23
  %fourth = load i32, i32* %sum, align 4, !dbg !23
  ret i32 %fourth, !dbg !23
}

declare void @llvm.dbg.declare(metadata, metadata, metadata)
declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @llvm.dbg.label(metadata)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "by hand", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "intrinsics.c", directory: "/")
!2 = !{i32 7, !"Dwarf Version", i32 4}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!10 = distinct !DISubprogram(name: "main", scope: !1, file: !1, line: 1, type: !11, scopeLine: 1, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !14)
!11 = !DISubroutineType(types: !12)
!12 = !{!13, !13}
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!14 = !{}
!15 = !DILocalVariable(name: "count", arg: 1, scope: !10, file: !1, line: 1, type: !13)
!16 = !DILocalVariable(name: "twice", scope: !10, file: !1, line: 2, type: !13)
!17 = distinct !DILexicalBlock(scope: !10, file: !1, line: 3, column: 3)
!18 = !DILocalVariable(name: "sum", scope: !17, file: !1, line: 4, type: !13)
!19 = !DILocalVariable(name: "constant", scope: !17, file: !1, line: 5, type: !13)
!20 = !DILocation(line: 1, column: 1, scope: !10)
!21 = !DILocation(line: 2, column: 7, scope: !10)
!22 = !DILocation(line: 4, column: 9, scope: !17)
!23 = !DILocation(line: 6, column: 5, scope: !17)
!24 = !DILabel(scope: !17, name: "label", file: !1, line: 6)
