// The other object of far-main.c.
int elsewhere[1000];
int elsewhere_small;
