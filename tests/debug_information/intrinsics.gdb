break intrinsics.c:6
run a b c d
info args
print count
print twice
print sum
print count + twice + sum
ptype main
backtrace
continue
