// Prints what the saturating conversions give for many numbers.
#include <math.h>
#include <stdio.h>

__int128 u1(long double);
__int128 u7(long double);
__int128 u8(long double);
__int128 u16(long double);
__int128 u24(long double);
__int128 u32(long double);
__int128 u53(long double);
__int128 u64(long double);
__int128 u65(long double);
__int128 u100(long double);
__int128 u128(long double);
__int128 s1(long double);
__int128 s7(long double);
__int128 s8(long double);
__int128 s16(long double);
__int128 s24(long double);
__int128 s32(long double);
__int128 s53(long double);
__int128 s64(long double);
__int128 s65(long double);
__int128 s100(long double);
__int128 s128(long double);

static __int128 (*const functions[])(long double) = {u1, u7, u8, u16, u24, u32, u53, u64, u65, u100, u128, s1, s7, s8, s16, s24, s32, s53, s64, s65, s100, s128};

int main(void) {
  long double numbers[700];
  int count = 0;
  for (int exponent = -2; exponent < 131; ++exponent)
    for (int sign = -1; sign < 2; sign += 2) {
      long double power = sign * ldexpl(1, exponent);
      numbers[count++] = power;
      numbers[count++] = nextafterl(power, 0);
    }
  long double others[] = {0., -0., 0.5L, -0.99L, 1e4000L, -1e4000L, INFINITY, -INFINITY, NAN, -NAN, 12345.678L};
  for (unsigned i = 0; i < sizeof others / sizeof *others; ++i)
    numbers[count++] = others[i];
  for (unsigned f = 0; f < sizeof functions / sizeof *functions; ++f)
    for (int i = 0; i < count; ++i) {
      __int128 found = functions[f](numbers[i]);
      printf("%u %La %lx %lx\n", f, numbers[i], (long)(found >> 64), (long)found);
    }
  return 0;
}
