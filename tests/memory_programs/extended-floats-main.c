#include <stdio.h>
#include <string.h>

typedef long double number;
typedef struct { number real, imaginary; } pair;

int classes(number);
long to_i7(number), to_u33(number), to_i100(number), high_bits(number);
number from_bool(_Bool), from_signed_bool(_Bool), from_i33(long), from_u33(long), from_i100(long);
number flip(number), difference(number, number), second(number, number), of_three(number), of_different(number);
number aggregate(void), rotate(int, number, number, number), choose(int), several(number, number), parts(number, long *);
number hand_over(number, number), must(number, number);
void forget(number);
_Bool always(number, number);

static void show(const char *name, number x) {
  unsigned char bytes[16];
  memcpy(bytes, &x, sizeof x);
  printf("%s ", name);
  for (int i = 9; i >= 0; i--)
    printf("%02x", bytes[i]);
  printf("\n");
}

static number make(unsigned exponent, unsigned long significand) {
  number x;
  memcpy(&x, &significand, 8);
  memcpy((char *)&x + 8, &exponent, 2);
  return x;
}

int main(void) {
  const unsigned exponents[] = {0, 1, 0x3fff, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xbfff, 0xfffe, 0xffff};
  const unsigned long significands[] = {0, 1, 0x3fffffffffffffff, 0x4000000000000000, 0x7fffffffffffffff,
                                        0x8000000000000000, 0x8000000000000001, 0xbfffffffffffffff,
                                        0xc000000000000000, 0xc000000000000001, 0xffffffffffffffff};
  for (unsigned i = 0; i < sizeof exponents / sizeof *exponents; i++)
    for (unsigned j = 0; j < sizeof significands / sizeof *significands; j++) {
      number x = make(exponents[i], significands[j]);
      printf("%04x %016lx %04x %lx\n", exponents[i], significands[j], classes(x), high_bits(x));
      show("flip", flip(x));
      show("second", second(1.0L, x));
    }
  for (int i = -63; i < 64; i += 9)
    printf("%ld\n", to_i7(i + 0.5L));
  printf("%ld %ld %ld\n", to_u33(0x1ffffffff.8p0L), to_u33(0.99L), to_u33(4294967296.0L));
  printf("%ld %ld\n", to_i100(0x1.123456789abcdefp98L), to_i100(-0x1.123456789abcdefp98L));
  show("bool", from_bool(1));
  show("signed bool", from_signed_bool(1));
  const long integers[] = {0, 1, -1, 0xffffffff, 0x100000000, 0x1ffffffff, 0x123456789abcdef};
  for (unsigned i = 0; i < sizeof integers / sizeof *integers; i++) {
    show("i33", from_i33(integers[i]));
    show("u33", from_u33(integers[i]));
    show("i100", from_i100(integers[i]));
  }
  const number numbers[] = {0.0L, -0.0L, 1.25L, -3.75L, 1e30L, 1e4000L, 1e-4940L, 12345.678L};
  const int count = sizeof numbers / sizeof *numbers;
  for (int i = 0; i < count; i++) {
    number x = numbers[i];
    long rounded = 0;
    show("of three", of_three(x));
    if (x < 1e18L)
      show("of different", of_different(x)), show("parts", parts(x, &rounded));
    printf("%ld\n", rounded);
    for (int j = 0; j < count; j++) {
      number y = numbers[j];
      show("difference", difference(x, y));
      show("several", several(x, y));
      show("hand over", hand_over(x, y));
      show("must", must(x, y));
      show("rotate", rotate(j + 1, x, y, 2.5L));
      printf("%d\n", always(x, y));
      for (int k = 0; k < 3; k++)
        forget(x);
    }
  }
  show("aggregate", aggregate());
  show("aggregate", aggregate());
  show("choose", choose(0));
  show("choose", choose(7));
}
