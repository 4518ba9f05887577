break use
run
up
print sum
print scaled
continue
up
print sum
print scaled
continue
up
print sum
print pair
continue
up
print sum
print scaled
print pair
continue
continue
