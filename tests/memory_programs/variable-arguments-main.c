// Calls functions that take variable arguments by LLVM's va_arg, and compares with what C takes. With FOR_LLVM, what
// llc takes from wrong places is left out.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef float V __attribute__((vector_size(16)));
typedef double W __attribute__((vector_size(16)));

void take(const char *text, void *out, ...);
void take_twice(const char *text, void *out, long, double, long, long, long, long, ...);
void pass_floats(void *out);
__attribute__((ms_abi)) void take_windows(const char *text, void *out, ...);

static void take_list(const char *text, char *out, va_list list) {
  for (; *text; ++text, out += 16) {
    switch (*text) {
    case 'c':
      *(int *)out = (unsigned char)va_arg(list, int);
      break;
    case 'h':
      *(int *)out = (unsigned short)va_arg(list, int);
      break;
    case 't':
      *(int *)out = va_arg(list, int) & 0xffffff;
      break;
    case 'i':
      *(int *)out = va_arg(list, int);
      break;
    case 'l':
      *(long *)out = va_arg(list, long);
      break;
    case 'p':
      *(void **)out = va_arg(list, void *);
      break;
    case 'f': {
      double number = va_arg(list, double);
      memcpy(out, &number, 4);
      break;
    }
    case 'd':
      *(double *)out = va_arg(list, double);
      break;
    case 'e':
      *(long double *)out = va_arg(list, long double);
      memset(out + 10, 0, 6);
      break;
    case 'q':
      *(__int128 *)out = va_arg(list, __int128);
      break;
    case 'v':
      *(V *)out = va_arg(list, V);
      break;
    case 'w':
      *(W *)out = va_arg(list, W);
      break;
    }
  }
}

static void take_in_c(const char *text, void *out, ...) {
  va_list list;
  va_start(list, out);
  take_list(text, out, list);
  va_end(list);
}

static char found[4096] __attribute__((aligned(16))), expected[4096] __attribute__((aligned(16)));
static int wrong;

static void compare(const char *text, const char *at, const char *what) {
  unsigned long size = strlen(text) * 16, sum = 0;
  if (memcmp(at, expected, size) != 0) {
    wrong = 1;
    printf("differs: %s %s\n", what, text);
  }
  for (unsigned long i = 0; i < size; ++i)
    sum = sum * 31 + (unsigned char)at[i];
  printf("%s %s %lu\n", what, text, sum);
}

#define TAKE(text, ...)                                                                                                \
  memset(found, 0, sizeof found);                                                                                      \
  memset(expected, 0, sizeof expected);                                                                                \
  take(text, found, __VA_ARGS__);                                                                                      \
  take_in_c(text, expected, __VA_ARGS__);                                                                              \
  compare(text, found, "once");                                                                                        \
  memset(found, 0, sizeof found);                                                                                      \
  take_twice(text, found, 1, 2.5, 3, 4, 5, 6, 77, 8.5, __VA_ARGS__);                                                   \
  compare(text, found, "again");                                                                                       \
  compare(text, found + 1024, "copied");                                                                               \
  printf("%d %g\n", *(int *)(found + 2048), *(double *)(found + 2056));

int main(void) {
  V v = {1, 2, 3, 4};
  W w = {5, 6};
  __int128 q = (__int128)0x123456789abcdef << 64 | 0x1020304050607080;
  TAKE("i", 1)
  TAKE("iiiiiiiii", 1, -2, 3, 4, 5, 6, 7, 8, 9)
  TAKE("clhtipli", 1, 2L, 3, 4, 5, (void *)0x123456789a, 7L, 8)
  TAKE("dddddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.)
  TAKE("idpdldfdhdcdtdididld", 1, 2., (void *)-1, 4., 5L, 6., 7.1, 8., 9, 10., -11, 12., 13, 14., 15, 16., 17, 18., 19L, 20.)
  TAKE("dvwdvvwdvwvivd", 1., v, w, 2., v + 1, v + 2, w * 3, 4., v + 5, w + 6, v + 7, 8, v + 9, 10.)
#ifndef FOR_LLVM
  TAKE("e", 1.5L)
  TAKE("ieledeiiiiiiiedve", 1, 2.5L, 3L, 4.5L, 5., 6.5L, 7, 8, 9, 10, 11, 12, 13, 14.5L, 15., v, 16.5L)
  TAKE("q", q)
  TAKE("iqqqiqil", 1, q, q + 1, q + 2, 3, q + 4, 5, 6L)
  TAKE("lllqlll", 1L, 2L, 3L, q, 5L, 6L, 7L)
  TAKE("lllliqqe", 1L, 2L, 3L, 4L, 5, q, q + 6, 7.5L)
#endif
#define TAKE_WINDOWS(text, ...)                                                                                        \
  memset(found, 0, sizeof found);                                                                                      \
  memset(expected, 0, sizeof expected);                                                                                \
  take_windows(text, found, __VA_ARGS__);                                                                              \
  take_in_c(text, expected, __VA_ARGS__);                                                                              \
  compare(text, found, "windows");
  TAKE_WINDOWS("l", 1L)
  TAKE_WINDOWS("dlpddl", 1.5, 2L, (void *)-3, 4.5, 5., 6L)
  TAKE_WINDOWS("lddl", 2L, 1.5, 4.5, 5L)
  memset(found, 0, sizeof found);
  pass_floats(found);
  for (int i = 0; i < 16; ++i)
    printf("%x%c", *(unsigned *)(found + i * 16), i < 15 ? ' ' : '\n');
  return wrong;
}
