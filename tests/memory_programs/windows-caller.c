#include "windows.h"
#include <stdio.h>

static double(MS *indirect)(int count, ...);
volatile double three = 3;

int main(void) {
  long number = 77;
  struct Two pair = {8, 9};
  printf("%g %g\n", sum_0(0), sum_0(1, 5));
  printf("%g\n", sum_0(3, 5, 6.5, 7));
  printf("%g\n", sum_0(8, 1, 2.0, three > 2 ? 3 : 4, 4.5, 5, three, 7, three * 8));
  printf("%g %g\n", sum_1(2.5, 1, 3), sum_1(three, 6, 3, 4.5, 5, 6.5, 7, three));
  printf("%g %g\n", sum_3(1, 2.5, 3, 2, 4, 5.5), sum_3(1, three, 3, 5, 4, 5.5, 6, three, 8));
  printf("%g %g\n", sum_5(1, 2.5, 3, 4, 0), sum_5(1, three, 3, 4, 5, 5, 6.5, 7, three, 9));
  printf("%ld\n", odd("clpd", -3, 1L << 40, &number, 5.5));
  printf("%ld\n", odd("dsdlsc", 1.5, pair, 2.5, 3L, pair, 'x'));
  printf("%ld\n", odd("ddddddl", 1., 2., three, 4., three + 2, 6., 7L));
  printf("%ld\n", forward("ldldldl", 10L, 20L, 30.5, 40L, three, 60L, 70.0, 80L));
  struct Two both = two(5, 1L, 2L, 3L, 4L, 5L);
  printf("%ld %ld\n", both.a, both.b);
  indirect = once;
  double kept = three * 7;
  printf("%g\n", indirect(4, three) + kept + indirect(5, kept));
  return 0;
}
