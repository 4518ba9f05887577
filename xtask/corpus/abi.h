/* The calling convention, from both sides. This file is compiled twice: by the compiler under test and by the host's.
 * Each side has the same functions under its own prefix and calls those of the other side, through prototypes and
 * through pointers. Define HERE(name) and THERE(name) before including it. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct one { int8_t a; };
struct three { uint8_t a, b, c; };
struct twelve { int a, b, c; };
struct mixed { double a; int b; };
struct reversed { short a; double b; };
struct floats_in_one { float a; int b; };
struct two_doubles { double a, b; };
struct sixteen { char text[16]; };
struct big { long values[5]; };
struct nested { struct { short a; struct one b; } inner; void *p; };
union either { double real; long bits; };
typedef __int128 wide;

#define PRINT(...) (printf("%s: ", __func__), printf(__VA_ARGS__))

#define DECLARE(SIDE)                                                                                                 \
    long SIDE(small)(bool, signed char, unsigned char, short, unsigned short, int, unsigned, bool, signed char, short);\
    double SIDE(numbers)(float, double, int, float, double, double, float, double, double, float, double, float);     \
    struct one SIDE(one)(struct one, struct three);                                                                   \
    struct three SIDE(three)(struct three, int);                                                                      \
    struct twelve SIDE(twelve)(struct twelve, struct twelve, struct twelve, struct twelve);                           \
    struct mixed SIDE(mixed)(struct mixed, struct reversed, double, int);                                             \
    struct reversed SIDE(reversed)(int, int, int, int, int, int, struct reversed);                                    \
    struct floats_in_one SIDE(floats_in_one)(struct floats_in_one);                                                   \
    struct two_doubles SIDE(two_doubles)(struct two_doubles, struct two_doubles);                                     \
    struct sixteen SIDE(sixteen)(int, int, int, int, int, struct sixteen, struct sixteen);                            \
    struct big SIDE(big)(struct big, int, struct big);                                                                \
    struct nested SIDE(nested)(struct nested);                                                                        \
    union either SIDE(either)(union either, bool);                                                                    \
    wide SIDE(wide)(wide, int, wide, int, wide, long, wide);                                                          \
    long SIDE(variadic)(const char *, ...);                                                                           \
    bool SIDE(narrow_result)(int);                                                                                    \
    signed char SIDE(signed_result)(int);                                                                             \
    unsigned short SIDE(unsigned_result)(int);                                                                        \
    void SIDE(all)(int)

DECLARE(HERE);
DECLARE(THERE);

long HERE(small)(bool a, signed char b, unsigned char c, short d, unsigned short e, int f, unsigned g, bool h,
                 signed char i, short j) {
    PRINT("%d %d %u %d %u %d %u %d %d %d\n", a, b, c, d, e, f, g, h, i, j);
    return a + b * 3L + c * 5L + d * 7L + e * 11L + f * 13L + g * 17L + h * 19L + i * 23L + j * 29L;
}
double HERE(numbers)(float a, double b, int c, float d, double e, double f, float g, double h, double i, float j,
                     double k, float l) {
    PRINT("%g %g %d %g %g %g %g %g %g %g %g %g\n", a, b, c, d, e, f, g, h, i, j, k, l);
    return a - b + c * d - e * f + g * h - i / j + k - l;
}
struct one HERE(one)(struct one x, struct three y) {
    PRINT("%d %u %u %u\n", x.a, y.a, y.b, y.c);
    return (struct one){(int8_t)(x.a - y.b)};
}
struct three HERE(three)(struct three x, int y) {
    PRINT("%u %u %u %d\n", x.a, x.b, x.c, y);
    return (struct three){x.c, (uint8_t)(x.b + y), x.a};
}
struct twelve HERE(twelve)(struct twelve a, struct twelve b, struct twelve c, struct twelve d) {
    PRINT("%d %d %d, %d %d %d, %d %d %d, %d %d %d\n", a.a, a.b, a.c, b.a, b.b, b.c, c.a, c.b, c.c, d.a, d.b, d.c);
    return (struct twelve){a.a + d.c, b.b - c.b, c.c * d.a};
}
struct mixed HERE(mixed)(struct mixed a, struct reversed b, double c, int d) {
    PRINT("%g %d %d %g %g %d\n", a.a, a.b, b.a, b.b, c, d);
    return (struct mixed){a.a * b.b + c, a.b - d};
}
struct reversed HERE(reversed)(int a, int b, int c, int d, int e, int f, struct reversed x) {
    PRINT("%d %d %d %d %d %d %d %g\n", a, b, c, d, e, f, x.a, x.b);
    return (struct reversed){(short)(a + f), x.b / 2};
}
struct floats_in_one HERE(floats_in_one)(struct floats_in_one x) {
    PRINT("%g %d\n", x.a, x.b);
    return (struct floats_in_one){x.a * 2, x.b + 1};
}
struct two_doubles HERE(two_doubles)(struct two_doubles x, struct two_doubles y) {
    PRINT("%g %g %g %g\n", x.a, x.b, y.a, y.b);
    return (struct two_doubles){x.a * y.a - x.b * y.b, x.a * y.b + x.b * y.a};
}
struct sixteen HERE(sixteen)(int a, int b, int c, int d, int e, struct sixteen x, struct sixteen y) {
    PRINT("%d %d %d %d %d %s %s\n", a, b, c, d, e, x.text, y.text);
    x.text[0] = y.text[1];
    return x;
}
struct big HERE(big)(struct big x, int y, struct big z) {
    PRINT("%ld %ld %ld %d %ld\n", x.values[0], x.values[2], x.values[4], y, z.values[3]);
    for (int i = 0; i < 5; i++) x.values[i] = x.values[i] * y - z.values[4 - i];
    return x;
}
struct nested HERE(nested)(struct nested x) {
    PRINT("%d %d %d\n", x.inner.a, x.inner.b.a, *(int *)x.p);
    x.inner.a++;
    ++*(int *)x.p;
    return x;
}
union either HERE(either)(union either x, bool as_bits) {
    if (as_bits) PRINT("%lx\n", x.bits);
    else PRINT("%g\n", x.real);
    x.bits ^= 1L << 63;
    return x;
}
wide HERE(wide)(wide a, int b, wide c, int d, wide e, long f, wide g) {
    PRINT("%lx %lx %d %lx %lx %d %lx %lx %ld %lx %lx\n", (long)(a >> 64), (long)a, b, (long)(c >> 64), (long)c, d,
          (long)(e >> 64), (long)e, f, (long)(g >> 64), (long)g);
    return a * b - c * d + e - g + f;
}
/* The text says what follows: i int, l long, d double, s text, p struct mixed, b struct big. */
long HERE(variadic)(const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    long sum = 0;
    PRINT("%s", kinds);
    for (; *kinds; kinds++) {
        if (*kinds == 'i') sum += va_arg(list, int);
        if (*kinds == 'l') sum += va_arg(list, long);
        if (*kinds == 'd') sum += (long)(va_arg(list, double) * 4);
        if (*kinds == 's') sum += (long)strlen(va_arg(list, const char *));
        if (*kinds == 'p') {
            struct mixed x = va_arg(list, struct mixed);
            sum += (long)x.a + x.b;
        }
        if (*kinds == 'b') sum += va_arg(list, struct big).values[4];
        printf(" %ld", sum);
    }
    printf("\n");
    va_end(list);
    return sum;
}
/* Results whose upper bits must not be trusted by the caller. */
bool HERE(narrow_result)(int x) { return x & 256; }
signed char HERE(signed_result)(int x) { return (signed char)x; }
unsigned short HERE(unsigned_result)(int x) { return (unsigned short)x; }

/* Calls every function of the other side. */
void HERE(all)(int n) {
    long (*through_pointer)(bool, signed char, unsigned char, short, unsigned short, int, unsigned, bool, signed char,
                            short) = THERE(small);
    PRINT("%ld\n", THERE(small)(n & 1, (signed char)-n, 255, -32768, 65535, -n, ~0u, true, -128, (short)n));
    PRINT("%ld\n", through_pointer(false, 127, 0, 1, 2, 3, 4, n > 5, -1, -2));
    PRINT("%.17g\n", THERE(numbers)(1.5f, n, 3, 4.25f, 5, 6, 7, 8, 9, 10, 11, 12));
    PRINT("%d\n", THERE(one)((struct one){-7}, (struct three){1, (uint8_t)n, 3}).a);
    struct three t = THERE(three)((struct three){10, 20, 30}, n);
    PRINT("%u %u %u\n", t.a, t.b, t.c);
    struct twelve w = {n, 2, 3};
    w = THERE(twelve)(w, (struct twelve){4, 5, 6}, w, (struct twelve){7, 8, n});
    PRINT("%d %d %d\n", w.a, w.b, w.c);
    struct mixed m = THERE(mixed)((struct mixed){0.5, n}, (struct reversed){-3, 2.5}, 10, 20);
    PRINT("%g %d\n", m.a, m.b);
    struct reversed r = THERE(reversed)(1, 2, 3, 4, 5, n, (struct reversed){9, 9.5});
    PRINT("%d %g\n", r.a, r.b);
    struct floats_in_one f = THERE(floats_in_one)((struct floats_in_one){1.25f, n});
    PRINT("%g %d\n", f.a, f.b);
    struct two_doubles d = THERE(two_doubles)((struct two_doubles){n, 2}, (struct two_doubles){3, 4});
    PRINT("%g %g\n", d.a, d.b);
    struct sixteen s = THERE(sixteen)(1, 2, 3, 4, n, (struct sixteen){"in registers?"}, (struct sixteen){"no, memory"});
    PRINT("%s\n", s.text);
    struct big b = THERE(big)((struct big){{1, 2, 3, 4, n}}, 7, (struct big){{5, 6, 7, 8, 9}});
    PRINT("%ld %ld %ld\n", b.values[0], b.values[3], b.values[4]);
    int target = n;
    struct nested x = THERE(nested)((struct nested){{5, {-6}}, &target});
    PRINT("%d %d %d\n", x.inner.a, x.inner.b.a, target);
    PRINT("%g\n", THERE(either)((union either){.real = n * 0.5}, false).real);
    PRINT("%lx\n", THERE(either)((union either){.bits = n}, true).bits);
    wide q = THERE(wide)((wide)n << 70, -3, -5, n, (wide)1 << 126, -9, 77);
    PRINT("%lx %lx\n", (long)(q >> 64), (long)q);
    PRINT("%ld\n", THERE(variadic)("ildspbdddddddddiiii", n, 1L << 40, 0.25, "four", (struct mixed){100, 7},
                                   (struct big){{0, 0, 0, 0, 1000}}, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1, 2, 3, -4));
    PRINT("%d %d %d\n", THERE(narrow_result)(n << 8), THERE(signed_result)(n * 100), THERE(unsigned_result)(-n));
}
