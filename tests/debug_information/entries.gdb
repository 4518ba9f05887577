set print entry-values only
break puts
run
up
frame
continue
up
frame
continue
up
frame
continue
up
frame
continue
up
frame
continue
