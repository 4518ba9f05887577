; The results of an invoke and of a call are named in the file before they are defined.
define i64 @forward(i1 %which, ptr %p) personality ptr @__gxx_personality_v0 {
entry:
  br i1 %which, label %late, label %early

early:
  %one = invoke { i64, ptr } @pair(ptr %p) to label %join unwind label %pad

join:
  %both = phi { i64, ptr } [ %one, %early ], [ %two, %late ]
  %number = extractvalue { i64, ptr } %both, 0
  br label %head

head:
  %sum = phi { i64, i1 } [ { i64 5, i1 false }, %join ], [ %more, %body ]
  %total = extractvalue { i64, i1 } %sum, 0
  %end = extractvalue { i64, i1 } %sum, 1
  br i1 %end, label %done, label %body

done:
  ret i64 %total

body:
  %more = call { i64, i1 } @llvm.sadd.with.overflow.i64(i64 %total, i64 %number)
  br label %head

pad:
  %caught = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %caught

late:
  %two = invoke { i64, ptr } @pair(ptr null) to label %join unwind label %pad
}

declare { i64, ptr } @pair(ptr)
declare { i64, i1 } @llvm.sadd.with.overflow.i64(i64, i64)
declare i32 @__gxx_personality_v0(...)
