; A program with something of everything whose form an option may change: a table for a switch, calls that could leave
; by jumps, floating point, variables of all sections, one of each thread, a constructor and a weak function.

@numbers = global [4 x i32] [i32 3, i32 1, i32 4, i32 1]
@zeros = internal global [16 x i64] zeroinitializer
@constant = constant [3 x i64] [i64 5, i64 9, i64 2]
@mine = thread_local(localexec) global i32 7
@format = private unnamed_addr constant [19 x i8] c"%d %d %d %d %lld\0A\00\00"
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @prepare, ptr null }]

define internal void @prepare() {
  store i64 11, ptr getelementptr ([16 x i64], ptr @zeros, i64 0, i64 3)
  ret void
}

define weak i32 @weak(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}

define i32 @choose(i32 %x) {
entry:
  switch i32 %x, label %other [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %two
    i32 3, label %three
    i32 4, label %four
    i32 5, label %five
  ]
zero:
  %a = call i32 @weak(i32 10)
  ret i32 %a
one:
  ret i32 17
two:
  ret i32 -4
three:
  %b = load i32, ptr @numbers
  ret i32 %b
four:
  ret i32 100
five:
  %c = tail call i32 @weak(i32 %x)
  ret i32 %c
other:
  ret i32 0
}

define double @float(double %x, double %y) {
  %product = fmul double %x, %y
  %sum = fadd double %product, 1.5
  %root = call double @llvm.sqrt.f64(double %sum)
  ret double %root
}

define i32 @bits(i32 %x) {
  %count = call i32 @llvm.ctpop.i32(i32 %x)
  %zeros = call i32 @llvm.cttz.i32(i32 %x, i1 false)
  %sum = add i32 %count, %zeros
  ret i32 %sum
}

define i64 @sum(ptr %from, i64 %count) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %total = phi i64 [ 0, %entry ], [ %more, %loop ]
  %place = getelementptr i64, ptr %from, i64 %i
  %value = load i64, ptr %place
  %more = add i64 %total, %value
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %done
done:
  ret i64 %more
}

define i32 @main(i32 %count, ptr %words) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %chosen = call i32 @choose(i32 %i)
  %wide = sitofp i32 %i to double
  %float = call double @float(double %wide, double 2.25)
  %scaled = fmul double %float, 1000.0
  %number = fptosi double %scaled to i32
  %bits = call i32 @bits(i32 %chosen)
  %place = call ptr @llvm.threadlocal.address.p0(ptr @mine)
  %old = load i32, ptr %place
  %new = add i32 %old, %i
  store i32 %new, ptr %place
  %one = call i64 @sum(ptr @zeros, i64 16)
  %two = call i64 @sum(ptr @constant, i64 3)
  %both = add i64 %one, %two
  %printed = call i32 (ptr, ...) @printf(ptr @format, i32 %chosen, i32 %number, i32 %bits, i32 %new, i64 %both)
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, 7
  br i1 %again, label %loop, label %done
done:
  ret i32 3
}

declare i32 @printf(ptr, ...)
declare double @llvm.sqrt.f64(double)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.cttz.i32(i32, i1)
declare ptr @llvm.threadlocal.address.p0(ptr)
