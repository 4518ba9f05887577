# What each unit says of the types that both name.
set width 0
break shop::total
run
ptype order
ptype sum
finish
ptype lines
print order
print shop::Order::made
