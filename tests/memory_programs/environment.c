// Floating-point operations under every rounding mode: results and the exceptions that they raise.
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#pragma STDC FENV_ACCESS ON

static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
static unsigned long hash = 14695981039346656037ul;
static unsigned long lines;

static void mix(const void *bytes, unsigned size) {
    const unsigned char *byte = bytes;
    for (unsigned i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 1099511628211ul;
}

// The bits of a result and the exceptions since the last call.
static void note(const char *what, const void *bytes, unsigned size) {
    int raised = fetestexcept(FE_ALL_EXCEPT);
    mix(bytes, size);
    mix(&raised, sizeof raised);
    lines++;
#ifdef VERBOSE
    printf("%s %x ", what, raised);
    for (unsigned i = size; i-- > 0;)
        printf("%02x", ((const unsigned char *)bytes)[i]);
    printf("\n");
#endif
    feclearexcept(FE_ALL_EXCEPT);
}

static void section(const char *name) { printf("%s %lu %016lx\n", name, lines, hash); }

// A long double has ten bytes, whatever memory it takes.
#define SIZE(T) _Generic((T *)0, long double *: 10, default: sizeof(T))

#define NOTE(T, expression)                                                                                            \
    do {                                                                                                               \
        feclearexcept(FE_ALL_EXCEPT);                                                                                  \
        T noted = (expression);                                                                                        \
        note(#T " " #expression, &noted, SIZE(T));                             \
    } while (0)

#define FLOATS(F, NAME, SUFFIX)                                                                                        \
    __attribute__((noinline)) static void arithmetic_##NAME(F a, F b, F c) {                                           \
        NOTE(F, a + b);                                                                                                \
        NOTE(F, a - b);                                                                                                \
        NOTE(F, a * b);                                                                                                \
        NOTE(F, a / b);                                                                                                \
        NOTE(F, -a);                                                                                                   \
        NOTE(F, a + b * c);                                                                                            \
        NOTE(F, __builtin_sqrt##SUFFIX(a));                                                                            \
        NOTE(F, __builtin_fma##SUFFIX(a, b, c));                                                                       \
        NOTE(F, __builtin_fmod##SUFFIX(a, b));                                                                         \
        NOTE(F, __builtin_floor##SUFFIX(a));                                                                           \
        NOTE(F, __builtin_ceil##SUFFIX(a));                                                                            \
        NOTE(F, __builtin_trunc##SUFFIX(a));                                                                           \
        NOTE(F, __builtin_round##SUFFIX(a));                                                                           \
        NOTE(F, __builtin_roundeven##SUFFIX(a));                                                                       \
        NOTE(F, __builtin_rint##SUFFIX(a));                                                                            \
        NOTE(F, __builtin_nearbyint##SUFFIX(a));                                                                       \
        NOTE(F, __builtin_fmin##SUFFIX(a, b));                                                                         \
        NOTE(F, __builtin_fmax##SUFFIX(a, b));                                                                         \
        NOTE(F, __builtin_fabs##SUFFIX(a));                                                                            \
        NOTE(F, __builtin_copysign##SUFFIX(a, b));                                                                     \
        NOTE(F, __builtin_sin##SUFFIX(a));                                                                             \
        NOTE(F, __builtin_cos##SUFFIX(a));                                                                             \
        NOTE(F, __builtin_tan##SUFFIX(a));                                                                             \
        NOTE(F, __builtin_exp##SUFFIX(a));                                                                             \
        NOTE(F, __builtin_exp2##SUFFIX(a));                                                                            \
        NOTE(F, __builtin_log##SUFFIX(a));                                                                             \
        NOTE(F, __builtin_log2##SUFFIX(a));                                                                            \
        NOTE(F, __builtin_log10##SUFFIX(a));                                                                           \
        NOTE(F, __builtin_pow##SUFFIX(a, b));                                                                          \
        NOTE(F, __builtin_powi##SUFFIX(a, 5));                                                                         \
        NOTE(F, __builtin_ldexp##SUFFIX(a, -3));                                                                       \
        NOTE(F, __builtin_atan2##SUFFIX(a, b));                                                                        \
        NOTE(long, __builtin_lrint##SUFFIX(a));                                                                        \
        NOTE(long, __builtin_llrint##SUFFIX(a));                                                                       \
        NOTE(long, __builtin_lround##SUFFIX(a));                                                                       \
        NOTE(long, __builtin_llround##SUFFIX(a));                                                                      \
    }                                                                                                                  \
    __attribute__((noinline)) static void comparisons_##NAME(F a, F b) {                                               \
        NOTE(int, a < b);                                                                                              \
        NOTE(int, a <= b);                                                                                             \
        NOTE(int, a > b);                                                                                              \
        NOTE(int, a >= b);                                                                                             \
        NOTE(int, a == b);                                                                                             \
        NOTE(int, a != b);                                                                                             \
        NOTE(int, !(a < b));                                                                                           \
        NOTE(int, __builtin_isless(a, b));                                                                             \
        NOTE(int, __builtin_islessequal(a, b));                                                                        \
        NOTE(int, __builtin_isgreater(a, b));                                                                          \
        NOTE(int, __builtin_isgreaterequal(a, b));                                                                     \
        NOTE(int, __builtin_islessgreater(a, b));                                                                      \
        NOTE(int, __builtin_isunordered(a, b));                                                                        \
        NOTE(int, __builtin_isnan(a));                                                                                 \
        NOTE(int, __builtin_isinf(a));                                                                                 \
        NOTE(int, a ? 1 : 2);                                                                                          \
        NOTE(F, a < b ? a : b);                                                                                        \
        NOTE(F, a == b ? a + b : a - b);                                                                               \
        int count = 0;                                                                                                 \
        if (a < b)                                                                                                     \
            count += 1;                                                                                                \
        if (a >= b && b > 0)                                                                                           \
            count += 2;                                                                                                \
        if (a == b || a != a)                                                                                          \
            count += 4;                                                                                                \
        NOTE(int, count);                                                                                              \
    }                                                                                                                  \
    __attribute__((noinline)) static void conversions_##NAME(F a) {                                                    \
        NOTE(float, (float)a);                                                                                         \
        NOTE(double, (double)a);                                                                                       \
        NOTE(long double, (long double)a);                                                                             \
        NOTE(int, (int)a);                                                                                             \
        NOTE(unsigned, (unsigned)a);                                                                                   \
        NOTE(long, (long)a);                                                                                           \
        if (a == a)                                                                                                    \
            NOTE(unsigned long, (unsigned long)a);                                                                         \
        NOTE(__int128, (__int128)a);                                                                                   \
        NOTE(unsigned __int128, (unsigned __int128)a);                                                                 \
        if (a > -60 && a < 60) {                                                                                     \
            NOTE(signed char, (signed char)a);                                                                         \
            NOTE(short, (short)a);                                                                                     \
            NOTE(_BitInt(7), (_BitInt(7))a);                                                                           \
            NOTE(_BitInt(33), (_BitInt(33))a);                                                                         \
            NOTE(_BitInt(100), (_BitInt(100))a);                                                                       \
        }                                                                                                              \
        if (a >= 0 && a < 200) {                                                                                       \
            NOTE(unsigned char, (unsigned char)a);                                                                     \
            NOTE(unsigned short, (unsigned short)a);                                                                   \
            NOTE(unsigned _BitInt(40), (unsigned _BitInt(40))a);                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    __attribute__((noinline)) static void integers_##NAME(long i, __int128 w) {                                        \
        NOTE(F, (F)(signed char)i);                                                                                    \
        NOTE(F, (F)(unsigned char)i);                                                                                  \
        NOTE(F, (F)(short)i);                                                                                          \
        NOTE(F, (F)(unsigned short)i);                                                                                 \
        NOTE(F, (F)(int)i);                                                                                            \
        NOTE(F, (F)(unsigned)i);                                                                                       \
        NOTE(F, (F)i);                                                                                                 \
        NOTE(F, (F)(unsigned long)i);                                                                                  \
        NOTE(F, (F)w);                                                                                                 \
        NOTE(F, (F)(unsigned __int128)w);                                                                              \
        NOTE(F, (F)(_BitInt(37))i);                                                                                    \
        NOTE(F, (F)(unsigned _BitInt(99))w);                                                                           \
    }                                                                                                                  \
    /* What a compiler that does not know of the environment would fold, share, drop or move. */                       \
    __attribute__((noinline)) static F environment_##NAME(F a, F b, int n) {                                           \
        F one = 1, three = 3, sum = 0;                                                                                 \
        for (int i = 0; i < 4; i++) {                                                                                  \
            fesetround(modes[i]);                                                                                      \
            F third = one / three;                                                                                     \
            mix(&third, SIZE(F));                                                             \
        }                                                                                                              \
        fesetround(FE_UPWARD);                                                                                         \
        F up = a / b;                                                                                                  \
        fesetround(FE_DOWNWARD);                                                                                       \
        F down = a / b;                                                                                                \
        fesetround(FE_TONEAREST);                                                                                      \
        note(#F " up", &up, SIZE(F));                                                         \
        note(#F " down", &down, SIZE(F));                                                     \
        for (int i = 0; i < n; i++) {                                                                                  \
            fesetround(modes[i & 3]);                                                                                  \
            sum += a * b;                                                                                              \
        }                                                                                                              \
        fesetround(FE_TONEAREST);                                                                                      \
        note(#F " sum", &sum, SIZE(F));                                                       \
        a / b;                                                                                                         \
        (void)(a * b);                                                                                                 \
        F unused = one / (a - a);                                                                                      \
        note(#F " unused", &n, sizeof n);                                                                              \
        if (n > 2) {                                                                                                   \
            F guarded = n > 100 ? one / (a - a) : a + b;                                                               \
            note(#F " guarded", &guarded, SIZE(F));                                           \
        }                                                                                                              \
        F first = (F)n;                                                                                                \
        fesetround(FE_UPWARD);                                                                                         \
        F second = (F)n;                                                                                               \
        F big = (F)0x7fffffffffffffffl;                                                                                \
        fesetround(FE_DOWNWARD);                                                                                       \
        F small = (F)0x7fffffffffffffffl;                                                                              \
        fesetround(FE_TONEAREST);                                                                                      \
        F difference = big - small + (first - second);                                                                 \
        note(#F " difference", &difference, SIZE(F));                                         \
        return sum;                                                                                                    \
    }

FLOATS(float, f, f)
FLOATS(double, d, )
FLOATS(long double, l, l)

typedef double pair __attribute__((vector_size(16)));
typedef float quad __attribute__((vector_size(16)));
typedef int four __attribute__((vector_size(16)));

// Lanes are operations of their own.
__attribute__((noinline)) static void vectors(double a, double b) {
    pair p = {a, b}, q = {b, a};
    NOTE(pair, p + q);
    NOTE(pair, p / q);
    NOTE(pair, p - q * p);
    quad x = {(float)a, (float)b, 1.0f, 3.0f}, y = {3.0f, 7.0f, (float)b, (float)a};
    NOTE(quad, x * y);
    NOTE(quad, x / y);
    NOTE(four, x < y);
    NOTE(four, x == y);
    if (a > -1e6 && a < 1e6 && b > -1e6 && b < 1e6)
        NOTE(four, __builtin_convertvector(x, four));
}

int main(void) {
    static const double plain[] = {0.0,     -0.0,   1.0,    -1.0,      0.5,    1.5,     2.5,    -2.5,   3.7,
                                   1e300,   -1e300, 1e-310, 4e-324,    0x1p31, 0x1p32,  0x1p63, 0x1p64, 0x1.8p63,
                                   0x1p127, 0.1,    1e10,   -0x1.1p62, 65.25,  -77.125, 0x1.fffffffffffffp62, 0x1p-126};
    double values[32];
    unsigned count = sizeof plain / sizeof plain[0];
    memcpy(values, plain, sizeof plain);
    uint64_t odd[] = {0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff4000000000000};
    for (unsigned i = 0; i < 4; i++)
        memcpy(&values[count++], &odd[i], 8);
    for (unsigned mode = 0; mode < 4; mode++) {
        fesetround(modes[mode]);
        for (unsigned i = 0; i < count; i++) {
            for (unsigned j = 0; j < count; j++) {
                double a = values[i], b = values[j], c = values[(i + j) % count];
                float fa = (float)a, fb = (float)b, fc = (float)c;
                long double la = (long double)a * 1.1l, lb = (long double)b / 3, lc = c;
                arithmetic_f(fa, fb, fc);
                arithmetic_d(a, b, c);
                arithmetic_l(la, lb, lc);
                comparisons_f(fa, fb);
                comparisons_d(a, b);
                comparisons_l(la, lb);
                vectors(a, b);
            }
            section("arithmetic");
            conversions_f((float)values[i]);
            conversions_d(values[i]);
            conversions_l((long double)values[i] * 1.0000001l);
            section("conversions");
        }
        static const long numbers[] = {0, 1, -1, 127, 128, 16777217, -16777217, 0x7fffffff, 0x80000000, 0x7fffffffffffffff,
                                       -0x7fffffffffffffff - 1, 0x20000000000001, 0x8000000000000401};
        for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            __int128 wide = (__int128)numbers[i] << (i * 7 % 63) | numbers[i];
            integers_f(numbers[i], wide);
            integers_d(numbers[i], wide);
            integers_l(numbers[i], wide);
        }
        section("integers");
    }
    for (int n = 1; n < 20; n += 6) {
        environment_f(1.1f, 3.3f, n);
        environment_d(1.1, 3.3, n);
        environment_l(1.1l, 3.3l, n);
    }
    section("environment");
    return 0;
}
