// What other objects have.
int elsewhere = 21;
int call_elsewhere(int (*function)(int)) { return function(elsewhere); }
