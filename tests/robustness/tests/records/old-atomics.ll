; Read by old.rs. old-atomics.bc is made of this file by LLVM 4, whose record of an atomicrmw is 38.
target datalayout = "e-m:e-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define i32 @object(i32 %n) {
  %p = alloca i32
  store i32 %n, i32* %p
  %v = atomicrmw add i32* %p, i32 3 seq_cst
  ret i32 %v
}

define i64 @element(i64* %p, i64 %n) {
  %e = getelementptr i64, i64* %p, i64 2
  %v = atomicrmw xchg i64* %e, i64 %n acquire
  ret i64 %v
}
