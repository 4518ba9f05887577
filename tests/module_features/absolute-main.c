#include <stdio.h>
long add_small(long);
char *any_plus(void);
_Bool is_any(void *);
__asm__(".globl small\nsmall = 77\n.globl any\nany = 0x123456789abcdef0\n");
int main(void) {
  printf("%ld %p %d %d\n", add_small(5), any_plus(), is_any((void *)0x123456789abcdef0), is_any(0));
}
