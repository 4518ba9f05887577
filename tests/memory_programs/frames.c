/* Frames of every kind together: large ones, dynamic and over-aligned areas, in loops and below calls. */
#include <alloca.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void check_aligned(const void *pointer, unsigned long align) {
    if ((uintptr_t)pointer % align)
        failures++;
}

__attribute__((noinline)) static long use(char *bytes, long count, int seed) {
    for (long i = 0; i < count; i += 509)
        bytes[i] = (char)(seed + i);
    long sum = 0;
    for (long i = 0; i < count; i += 509)
        sum += bytes[i];
    return sum;
}

__attribute__((noinline)) static long large(int seed) {
    char bytes[100000];
    return use(bytes, sizeof bytes, seed);
}

__attribute__((noinline)) static long several_pages(int seed, long a, long b, long c, long d, long e, long f, long g) {
    char bytes[9000], more[4096 * 5];
    long sum = use(bytes, sizeof bytes, seed) + use(more, sizeof more, seed + 1);
    return sum + a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
}

__attribute__((noinline)) static long dynamic(int count, int seed) {
    long sum = 0;
    for (int i = 1; i <= count; i++) {
        char *bytes = alloca((size_t)i * 1777);
        check_aligned(bytes, 16);
        sum += use(bytes, i * 1777L, seed + i);
    }
    return sum;
}

__attribute__((noinline)) static long variable(int count, int seed) {
    long sum = 0;
    for (int i = 1; i <= count; i++) {
        int numbers[i * 3];
        for (int j = 0; j < i * 3; j++)
            numbers[j] = seed * j;
        long lengths[i];
        lengths[i - 1] = numbers[i * 3 - 1];
        sum += lengths[i - 1];
    }
    return sum;
}

__attribute__((noinline)) static long aligned(int count, int seed) {
    _Alignas(64) char fixed[200];
    _Alignas(1024) char strict[3000];
    check_aligned(fixed, 64);
    check_aligned(strict, 1024);
    long sum = use(fixed, sizeof fixed, seed) + use(strict, sizeof strict, seed);
    for (int i = 1; i <= count; i++) {
        char *bytes = __builtin_alloca_with_align((size_t)i * 333, 256 * 8);
        check_aligned(bytes, 256);
        sum += use(bytes, i * 333L, seed + i);
        char *page = __builtin_alloca_with_align((size_t)i * 9000, 8192 * 8);
        check_aligned(page, 8192);
        sum += use(page, i * 9000L, seed + i);
    }
    return sum + use(strict, sizeof strict, seed + 5);
}

struct big {
    long values[40];
};

__attribute__((noinline)) static long passed(struct big value, int n, double x, struct big other) {
    char *bytes = alloca((size_t)n);
    use(bytes, n, n);
    return value.values[3] + other.values[39] + n + (long)x + bytes[0];
}

/* Arguments on the stack below a dynamic area. */
__attribute__((noinline)) static long below(int n) {
    struct big value, other;
    for (int i = 0; i < 40; i++) {
        value.values[i] = n * i;
        other.values[i] = n + i;
    }
    char *bytes = alloca((size_t)n * 100);
    long sum = use(bytes, n * 100L, n);
    sum += passed(value, n, n * 1.5, other);
    sum += several_pages(n, 1, 2, 3, 4, 5, 6, 7);
    return sum + use(bytes, n * 100L, n);
}

__attribute__((noinline)) static long recursive(int n) {
    char bytes[5000];
    long sum = use(bytes, sizeof bytes, n);
    return n == 0 ? sum : sum + recursive(n - 1) + bytes[509];
}

int main(void) {
    printf("%ld\n", large(3));
    printf("%ld\n", several_pages(4, 1, 2, 3, 4, 5, 6, 7));
    printf("%ld\n", dynamic(20, 5));
    printf("%ld\n", variable(30, 6));
    printf("%ld\n", aligned(12, 7));
    printf("%ld\n", below(50));
    printf("%ld\n", recursive(40));
    void *here = __builtin_frame_address(0);
    char *lower = alloca(100);
    printf("%d %d\n", (char *)here > lower, failures);
    return 0;
}
