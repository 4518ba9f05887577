// Functions of each convention that C has attributes for on i386, and what calls them. Compiled with CALLEES by one
// compiler, with CALLERS by another. Left out is what clang and gcc pass otherwise: integers after floats, or after
// what no register is left for, where some integers are in registers.
typedef struct { int a, b; } small;
typedef struct { int a[5]; } big;
typedef struct { char c; double d; long double e; } odd;
int printf(const char *, ...);

#define FUNCTIONS(word, attribute) \
    attribute int word##_ints(int a, int b, int c, int d); \
    attribute long long word##_mixed(char a, short c, unsigned char d, long long b, long long e); \
    attribute double word##_floats(int a, int e, double b, float c, long double d); \
    attribute long double word##_long(int b, long double a); \
    attribute int word##_struct(int a, small b, int c, big d, odd e); \
    attribute float word##_pointer(int *a, float b, int (*c)(int), char d);

#define BODIES(word, attribute) \
    attribute int word##_ints(int a, int b, int c, int d) { return a + 2 * b + 3 * c + 5 * d; } \
    attribute long long word##_mixed(char a, short c, unsigned char d, long long b, long long e) { \
        return a + 3 * b - c + 7 * d - e; \
    } \
    attribute double word##_floats(int a, int e, double b, float c, long double d) { return a + b * c - d / e; } \
    attribute long double word##_long(int b, long double a) { return a * b; } \
    attribute int word##_struct(int a, small b, int c, big d, odd e) { \
        return a + b.a * 2 + b.b * 3 + c * 5 + d.a[0] + d.a[4] * 7 + e.c + (int)e.d + (int)e.e; \
    } \
    attribute float word##_pointer(int *a, float b, int (*c)(int), char d) { return *a + b + c(d) * 2; }

#define CALLS(word, attribute) \
    static void call_##word(int (*volatile twice)(int)) { \
        small s = {3, 4}; \
        big b = {{5, 6, 7, 8, 9}}; \
        odd o = {1, 2.5, 3.5L}; \
        int number = 17; \
        attribute int (*volatile ints)(int, int, int, int) = word##_ints; \
        printf(#word " %d %d %lld\n", word##_ints(1, 2, 3, 4), ints(5, 6, 7, 8), \
               word##_mixed(-1, -300, 200, 0x123456789all, -5)); \
        printf("%.3f %.3f %d %.3f\n", word##_floats(1, 4, 2.5, 1.5f, 8.0L), (double)word##_long(3, 2.5L), \
               word##_struct(1, s, 2, b, o), word##_pointer(&number, 0.5f, twice, 'x')); \
    }

#define EACH(what) \
    what(plain, ) \
    what(standard, __attribute__((stdcall))) \
    what(fast, __attribute__((fastcall))) \
    what(this, __attribute__((thiscall))) \
    what(one, __attribute__((regparm(1)))) \
    what(two, __attribute__((regparm(2)))) \
    what(three, __attribute__((regparm(3)))) \
    what(popping, __attribute__((stdcall, regparm(3))))

EACH(FUNCTIONS)
big made(int, int);
__attribute__((stdcall)) big made_popping(int, int);
__attribute__((regparm(3))) big made_in_registers(int, int);
_Complex double complex_of(double, float);
int sum(int count, const char *kinds, ...);

#ifdef CALLEES
EACH(BODIES)
big made(int a, int b) { return (big){{a, b, a + b, a - b, a * b}}; }
__attribute__((stdcall)) big made_popping(int a, int b) { return (big){{a, b, a + b, a - b, a * b}}; }
__attribute__((regparm(3))) big made_in_registers(int a, int b) { return (big){{a, b, a + b, a - b, a * b}}; }
_Complex double complex_of(double a, float b) { return a + b * 1.0i; }
int sum(int count, const char *kinds, ...) {
    __builtin_va_list list, copy;
    int total = 0;
    __builtin_va_start(list, kinds);
    __builtin_va_copy(copy, list);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < count; i++) {
            switch (kinds[i]) {
            case 'i': total += __builtin_va_arg(list, int); break;
            case 'l': total += (int)__builtin_va_arg(list, long long); break;
            case 'd': total += (int)__builtin_va_arg(list, double); break;
            case 'L': total += (int)__builtin_va_arg(list, long double); break;
            case 's': total += __builtin_va_arg(list, small).b; break;
            case 'b': total += __builtin_va_arg(list, big).a[3]; break;
            case 'o': total += (int)__builtin_va_arg(list, odd).e; break;
            }
            total *= 3;
        }
        if (round == 0) {
            __builtin_va_end(list);
            __builtin_va_copy(list, copy);
        }
    }
    return total;
}
#endif

#ifdef CALLERS
EACH(CALLS)
static int twice(int x) { return 2 * x; }
#define RUN(word, attribute) call_##word(twice);
static void show(big b) { printf("%d %d %d %d %d\n", b.a[0], b.a[1], b.a[2], b.a[3], b.a[4]); }
int main(void) {
    EACH(RUN)
    show(made(3, 4));
    show(made_popping(5, 6));
    show(made_in_registers(7, 8));
    _Complex double c = complex_of(1.5, 2.5f);
    printf("%.2f %.2f\n", __real__ c, __imag__ c);
    small s = {1, 2};
    big b = {{1, 2, 3, 4, 5}};
    odd o = {1, 2, 77};
    printf("%d\n", sum(8, "ildLsboi", 1, 2ll, 3.0, 4.0L, s, b, o, 9));
    return 0;
}
#endif
