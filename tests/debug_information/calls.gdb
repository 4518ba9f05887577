break finish
run
backtrace -frame-arguments none
continue
backtrace -frame-arguments none
delete
break finish if name[0] == 108
continue
backtrace -frame-arguments none
continue
backtrace -frame-arguments none
continue
backtrace -frame-arguments none
continue
backtrace -frame-arguments none
continue
