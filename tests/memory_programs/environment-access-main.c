// Calls the functions of environment-access.ll, and looks at the environment by the C library's functions.
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void get_environment(void *);
void set_environment(const void *);
void reset_environment(void);
long get_modes(void);
int get_short_modes(void);
void set_modes(long);
void reset_modes(void);
short half_of_float(float), half_of_double(double), half_of_extended(long double);
float float_of_half(short);
double double_of_half(short);
long double extended_of_half(short), canonical(long double);
_Bool is_of_type(void *);

static void say(const char *what) { printf("%s: mode %x raised %x\n", what, fegetround(), fetestexcept(FE_ALL_EXCEPT)); }

int main(void) {
    uint64_t before[4] = {0};
    fesetround(FE_UPWARD);
    feraiseexcept(FE_DIVBYZERO);
    fegetenv((fenv_t *)before);
    uint64_t found[4] = {0};
    get_environment(found);
    if (memcmp(found, before, sizeof found) != 0 || fetestexcept(FE_ALL_EXCEPT) != FE_DIVBYZERO)
        printf("another environment\n");
    say("got");
    fesetround(FE_DOWNWARD);
    feclearexcept(FE_ALL_EXCEPT);
    set_environment(before);
    say("set");
    reset_environment();
    say("reset");
    volatile long double three = 3;
    printf("%La\n", three / 7);

    fesetround(FE_TOWARDZERO);
    long modes = get_modes();
    // What is between the two control words is nobody's.
    printf("%lx\n", modes & ~0xffff0000l);
    if ((get_short_modes() & 0xffff) != (modes & 0xffff))
        printf("other modes\n");
    fesetround(FE_TONEAREST);
    set_modes(modes);
    say("modes set");
    reset_modes();
    say("modes reset");

    for (int bits = 0; bits < 0x10000; bits += 0x37) {
        float single = float_of_half((short)bits);
        double wide = double_of_half((short)bits);
        long double extended = extended_of_half((short)bits);
        if (single != single)
            continue;
        if (half_of_float(single) != (short)bits || half_of_double(wide) != (short)bits ||
            half_of_extended(extended) != (short)bits)
            printf("%x: %a %a %La\n", bits, single, wide, extended);
    }
    printf("%hx %hx %hx\n", half_of_float(65520), half_of_double(1e-8), half_of_extended(0.1l));
    printf("%a %a %La\n", float_of_half(0x3555), double_of_half(1), extended_of_half((short)0xfbff));
    printf("%La %La\n", canonical(1.1l), canonical(-0.0l));
    // A signaling number that is none becomes a quiet one.
    long double signaling = 0, quiet;
    memcpy(&signaling, &(uint64_t[2]){0xa000000000000001, 0x7fff}, 10);
    quiet = canonical(signaling);
    uint64_t parts[2] = {0};
    memcpy(parts, &quiet, 10);
    printf("%lx %lx %d\n", parts[0], parts[1], is_of_type(parts));
    return 0;
}
