// __builtin_setjmp and __builtin_longjmp: values of many kinds live across the place that is jumped back to, and the
// caller's registers are what they were.

#include <stdio.h>

static void *buffer[5];
static void *again[5];

__attribute__((noinline)) static void leave(int depth) {
    volatile char room[64];
    room[0] = (char)depth;
    if (depth == 0)
        __builtin_longjmp(buffer, 1);
    leave(depth - 1);
    puts("never");
}

__attribute__((noinline)) static long across(long a, long b, double d) {
    long triple = a * 3, times = b * 5, mixed = a ^ b, difference = a - b, more = a + 7;
    double twice = d * 2;
    volatile int passes = 0;
    if (__builtin_setjmp(buffer) == 0) {
        passes = 1;
        leave(5);
    } else {
        passes += 10;
    }
    printf("%ld %ld %ld %ld %ld %g %d\n", triple, times, mixed, difference, more, twice, passes);
    return triple + times + mixed + difference + more + (long)twice + passes;
}

// A variable that changes after the place to jump back to was noted.
__attribute__((noinline)) static void jump(void) {
    __builtin_longjmp(buffer, 1);
}

__attribute__((noinline)) static int changed(int x) {
    int seen = 0;
    if (__builtin_setjmp(buffer) == 0) {
        while (1) {
            seen = 1;
            jump();
        }
    }
    return seen == 0 ? 0 : x;
}

int main(int count, char **words) {
    long sum = 0;
    for (long i = 0; i < 3; i++) {
        long product = i * count, other = i + count;
        sum += across(i, i + 1, i * 0.5) + product * other;
    }
    printf("%ld\n", sum);
    static int jumps;
    char *volatile room = __builtin_alloca(100 * count);
    room[0] = 3;
    if (__builtin_setjmp(again))
        jumps++;
    if (jumps < 3)
        __builtin_longjmp(again, 1);
    printf("%d %d %d\n", jumps, room[0], changed(4));
    return words[0] == 0;
}
