break main
run
break walk:again
break walk:large
continue
print count
continue
print count
continue
print count
continue
print count
continue
