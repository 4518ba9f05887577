break *work
run
print first
print second
break use
continue
up
print first
print count
print total
print second
continue
up
print total
print second
print index
continue
up
print total
print index
continue
up
print total
print second
delete
continue
