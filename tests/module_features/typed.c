// Calls through pointers, one of them of another type if there is an argument: clang's check of types finds that.
#include <stdio.h>

typedef int (*of_int)(int);

static int twice(int number) { return 2 * number; }
static int length(const char *text) { return text[0] + text[1]; }

of_int volatile chosen = twice;

int main(int count, char **words) {
  (void)words;
  if (count > 1)
    chosen = (of_int)length;
  printf("%d\n", chosen(21));
  return 0;
}
