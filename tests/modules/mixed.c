/* One of everything in C, small enough to be kept as bitcode: `mixed SIZE`.
 * Every result is printed, so that a program compiled from it shows any mistake. */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Globals of every kind. */
struct entry {
    const char *name;
    int (*apply)(int, int);
    union {
        double real;
        uint64_t bits;
    } value;
    int8_t small[3];
};

static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int times(int a, int b) { return (int)((unsigned)a * (unsigned)b); }
static const struct entry table[] = {
    {"plus", plus, {1.5}, {-1, 0, 1}}, {"minus", minus, {-2.25}, {127, -128, 5}}, {"times", times, {0.0}, {0}}};
static int counters[16];
int common_counter;
static const char *middle_of_text = &"some text"[5];
static int *inside_array = &counters[3];
__attribute__((weak)) int weak_value = 21;
__attribute__((visibility("hidden"))) int hidden_value = 31;
__attribute__((section("frazil_data"))) int in_section = 41;
__attribute__((aligned(64))) char aligned_bytes[64] = "aligned";
extern int missing_weak __attribute__((weak));
extern int second_name __attribute__((alias("weak_value")));
static const double doubles[] = {0.0, -0.0, 1.0 / 3, 1e300, -1e-300};

static int constructed;
__attribute__((constructor)) static void construct(void) { constructed = 77; }

/* Integers of every width, signed and unsigned, and what C says about their conversions. */
#define INTEGERS(TYPE, NAME)                                                                                          \
    __attribute__((noinline)) static void NAME(TYPE a, TYPE b) {                                                      \
        TYPE sum = (TYPE)(a + b), difference = (TYPE)(a - b), product = (TYPE)((uint64_t)a * (uint64_t)b);            \
        TYPE quotient = b ? (TYPE)(a / b) : 0, rest = b ? (TYPE)(a % b) : 0;                                          \
        TYPE left = (TYPE)((uint64_t)a << (b & 7)), right = (TYPE)(a >> (b & 7));                                     \
        printf(#NAME " %lld %lld %lld %lld %lld %lld %lld %lld %lld %d%d%d %g %lld\n", (long long)sum,                \
               (long long)difference, (long long)product, (long long)quotient, (long long)rest, (long long)left,      \
               (long long)right, (long long)(TYPE)(a & ~b), (long long)(TYPE)(a ^ b), a < b, a <= b, a == b,           \
               (double)a, (long long)(TYPE)((double)b * 0.5));                                                         \
    }
INTEGERS(int8_t, integers_i8)
INTEGERS(uint8_t, integers_u8)
INTEGERS(int16_t, integers_i16)
INTEGERS(uint16_t, integers_u16)
INTEGERS(int32_t, integers_i32)
INTEGERS(uint32_t, integers_u32)
INTEGERS(int64_t, integers_i64)
INTEGERS(uint64_t, integers_u64)

static void all_integers(int64_t a, int64_t b) {
    integers_i8((int8_t)a, (int8_t)(b == -1 ? 3 : b));
    integers_u8((uint8_t)a, (uint8_t)b);
    integers_i16((int16_t)a, (int16_t)(b == -1 ? 3 : b));
    integers_u16((uint16_t)a, (uint16_t)b);
    integers_i32((int32_t)a, (int32_t)(b == -1 ? 3 : b));
    integers_u32((uint32_t)a, (uint32_t)b);
    integers_i64(a, b == -1 ? 3 : b);
    integers_u64((uint64_t)a, (uint64_t)b & UINT64_MAX >> 1);
}

typedef unsigned __int128 wide;
static void print_wide(const char *what, wide x) {
    printf("%s %016llx%016llx\n", what, (unsigned long long)(x >> 64), (unsigned long long)x);
}
__attribute__((noinline)) static wide wide_math(wide a, wide b, unsigned shift) {
    wide result = a * b + (a << shift) - (b >> shift);
    if (a < b || (__int128)a < (__int128)b) result ^= ~a;
    result += (wide)((__int128)a >> (shift & 63));
    return b ? result + a / b + a % b : result;
}

/* Bits and overflow. */
static void bits(uint32_t x, uint64_t y) {
    int sum;
    long product;
    bool sum_over = __builtin_add_overflow((int)x, 1 << 30, &sum);
    bool product_over = __builtin_mul_overflow((long)y, 3L, &product);
    printf("bits %d %d %d %d %d %d %x %llx\n", __builtin_popcount(x), __builtin_popcountll(y), __builtin_clz(x | 1),
           __builtin_ctzll(y | 1ull << 63), __builtin_parity(x), __builtin_ffs((int)x), __builtin_bswap32(x),
           (unsigned long long)__builtin_bswap64(y));
    printf("overflow %d %d %d %ld rotate %x %llx\n", sum_over, sum, product_over, product, x << 7 | x >> 25,
           (unsigned long long)(y >> 13 | y << 51));
}

struct fields {
    unsigned a : 3;
    int b : 5;
    unsigned long long c : 37;
    bool d : 1;
    signed char e;
} __attribute__((packed));

static void bit_fields(int n) {
    struct fields f = {0};
    for (int i = 0; i < n; i++) {
        f.a += 3;
        f.b -= 5;
        f.c = f.c * 5 + (unsigned)i;
        f.d = !f.d;
        f.e ^= (signed char)(i * 37);
    }
    printf("fields %u %d %llu %d %d size %zu\n", f.a, f.b, (unsigned long long)f.c, f.d, f.e, sizeof f);
}

/* Floating point. */
static void floats(double x, float y) {
    double z = x * y - x / (y + 1.0f) + (double)(y * y);
    /* Only numbers that fit may be converted to integers. */
    double fits = z > -1e18 && z < 1e18 ? z : 3e17;
    printf("floats %.17g %.9g %d%d%d%d %lld %llu %d %g\n", z, (double)(y * 0.1f), x < y, x == x, x != z, !(x >= y),
           (long long)fits, (unsigned long long)(fits < 0 ? -fits : fits), (int)(signed char)(int)y, (double)(float)x);
    printf("math %g %g %g %g\n", __builtin_fabs(-x), __builtin_copysign(x, -1.0), __builtin_sqrt(x * x),
           (double)__builtin_floorf(y));
}

/* Control flow. */
__attribute__((noinline)) static int dense(int x) {
    switch (x) {
    case 0: return 5;
    case 1: return plus(x, 9);
    case 2: x += 100; /* fall through */
    case 3: return x * 3;
    case 4: return -1;
    case 5:
    case 6: return 66;
    case 9: return 99;
    default: return x & 7;
    }
}
__attribute__((noinline)) static int sparse(uint64_t x) {
    switch (x) {
    case 1: return 1;
    case 1000: return 2;
    case 0xffffffffffull: return 3;
    case 1ull << 63: return 4;
    case 12345 ... 12355: return 5;
    }
    return 0;
}
static int loops(int n) {
    int found = 0;
    for (int i = 2; i < n; i++) {
        bool prime = true;
        for (int k = 2; k * k <= i && prime; k++) prime = i % k != 0;
        if (!prime) continue;
        found += i;
        if (found > 1000000) goto out;
    }
    do {
        n = n & 1 ? 3 * n + 1 : n / 2;
        found ^= n;
    } while (n > 1);
out:
    return found;
}
static unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

/* Structures through calls. */
struct pair {
    long first;
    double second;
};
struct large {
    int values[9];
    char tag;
};
__attribute__((noinline)) static struct pair make_pair(int a, double b) { return (struct pair){a, b}; }
__attribute__((noinline)) static struct large make_large(struct large from, int by) {
    for (int i = 0; i < 9; i++) from.values[i] += by * i;
    from.tag++;
    return from;
}
__attribute__((noinline)) static double many(int a, double b, long c, float d, char e, short f, void *g, double h, int i,
                                             unsigned char j, float k, long l, double m, double n, double o, double p,
                                             double q, struct large r, struct pair s) {
    return a + b + c + d + e + f + (g != 0) + h + i + j + k + l + m * n - o / p + q + r.values[8] + r.tag + s.first + s.second;
}
static long sum_of(int count, ...) {
    va_list list, copy;
    va_start(list, count);
    va_copy(copy, list);
    long sum = 0;
    for (int i = 0; i < count; i++) sum += i & 1 ? (long)va_arg(list, double) : va_arg(list, long);
    sum = sum * 1000 + va_arg(copy, long);
    va_end(copy);
    va_end(list);
    return sum;
}

/* Memory. */
static int compare_ints(const void *a, const void *b) {
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}
static void memory(int n) {
    int numbers[n];
    for (int i = 0; i < n; i++) numbers[i] = (i * 7919 + 13) % 1009;
    qsort(numbers, (size_t)n, sizeof *numbers, compare_ints);
    char *copy = __builtin_alloca((size_t)n * sizeof *numbers);
    memcpy(copy, numbers, (size_t)n * sizeof *numbers);
    memmove(copy + 4, copy, (size_t)n * sizeof *numbers - 4);
    memset(copy, n & 0xff, 4);
    unsigned sum = 0;
    for (size_t i = 0; i < (size_t)n * sizeof *numbers; i++) sum = sum * 31 + (unsigned char)copy[i];
    volatile int watched = n;
    watched += watched;
    printf("memory %d %d %u %d\n", numbers[0], numbers[n - 1], sum, watched);
}
static void atomics(int n) {
    static atomic_int shared;
    static _Atomic uint64_t wide_shared;
    static atomic_uchar narrow;
    static _Atomic(int *) pointer;
    for (int i = 0; i < n; i++) {
        atomic_store(&shared, atomic_load_explicit(&shared, memory_order_acquire) + i);
        atomic_store_explicit(&wide_shared, atomic_load(&wide_shared) ^ (uint64_t)i << i % 60, memory_order_release);
        atomic_store_explicit(&narrow, (unsigned char)(narrow | i), memory_order_relaxed);
        atomic_store(&pointer, &counters[i % 16]);
        atomic_thread_fence(memory_order_seq_cst);
    }
    atomic_signal_fence(memory_order_acq_rel);
    printf("atomics %d %llu %d %d\n", atomic_load(&shared), (unsigned long long)atomic_load(&wide_shared), narrow,
           (int)(atomic_load(&pointer) - counters));
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 10;
    for (unsigned i = 0; i < 3; i++)
        printf("%s %d %llx %d\n", table[i].name, table[i].apply(n, 7), (unsigned long long)table[i].value.bits, table[i].small[1]);
    *inside_array = n;
    common_counter += counters[3] + weak_value + hidden_value + in_section + second_name;
    printf("%s %d %s %d %d\n", middle_of_text, common_counter, aligned_bytes, &missing_weak == 0, constructed);
    for (int i = -2; i < 3; i++) all_integers(n * 1234567890123ll + i, i * 1000003ll * (i & 1 ? 1 : n));
    wide w = (wide)n << 100 | 0x123456789abcdefull;
    print_wide("wide", wide_math(w, (wide)n * 0x1000000000000001ull, (unsigned)n & 127));
    print_wide("wide", wide_math((wide)-n, (wide)n, 3));
    bits((uint32_t)n * 2654435761u, (uint64_t)n * 0x9e3779b97f4a7c15u);
    bit_fields(n);
    for (unsigned i = 0; i < 5; i++) floats(doubles[i] * n, (float)(n - (int)i * 7) * 0.75f);
    unsigned sum = 0;
    for (int i = -3; i < 20; i++) sum = sum * 7 + (unsigned)(dense(i) + sparse((uint64_t)i * (i & 1 ? 1000 : 12345)));
    printf("control %u %d %u\n", sum, loops(n * 10), ackermann(2, (unsigned)n % 20));
    struct pair p = make_pair(n, 0.5);
    struct large l = make_large((struct large){{1, 2, 3, 4, 5, 6, 7, 8, 9}, 'a'}, n);
    printf("calls %.17g %ld\n", many(1, 2.5, 3, 4.5f, 'e', -6, &p, 7.25, 8, 250, 9.5f, -10, 11, 12, 13, 14, 15, l, p),
           sum_of(5, 1L, 2.0, 3L, 4.0, 5L));
    memory(n + 5);
    atomics(n);
    return n & 63;
}
