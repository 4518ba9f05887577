# Types by their names, and variables of them.
set width 0
break types.cpp:64
run
print names
print hidden
print pointing
print longer.value
print longer.order
print longer.place.list == longer.next
print longer.place.number
print longer.bits
print longer.text
print declared.pointer
print sizeof(Longer)
ptype struct NamesDeclared
ptype List<int>::Order
print List<int>::made
print List<int>::Order::up
# Not called: gdb 13 cannot write the registers of processors with AMX.
whatis longer.get(longer)
