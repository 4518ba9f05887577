/* setjmp and longjmp: what was not changed in between is as it was, in memory and in registers. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf outer, inner;
static int depth;

__attribute__((noinline)) static void spoil(int n) {
    volatile char bytes[256];
    memset((char *)bytes, n, sizeof bytes);
    register long a = n, b = n * 3, c = n * 5, d = n * 7, e = n * 11, f = n * 13;
    for (int i = 0; i < n; i++) {
        a += b ^ c; b += c ^ d; c += d ^ e; d += e ^ f; e += f ^ a; f += a ^ b;
    }
    if (a + b + c + d + e + f == 1234567)
        puts("never");
}

__attribute__((noinline)) static void leave(jmp_buf to, int with) {
    spoil(with + 3);
    if (depth++ % 3 == 2)
        leave(to, with);
    longjmp(to, with);
}

/* Values of every kind that live across and do not change. */
__attribute__((noinline)) static long keep(int a, long b, double c, float d, char *e, unsigned __int128 f) {
    long g = b * a, h = g ^ b, i = h + a, j = i * 3, k = j - g, l = k + h, m = l ^ i;
    double x = c * a, y = x + d, z = y * c;
    int local[5] = {a, a + 1, a + 2, a + 3, a + 4};
    unsigned __int128 wide = f * f + a;
    int code = setjmp(outer);
    if (code < 4) {
        spoil(code + 10);
        leave(outer, code + 1);
    }
    printf("%d %d %ld %g %g %s %lx\n", code, a, b, c, d, e, (unsigned long)f);
    printf("%ld %ld %ld %ld %ld %ld %ld %g %g %g\n", g, h, i, j, k, l, m, x, y, z);
    printf("%d %d %lx %lx\n", local[1], local[4], (unsigned long)(wide >> 64), (unsigned long)wide);
    return g + m + code;
}

/* What is computed from values that live across must not take their places, before the jump or behind it. */
__attribute__((noinline)) static long derive(long a, long b, long c, long d, long e, long f) {
    long g = a * b, h = b ^ c, i = c - d, j = d * e, k = e + f;
    volatile int rounds = 0;
    long sum = 0;
    if (setjmp(inner) == 0) {
        long l = a + 1, m = b + 2, n = c + 3, o = d + 4, p = e + 5, q = f + 6, r = g + 7, s = h + 8, t = i + 9;
        spoil(5);
        rounds++;
        sum = l ^ m ^ n ^ o ^ p ^ q ^ r ^ s ^ t;
        leave(inner, sum == 1 ? 2 : 1);
    } else {
        long l = (a ^ 1) + f, m = (b ^ 2) + e, n = (c ^ 3) + d, o = (d ^ 4) + c, p = (e ^ 5) + b, q = (f ^ 6) + a;
        long r = (g ^ 7) + l, s = (h ^ 8) + m, t = (i ^ 9) + n, u = (j ^ 10) + o, v = (k ^ 11) + p;
        printf("%ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld\n", a, b, c, d, e, f, g, h, i, j, k);
        if (rounds++ < 4) {
            spoil(6);
            leave(inner, l + m + n + o + p + q + r + s + t + u + v == 1 ? 2 : 1);
        }
        sum = l ^ m ^ n ^ o ^ p ^ q ^ r ^ s ^ t ^ u ^ v;
    }
    printf("%ld %d\n", sum, rounds);
    return sum;
}

/* What changes is volatile. */
__attribute__((noinline)) static int count(int n) {
    volatile int rounds = 0;
    volatile double sum = 0;
    int limit = n * 2;
    int code = setjmp(outer);
    rounds++;
    sum += code * 0.5;
    if (rounds < limit)
        leave(outer, rounds);
    printf("%d %g %d\n", rounds, sum, code);
    return rounds;
}

/* One inside the other, the address of a local handed out, memory from the heap, a loop around it. */
__attribute__((noinline)) static int nest(int n) {
    int *cells = malloc(n * sizeof *cells);
    int total = 0;
    for (int i = 0; i < n; i++)
        cells[i] = i;
    switch (setjmp(outer)) {
    case 0:
        for (volatile int i = 0; i < n; i++) {
            int code = setjmp(inner);
            if (code == 0)
                leave(inner, i + 1);
            cells[i] += code * 10;
            if (i == n - 1)
                leave(outer, 2);
        }
        break;
    case 2:
        for (int i = 0; i < n; i++)
            total += cells[i];
        break;
    default:
        total = -1;
    }
    free(cells);
    printf("%d\n", total);
    return total;
}

/* A dynamic area above the jump. */
__attribute__((noinline)) static int area(int n) {
    char *text = __builtin_alloca(n);
    memset(text, 'a', n - 1);
    text[n - 1] = 0;
    if (setjmp(inner) == 0) {
        text[0] = 'b';
        leave(inner, 1);
    }
    printf("%s\n", text);
    return n;
}

int main(void) {
    long sum = 0;
    for (int i = 1; i < 5; i++) {
        sum += keep(i, i * 1000003L, i * 1.25, i * 0.5f, "text", ((unsigned __int128)i << 70) + 17);
        sum += derive(i, i * 3, i * 5, i * 7, i * 11, i * 13);
        sum += count(i);
        sum += nest(i + 3);
        sum += area(i * 9);
    }
    printf("%ld\n", sum);
    return 0;
}
