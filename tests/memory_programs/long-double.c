// Operations on `long double`, on all pairs of values at the borders of this type and of those it is converted to.

#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define APART __attribute__((noinline))

typedef long double number;
typedef _Complex long double complex_number;

static void show(const char *name, number x) {
  unsigned char bytes[16];
  memcpy(bytes, &x, sizeof x);
  printf("%s ", name);
  for (int i = 9; i >= 0; i--)
    printf("%02x", bytes[i]);
  printf(" %La\n", x);
}

APART number add(number a, number b) { return a + b; }
APART number subtract(number a, number b) { return a - b; }
APART number multiply(number a, number b) { return a * b; }
APART number divide(number a, number b) { return a / b; }
APART number negate(number a) { return -a; }
APART number pick(int c, number a, number b) { return c ? a : b; }
APART number greater(number a, number b) { return a > b ? a : b; }

APART int compare(number a, number b) {
  return (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 |
         __builtin_isunordered(a, b) << 6 | __builtin_islessgreater(a, b) << 7 | !(a < b) << 8 | !(a <= b) << 9 |
         !(a > b) << 10 | !(a >= b) << 11;
}

APART int branch(number a, number b) {
  if (a < b)
    return 1;
  if (a == b)
    return 2;
  if (a >= b)
    return 3;
  return 4;
}

#define CONVERSIONS(name, type)                                                                                        \
  APART number from_##name(type a) { return a; }                                                                       \
  APART type to_##name(number a) { return a; }
CONVERSIONS(float, float)
CONVERSIONS(double, double)
CONVERSIONS(s8, signed char)
CONVERSIONS(u8, unsigned char)
CONVERSIONS(s16, short)
CONVERSIONS(u16, unsigned short)
CONVERSIONS(s32, int)
CONVERSIONS(u32, unsigned)
CONVERSIONS(s64, long)
CONVERSIONS(u64, unsigned long)
CONVERSIONS(s128, __int128)
CONVERSIONS(u128, unsigned __int128)

APART complex_number complex_product(complex_number a, complex_number b) { return a * b; }
APART complex_number complex_sum(complex_number a, complex_number b) { return a + b; }

APART number variadic(int count, ...) {
  va_list list;
  va_start(list, count);
  number sum = 0;
  for (int i = 0; i < count; i++) {
    sum += va_arg(list, number);
    sum += va_arg(list, int);
    sum += va_arg(list, double);
  }
  va_end(list);
  return sum;
}

struct mixed {
  char c;
  number x;
  int i;
};

APART struct mixed make(char c, number x, int i) { return (struct mixed){c, x, i}; }
APART number sum(struct mixed s) { return s.c + s.x + s.i; }

APART number many(int a, number b, double c, number d, float e, number f, long g, number h) {
  return a + b * c - d * e + f / g - h;
}

APART number factorial(int n) { return n <= 1 ? 1.0L : n * factorial(n - 1); }

// Results that nobody takes would fill the stack of the unit.
APART void ignore(void) {
  for (int i = 0; i < 40; i++)
    factorial(3);
}

APART number loop(int n) {
  number s = 0, t = 1;
  for (int i = 1; i < n; i++) {
    s += t / i;
    t = -t;
    if (i % 3 == 0) {
      number q = s;
      s = t;
      t = q;
    }
  }
  return s - t;
}

APART int classes(number a) {
  return isnan(a) | isinf(a) << 1 | isfinite(a) << 2 | isnormal(a) << 3 | !!signbit(a) << 4 | fpclassify(a) << 5;
}

number table[] = {1.0L,       -0.0L,     3.14159265358979323846264338327950288L, 1e4000L,
                  1e-4940L,   INFINITY,  -INFINITY,  NAN,        0.0L,        1.5L,
                  -2.5L,      127.9L,    255.5L,     -128.7L,    32767.3L,    65535.9L,
                  2147483647.5L,         4294967295.5L,          -2147483648.9L,
                  9223372036854775807.0L, 9223372036854775808.0L, 18446744073709551615.0L,
                  1e30L,      -1e30L,    1e-30L,     0x1p-16445L, 0x1p-16382L, -0x1.8p-16384L,
                  0x1.fffffffffffffffep16383L,           1.7976931348623157e308L, 1.8e308L,
                  4.9e-324L,  2e-324L,   1.1754943508222875e-38L, 3.4028235e38L, 3.5e38L,
                  0.5L,       1.0000000000000000001L};
#define COUNT (sizeof table / sizeof *table)
number zero;
volatile number changing;

static void one(number a) {
  show("value", a);
  show("negative", negate(a));
  show("absolute", fabsl(a));
  show("square root", sqrtl(a));
  show("floor", floorl(a));
  show("ceiling", ceill(a));
  show("truncated", truncl(a));
  show("rint", rintl(a));
  show("nearbyint", nearbyintl(a));
  show("round", roundl(a));
  show("exponential", expl(a));
  show("sine", sinl(a));
  show("logarithm", logl(a));
  float f = to_float(a);
  double d = to_double(a);
  printf("%a %a\n", f, d);
  show("float", from_float(f));
  show("double", from_double(d));
  printf("classes %d\n", classes(a));
  // Only conversions of what the type can hold are defined.
  if (fabsl(a) < 127)
    printf("%d ", to_s8(a));
  if (a > -1 && a < 255)
    printf("%d ", to_u8(a));
  if (fabsl(a) < 32767)
    printf("%d ", to_s16(a));
  if (a > -1 && a < 65535)
    printf("%d ", to_u16(a));
  if (fabsl(a) < 2147483648.0L)
    printf("%d ", to_s32(a));
  if (a > -1 && a < 4294967296.0L)
    printf("%u ", to_u32(a));
  if (fabsl(a) < 9223372036854775808.0L)
    printf("%ld %ld ", to_s64(a), lroundl(a));
  if (a > -1 && a < 18446744073709551616.0L)
    printf("%lu ", to_u64(a));
  if (fabsl(a) < 1e38L)
    printf("%lx %lx ", (long)(to_s128(a) >> 64), (long)to_s128(a));
  if (a > -1 && a < 1e38L)
    printf("%lx %lx", (long)(to_u128(a) >> 64), (long)to_u128(a));
  printf("\n");
}

static void two(number a, number b, int choice) {
  show("sum", add(a, b));
  show("difference", subtract(a, b));
  show("product", multiply(a, b));
  show("quotient", divide(a, b));
  if (fabsl(a) < 1e40 && fabsl(b) > 1e-30)
    show("remainder", fmodl(a, b));
  show("copysign", copysignl(a, b));
  show("minimum", fminl(a, b));
  show("maximum", fmaxl(a, b));
  show("greater", greater(a, b));
  show("pick", pick(choice, a, b));
  show("fused", fmal(a, b, 1.0L));
  printf("%d %d\n", compare(a, b), branch(a, b));
  complex_number left = a + 2.0L * I, right = b - 1.0L * I;
  complex_number product = complex_product(left, right), total = complex_sum(left, right);
  show("real part", creall(product));
  show("imaginary part", cimagl(product));
  show("real part", creall(total));
  show("imaginary part", cimagl(total));
}

static void integer(long x) {
  show("s8", from_s8(x));
  show("u8", from_u8(x));
  show("s16", from_s16(x));
  show("u16", from_u16(x));
  show("s32", from_s32(x));
  show("u32", from_u32(x));
  show("s64", from_s64(x));
  show("u64", from_u64(x));
  unsigned __int128 wide = (unsigned __int128)(__int128)x << 55 | (unsigned long)x;
  show("s128", from_s128(wide));
  show("u128", from_u128(wide));
}

int main(void) {
  for (unsigned i = 0; i < COUNT; i++) {
    one(table[i]);
    for (unsigned j = 0; j < COUNT; j++)
      two(table[i], table[j], j & 1);
  }
  const long integers[] = {0,          1,          -1,          127,         -128,
                           32767,      -32768,     65535,       2147483647,  -2147483648L,
                           4294967295, __LONG_MAX__, -__LONG_MAX__ - 1, 123456789012345678};
  for (unsigned i = 0; i < sizeof integers / sizeof *integers; i++)
    integer(integers[i]);
  show("variadic", variadic(3, 1.5L, 2, 3.0, 4.0L, 5, 6.25, -7.0L, 8, 9.0));
  struct mixed s = make(3, 4.5L, 6);
  show("member", s.x);
  show("members", sum(s));
  show("many", many(1, 2, 3, 4, 5, 6, 7, 8));
  show("factorial", factorial(60));
  show("loop", loop(100));
  ignore();
  show("factorial", factorial(100));
  changing = 3;
  changing += 1.25L;
  changing++;
  show("volatile", changing);
  show("power", powl(2.5L, 3.25L));
  show("power", __builtin_powil(1.5L, 7));
  number polynomial = zero;
  for (int i = 0; i < 10; i++)
    polynomial = polynomial * 3 + table[i % 3];
  show("polynomial", polynomial);
  int exponent;
  number whole;
  show("fraction", frexpl(12345.678L, &exponent));
  show("scaled", ldexpl(1.25L, exponent));
  show("fraction", modfl(123.456L, &whole));
  show("whole", whole);
  printf("%d\n", exponent);
}
