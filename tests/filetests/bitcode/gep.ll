; Addresses become ptr_add and ptr_index; constant distances are summed and come last.
%pair = type { i32, [8 x i64] }

define ptr @fields(ptr %p) {
  %a = getelementptr inbounds %pair, ptr %p, i64 1, i32 1, i64 3
  ret ptr %a
}

define ptr @nothing(ptr %p) {
  %a = getelementptr %pair, ptr %p, i64 0, i32 0
  ret ptr %a
}

define ptr @variable(ptr %p, i64 %i, i32 %j, i8 %k) {
  %a = getelementptr %pair, ptr %p, i64 %i, i32 1, i32 %j
  %b = getelementptr i8, ptr %a, i8 %k
  %c = getelementptr i8, ptr %b, i64 %i
  ret ptr %c
}

define ptr @large(ptr %p, i64 %i) {
  %a = getelementptr [100000 x i32], ptr %p, i64 %i, i64 5
  ret ptr %a
}

define ptr @negative(ptr %p, i128 %i) {
  %a = getelementptr i32, ptr %p, i64 -2
  %b = getelementptr i32, ptr %a, i128 %i
  ret ptr %b
}

define <2 x ptr> @vectors(ptr %p, <2 x i64> %i) {
  %a = getelementptr %pair, ptr %p, <2 x i64> %i, i32 1, i64 2
  ret <2 x ptr> %a
}
