break add
break types.c:37
break types.c:49
break by_value
break types.c:62
break types.c:67 if depth == 0
break types.c:88
run
info args
continue
print twice
print i
print sum
info args
print counter
print calls
up
info locals
continue
continue
delete 2
continue
print count
print sum
backtrace
continue
backtrace
info args
continue
print values
print sizeof values
info args
continue
info args
print p
print v
continue
info locals
print p
print p.next
print c
print *seen
print v
print table
print greeting
print truth
print wide
print longest
print number
ptype struct point
ptype view
ptype callback
ptype f
whatis table
ptype enum color
ptype vector
print byte
print small
print big
print ratio
print of_thread
print also_of_thread
set var small = 77
print small
