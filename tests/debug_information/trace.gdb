# Which arguments are known depends on the registers.
set print frame-arguments none
handle SIGUSR1 nostop noprint pass
break trace
run
backtrace
continue
backtrace
continue
backtrace
continue
backtrace
continue
backtrace
continue
backtrace
continue
backtrace
continue
backtrace
continue
backtrace
