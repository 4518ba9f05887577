; Bitcode with typed pointers, as LLVM 14 writes it.
%node = type { i32, %node* }
@head = internal global %node { i32 1, %node* bitcast (i8* getelementptr (i8, i8* bitcast (%node* @head to i8*), i64 16) to %node*) }
@weak = extern_weak global i32

declare void @takes(%node* byval(%node) align 8, i8*)

define i32 @walk(%node* %n) {
entry:
  br label %loop
loop:
  %p = phi %node* [ %n, %entry ], [ %next, %loop ]
  %slot = getelementptr inbounds %node, %node* %p, i32 0, i32 1
  %next = load %node*, %node** %slot, align 8
  %end = icmp eq %node* %next, null
  br i1 %end, label %done, label %loop
done:
  %value = getelementptr inbounds %node, %node* %p, i64 0, i32 0
  %v = load i32, i32* %value, align 4
  ret i32 %v
}

define void @calls(i32 (i32)* %f, %node* %n) {
  %raw = bitcast %node* %n to i8*
  call void @takes(%node* byval(%node) align 8 %n, i8* %raw)
  %r = call i32 %f(i32 3)
  %local = alloca %node, align 8
  store %node zeroinitializer, %node* %local, align 8
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 8 %raw, i8* align 8 %raw, i64 16, i1 false)
  ret void
}

define i32 @is_there() {
  br i1 icmp ne (i32* @weak, i32* null), label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 select (i1 icmp ne (i32* @weak, i32* null), i32 2, i32 3)
}

declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i1)
