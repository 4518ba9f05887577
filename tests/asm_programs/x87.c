/* Inline assembly with operands on the x87 stack, as C libraries write it: every way to read, replace and pop them. */
#include <stdint.h>
#include <stdio.h>

typedef long double wide;
#define OUT __attribute__((noinline)) static

OUT wide sine(wide x) { __asm__("fsin" : "+t"(x)); return x; }
OUT double sine_of_double(double x) { double r; __asm__("fsin" : "=t"(r) : "0"(x)); return r; }
OUT float root(float x) { __asm__("fsqrt" : "+t"(x)); return x; }
OUT wide log_times(wide x, wide y) { wide r; __asm__("fyl2x" : "=t"(r) : "0"(x), "u"(y) : "st(1)"); return r; }
OUT double atan_2(double y, double x) { double r; __asm__("fpatan" : "=t"(r) : "0"(x), "u"(y) : "st(1)"); return r; }
OUT int64_t round_and_pop(wide x) {
    int64_t n;
    __asm__("fistpll %0" : "=m"(n) : "t"(x) : "st");
    return n;
}
OUT int round_and_keep(wide x) {
    int n;
    __asm__("fistl %0" : "=m"(n) : "t"(x));
    return n;
}
OUT wide remainder_of(wide x, wide y) {
    unsigned short status;
    do {
        __asm__("fprem; fnstsw %%ax" : "+t"(x), "=a"(status) : "u"(y) : "cc");
    } while (status & 0x400);
    return x;
}
OUT void sine_and_cosine(double x, double *s, double *c) { __asm__("fsincos" : "=t"(*c), "=u"(*s) : "0"(x)); }
OUT wide exponent_of(wide x, wide *significand) {
    wide exponent;
    __asm__("fxtract" : "=t"(*significand), "=u"(exponent) : "0"(x));
    return exponent;
}
OUT wide scaled(wide x, int n) { __asm__("fscale" : "+t"(x) : "u"((wide)n)); return x; }
OUT double added(double x, double y) { __asm__("fadd %2, %0" : "=&t"(x) : "0"(x), "f"(y)); return x; }
OUT double three(double x, double y, double z) {
    double r;
    __asm__("fmul %2, %0; fadd %3, %0" : "=&t"(r) : "0"(x), "f"(y), "f"(z));
    return r;
}
OUT double below_fixed(double x, double y, double z) {
    __asm__("fmul %3, %0\n faddp %%st, %%st(1)" : "=&t"(x) : "0"(x), "u"(y), "f"(z) : "st(1)");
    return x;
}
OUT int is_less(wide x, wide y) {
    unsigned char below;
    __asm__("fcomip %2, %1; setb %0" : "=q"(below) : "t"(x), "f"(y) : "st", "cc");
    return below;
}
OUT int flags_of(wide x, wide y) {
    int equal, above;
    __asm__("fucomi %3, %2" : "=@cce"(equal), "=@cca"(above) : "t"(x), "f"(y));
    return equal * 2 + above;
}
OUT wide constant(void) { wide pi; __asm__("fldpi" : "=t"(pi)); return pi; }
OUT wide of_constants(void) {
    wide r;
    __asm__("fdivp" : "=t"(r) : "0"(3.0L), "u"(1.5L) : "st(1)");
    return r;
}
OUT wide same_twice(wide x) { wide r; __asm__("fmulp" : "=t"(r) : "0"(x), "u"(x) : "st(1)"); return r; }
OUT wide in_memory(wide x) { wide r; __asm__("fldt %1; fchs; fstpt %0" : "=m"(r) : "m"(x) : "st", "st(1)"); return r; }
OUT void initialise(void) {
    __asm__ volatile("fninit" ::: "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)", "fpsr");
}
OUT wide named(wide x) {
    register wide r __asm__("st") = x;
    __asm__("fabs" : "+t"(r));
    return r;
}
OUT wide swapped(wide x, wide y, wide *other) {
    wide a, b;
    __asm__("fxch" : "=t"(a), "=u"(b) : "0"(x), "1"(y));
    *other = b;
    return a;
}
OUT double widths(float x, double y, wide z) {
    float r;
    __asm__("fadd %3, %0; faddp" : "=&t"(r) : "0"(x), "u"(y), "f"(z) : "st(1)");
    return r;
}
OUT int jumps(wide x) {
    __asm__ goto("fucomi %1, %0; ja %l[negative]" ::"t"(0.0L), "f"(x) : "cc" : negative);
    return 1;
negative:
    return -1;
}

/* Many values live around texts, and calls between them. */
OUT wide series(int n) {
    wide sum = 0, factor = 1.5L;
    double other = 0.25;
    for (int i = 1; i <= n; i++) {
        wide x = i / 7.0L, s = x, c;
        __asm__("fsincos" : "=t"(c), "=u"(s) : "0"(x));
        double r = atan_2((double)s, (double)c);
        __asm__("fmul %2, %0" : "=&t"(other) : "0"(other), "f"(r));
        sum += s * factor + c / factor + other + root((float)i);
        factor = log_times(x + 1, factor) + 2;
    }
    return sum;
}

int main(void) {
    initialise();
    double s, c;
    wide significand, other;
    sine_and_cosine(1.25, &s, &c);
    printf("%.19Lg %.17g %.9g\n", sine(2.5L), sine_of_double(-1.5), root(2.0f));
    printf("%.19Lg %.17g\n", log_times(10.0L, 3.0L), atan_2(1.0, -2.0));
    printf("%lld %lld %d\n", (long long)round_and_pop(-2.5L), (long long)round_and_pop(1e18L + 1), round_and_keep(7.75L));
    printf("%.19Lg %.17g %.17g\n", remainder_of(1e30L, 7.1L), s, c);
    wide exponent = exponent_of(100.0L, &significand);
    printf("%.19Lg %.19Lg %.19Lg\n", exponent, significand, scaled(1.25L, -70));
    printf("%.17g %.17g %.17g\n", added(1.5, 2.25), three(2.0, 3.0, 10.0), below_fixed(1.0, 2.0, 5.0));
    printf("%d %d %d %d\n", is_less(1.0L, 2.0L), is_less(2.0L, 1.0L), flags_of(1.0L, 1.0L), flags_of(2.0L, 1.0L));
    printf("%.19Lg %.19Lg %.19Lg %.19Lg\n", constant(), of_constants(), same_twice(1.1L), in_memory(1.3L));
    wide top = swapped(1.0L, 2.0L, &other);
    printf("%.19Lg %.19Lg %.19Lg %.17g\n", named(-4.5L), top, other, widths(1.0f, 2.0, 4.0L));
    printf("%.19Lg\n", series(50));
    /* Nothing may be left on the stack. */
    unsigned short tags[14];
    __asm__ volatile("fnstenv %0" : "=m"(tags));
    printf("%x\n", tags[4]);
    /* Last, since clang leaves something there behind the jump. */
    printf("%d %d\n", jumps(2.0L), jumps(-2.0L));
    return 0;
}
