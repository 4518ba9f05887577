; Registers by name: the stack pointer, and the frame pointer where there is one.
target triple = "x86_64-unknown-linux-gnu"

declare i64 @llvm.read_register.i64(metadata)
declare i64 @llvm.read_volatile_register.i64(metadata)
declare i32 @llvm.read_register.i32(metadata)
declare void @llvm.write_register.i64(metadata, i64)

define i64 @stack() {
  %value = call i64 @llvm.read_register.i64(metadata !0)
  ret i64 %value
}

define i64 @stack_twice() {
  %one = call i64 @llvm.read_volatile_register.i64(metadata !0)
  %two = call i64 @llvm.read_volatile_register.i64(metadata !0)
  %value = sub i64 %one, %two
  ret i64 %value
}

define i32 @short_stack() {
  %value = call i32 @llvm.read_register.i32(metadata !1)
  ret i32 %value
}

; As kernels switch stacks: what was read is written.
define void @set() {
  %value = call i64 @llvm.read_register.i64(metadata !0)
  call void @llvm.write_register.i64(metadata !0, i64 %value)
  ret void
}

define i64 @frame() "frame-pointer"="all" {
  %value = call i64 @llvm.read_register.i64(metadata !2)
  ret i64 %value
}

define i64 @frame_by_intrinsic() "frame-pointer"="all" {
  %frame = call ptr @llvm.frameaddress.p0(i32 0)
  %value = call i64 @llvm.read_register.i64(metadata !2)
  %number = ptrtoint ptr %frame to i64
  %distance = sub i64 %number, %value
  ret i64 %distance
}

declare ptr @llvm.frameaddress.p0(i32)

!0 = !{!"rsp"}
!1 = !{!"esp"}
!2 = !{!"rbp"}
