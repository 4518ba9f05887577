break *work
run
print count
print name
print half
break *use
continue
print number
up
print count
print name
print index
print square
print total
continue
print number
up
print left
print right
print result
up
print index
print total
continue
up
print index
print square
print total
continue
continue
up
print index
print square
continue
continue
up
print count
print name
print pair.first
print pair.second
delete
continue
