/* A write beyond an array is noticed before the function returns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static long fill(char *bytes, int count) {
    for (int i = 0; i < count; i++)
        bytes[i] = 'x';
    return bytes[0];
}

__attribute__((noinline)) static long several(int count, int seed) {
    long before = seed, numbers[4] = {seed, 2, 3, 4};
    char bytes[24];
    int small;
    char *pointer = (char *)&small;
    fill(pointer, 4);
    fill(bytes, count);
    if (before != seed || numbers[1] != 2)
        puts("a neighbor was written");
    return numbers[seed & 3] + before + small;
}

__attribute__((noinline)) static double dynamic(int count, double x) {
    char *bytes = __builtin_alloca((size_t)count);
    fill(bytes, count);
    return bytes[count - 1] + x;
}

__attribute__((noinline)) static int early(int n) {
    char bytes[100];
    if (n < 3)
        return n * 2;
    fill(bytes, n);
    if (n < 50)
        return bytes[n - 1];
    return bytes[1] + n;
}

int main(int argc, char **argv) {
    printf("%ld\n", several(24, 5));
    printf("%g\n", dynamic(1000, 0.5));
    printf("%d %d %d\n", early(1), early(20), early(90));
    fflush(stdout);
#ifdef OVERFLOW
    /* The guard's first byte is zero, so that one more byte is enough. */
    printf("%ld\n", several(24 + 16 * argc, 5));
#endif
    return 0;
}
