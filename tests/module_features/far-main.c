// Data beyond the reach of 32-bit distances, and small data beside it, used in every way.
char big[3221225472UL];
int small = 5;
int table[100] = {1,2,3};
static const int consts[300] = {[299] = 7};
static char local_big[100000];
extern int elsewhere[1000];
extern int elsewhere_small;
static int *pointers[] = { &small, table, (int *)local_big };
int *const fixed[] = { &small, table };
static const char *name = "a string of the program";
int get(int i) { return table[i]; }
__attribute__((noinline)) void put(unsigned long i, char c) { big[i] = c; local_big[i % 100000] = c; }
int printf(const char *, ...);
int main(int argc, char **argv) {
  put(3221225471UL, 3); put(7, 4);
  elsewhere[999] = 8; elsewhere_small = 9;
  printf("%d %d %d %d %d\n", big[3221225471UL], big[7], big[8], local_big[7], get(2));
  printf("%d %d %d %d %s\n", consts[298 + argc], elsewhere[998 + argc], elsewhere_small, *pointers[argc], name);
  printf("%d %d\n", *fixed[argc], small);
  char *volatile far = &big[argc * 3000000000UL];
  *far = 9;
  int (*volatile f)(int) = get;
  switch (argc + f(1)) { case 1: printf("1"); break; case 2: printf("2"); break; case 3: printf("three"); break; case 4: printf("4"); break; case 5: printf("5"); }
  printf(" %d %d\n", big[3000000000UL], (int)(2.5 * argc));
  return 0;
}
