#include "windows.h"

double MS sum_list(int count, __builtin_ms_va_list list) {
  double all = 0;
  for (int i = 0; i < count; ++i)
    all = all * 3 + (i % 2 ? __builtin_va_arg(list, double) : __builtin_va_arg(list, int));
  return all;
}

#define SUM(last, start)                                                                                               \
  __builtin_ms_va_list list, copy;                                                                                     \
  __builtin_ms_va_start(list, last);                                                                                   \
  __builtin_ms_va_copy(copy, list);                                                                                    \
  double all = sum_list(last, list) + (start);                                                                         \
  double again = sum_list(last, copy) + (start);                                                                       \
  __builtin_ms_va_end(copy);                                                                                           \
  __builtin_ms_va_end(list);                                                                                           \
  return all == again ? all : -1;

double MS sum_0(int count, ...) { SUM(count, 0) }
double MS sum_1(double first, int count, ...) { SUM(count, first * 1000) }
double MS sum_3(long a, double b, long c, int count, ...) { SUM(count, a + b * 10 + c * 100) }
double MS sum_5(long a, double b, long c, long d, int count, ...) { SUM(count, a + b * 10 + c * 100 + d * 7) }

static long MS odd_list(const char *text, __builtin_ms_va_list list) {
  long all = 0;
  for (; *text; ++text)
    switch (*text) {
    case 'c':
      all = all * 5 + (char)__builtin_va_arg(list, int);
      break;
    case 'l':
      all = all * 5 + __builtin_va_arg(list, long);
      break;
    case 'p':
      all = all * 5 + *__builtin_va_arg(list, long *);
      break;
    case 'd':
      all = all * 5 + (long)__builtin_va_arg(list, double);
      break;
    case 's': {
      struct Two two = __builtin_va_arg(list, struct Two);
      all = all * 5 + two.a * 3 + two.b;
      break;
    }
    }
  return all;
}

long MS odd(const char *text, ...) {
  __builtin_ms_va_list list;
  __builtin_ms_va_start(list, text);
  long all = odd_list(text, list);
  __builtin_ms_va_end(list);
  return all;
}

long MS forward(const char *text, ...) {
  __builtin_ms_va_list list;
  __builtin_ms_va_start(list, text);
  long first = __builtin_va_arg(list, long);
  long all = odd_list(text, list) + first * 100000 + odd(text, 1L, 2.0, 3L, 4.0, 5L, 6.0, 7L);
  __builtin_ms_va_end(list);
  return all;
}

struct Two MS two(int count, ...) {
  __builtin_ms_va_list list;
  __builtin_ms_va_start(list, count);
  struct Two both = {0, count};
  for (int i = 0; i < count; ++i)
    both.a += __builtin_va_arg(list, long);
  __builtin_ms_va_end(list);
  return both;
}

// Nothing of the list but one argument, in a function that keeps vector registers.
double MS once(int count, ...) {
  __builtin_ms_va_list list;
  __builtin_ms_va_start(list, count);
  double only = __builtin_va_arg(list, double);
  __builtin_ms_va_end(list);
  return sum_0(2, count, only) + only;
}
