# Looks at the callers of functions that are not inlined.
break use
run
up
print half
print quarter
print/x big
print/x wide
print negative
print yes
continue
up
print half
print/x wide
break fill
continue
up
print pair
continue
up
print pair
delete
break use
continue
up-silently
print list[0].gp_offset
continue
up-silently
print list[0].gp_offset
up
print argc
continue
up-silently
print twice
print half
continue
up-silently
print twice
print count
print half
