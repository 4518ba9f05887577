break note
run
up
info args
print *pairs
continue 2
up
info args
print pairs[1]
continue 9
up
info args
