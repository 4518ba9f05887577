; The instruction va_arg, for all types that callers pass so that a list can follow.
target triple = "x86_64-pc-linux-gnu"

; Takes arguments as the text says, one letter each, and stores each to 16 bytes.
define void @take_all(ptr %text, ptr %out, ptr %list) {
start:
  br label %loop
loop:
  %at = phi ptr [ %text, %start ], [ %next, %more ]
  %to = phi ptr [ %out, %start ], [ %then, %more ]
  %letter = load i8, ptr %at
  %next = getelementptr i8, ptr %at, i64 1
  %then = getelementptr i8, ptr %to, i64 16
  switch i8 %letter, label %end [
    i8 99, label %take.c
    i8 98, label %take.b
    i8 104, label %take.h
    i8 116, label %take.t
    i8 105, label %take.i
    i8 108, label %take.l
    i8 112, label %take.p
    i8 102, label %take.f
    i8 100, label %take.d
    i8 101, label %take.e
    i8 113, label %take.q
    i8 118, label %take.v
    i8 119, label %take.w
  ]
take.c:
  %v.c = va_arg ptr %list, i8
  %x.c = zext i8 %v.c to i32
  store i32 %x.c, ptr %to
  br label %more
take.b:
  %v.b = va_arg ptr %list, i1
  %x.b = zext i1 %v.b to i32
  store i32 %x.b, ptr %to
  br label %more
take.h:
  %v.h = va_arg ptr %list, i16
  %x.h = zext i16 %v.h to i32
  store i32 %x.h, ptr %to
  br label %more
take.t:
  %v.t = va_arg ptr %list, i24
  %x.t = zext i24 %v.t to i32
  store i32 %x.t, ptr %to
  br label %more
take.i:
  %v.i = va_arg ptr %list, i32
  store i32 %v.i, ptr %to
  br label %more
take.l:
  %v.l = va_arg ptr %list, i64
  store i64 %v.l, ptr %to
  br label %more
take.p:
  %v.p = va_arg ptr %list, ptr
  store ptr %v.p, ptr %to
  br label %more
take.f:
  %v.f = va_arg ptr %list, float
  store float %v.f, ptr %to
  br label %more
take.d:
  %v.d = va_arg ptr %list, double
  store double %v.d, ptr %to
  br label %more
take.e:
  %v.e = va_arg ptr %list, x86_fp80
  store x86_fp80 %v.e, ptr %to
  br label %more
take.q:
  %v.q = va_arg ptr %list, i128
  store i128 %v.q, ptr %to
  br label %more
take.v:
  %v.v = va_arg ptr %list, <4 x float>
  store <4 x float> %v.v, ptr %to
  br label %more
take.w:
  %v.w = va_arg ptr %list, <2 x double>
  store <2 x double> %v.w, ptr %to
  br label %more
more:
  br label %loop
end:
  ret void
}

define void @take(ptr %text, ptr %out, ...) {
  %list = alloca [3 x i64], align 16
  call void @llvm.va_start(ptr %list)
  call void @take_all(ptr %text, ptr %out, ptr %list)
  call void @llvm.va_end(ptr %list)
  ret void
}

; Fixed parameters of both kinds, one on the stack; a list that is copied, and gone through twice, the second time from
; the third argument on.
define void @take_twice(ptr %text, ptr %out, i64, double, i64, i64, i64, i64, ...) {
  %list = alloca [3 x i64], align 16
  %copy = alloca [3 x i64], align 16
  call void @llvm.va_start(ptr %list)
  %first = va_arg ptr %list, i32
  %second = va_arg ptr %list, double
  call void @llvm.va_copy(ptr %copy, ptr %list)
  call void @take_all(ptr %text, ptr %out, ptr %list)
  %rest = getelementptr i8, ptr %out, i64 1024
  call void @take_all(ptr %text, ptr %rest, ptr %copy)
  %last = getelementptr i8, ptr %out, i64 2048
  store i32 %first, ptr %last
  %very = getelementptr i8, ptr %out, i64 2056
  store double %second, ptr %very
  call void @llvm.va_end(ptr %copy)
  call void @llvm.va_end(ptr %list)
  ret void
}

; The convention of Windows, whose lists are other ones.
define win64cc void @take_windows(ptr %text, ptr %out, ...) {
start:
  %list = alloca ptr, align 8
  call void @llvm.va_start(ptr %list)
  br label %loop
loop:
  %at = phi ptr [ %text, %start ], [ %next, %more ]
  %to = phi ptr [ %out, %start ], [ %then, %more ]
  %letter = load i8, ptr %at
  %next = getelementptr i8, ptr %at, i64 1
  %then = getelementptr i8, ptr %to, i64 16
  switch i8 %letter, label %end [
    i8 100, label %take.d
    i8 108, label %take.l
    i8 112, label %take.p
  ]
take.d:
  %d = va_arg ptr %list, double
  store double %d, ptr %to
  br label %more
take.l:
  %l = va_arg ptr %list, i64
  store i64 %l, ptr %to
  br label %more
take.p:
  %p = va_arg ptr %list, ptr
  store ptr %p, ptr %to
  br label %more
more:
  br label %loop
end:
  call void @llvm.va_end(ptr %list)
  ret void
}

; Callers that pass what C does not.
define void @pass_floats(ptr %out) {
  call void (ptr, ptr, ...) @take(ptr @floats, ptr %out, float 1.0, i8 -1, float 2.0, i16 -2, i24 -3, float 3.0, float 4.0, float 5.0, i1 true, float 6.0, float 7.0, i32 9, float 8.0, float 9.0, i8 7, float 10.0)
  ret void
}

@floats = constant [17 x i8] c"fcfhtfffbffiffcf\00"

declare void @llvm.va_start(ptr)
declare void @llvm.va_copy(ptr, ptr)
declare void @llvm.va_end(ptr)
