// Calls functions of clearing.c and looks at what they leave in registers.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int g(int x) { return x * 7; }
double gd(double x) { return x + 1; }

typedef struct { long a[5]; } Big;
typedef struct { long a, b; } P;
long f(long, int);
double d(double, int);
int tail(int);
P p(long);
_Complex double c(double);
long double ld(long double);
_Complex long double cld(long double);
int cond(int);
int va(int, ...);
Big big(long);
int guarded(int);
double halves(float, float);
long double mixed(int);
int inner(int);

// General registers in the order of the calls below; then those of floats.
static struct { uint64_t general[9]; uint64_t floats[16][2]; } left;
static struct { char control[28]; unsigned char places[8][10]; } x87;

__asm__(".globl look\n"
        "look:\n"
        "push %rbx\n lea left(%rip), %rbx\n"
        "fninit\n"
        "push %rbx\n push %r15\n mov %rdi, %r15\n mov %rsi, %rdi\n mov %rdx, %rsi\n"
        "call *%r15\n pop %r15\n pop %rbx\n"
        "mov %rax, (%rbx)\n mov %rcx, 8(%rbx)\n mov %rdx, 16(%rbx)\n mov %rsi, 24(%rbx)\n mov %rdi, 32(%rbx)\n"
        "mov %r8, 40(%rbx)\n mov %r9, 48(%rbx)\n mov %r10, 56(%rbx)\n mov %r11, 64(%rbx)\n"
        "movups %xmm0, 72(%rbx)\n movups %xmm1, 88(%rbx)\n movups %xmm2, 104(%rbx)\n movups %xmm3, 120(%rbx)\n"
        "movups %xmm4, 136(%rbx)\n movups %xmm5, 152(%rbx)\n movups %xmm6, 168(%rbx)\n movups %xmm7, 184(%rbx)\n"
        "movups %xmm8, 200(%rbx)\n movups %xmm9, 216(%rbx)\n movups %xmm10, 232(%rbx)\n movups %xmm11, 248(%rbx)\n"
        "movups %xmm12, 264(%rbx)\n movups %xmm13, 280(%rbx)\n movups %xmm14, 296(%rbx)\n movups %xmm15, 312(%rbx)\n"
        "fnsave x87(%rip)\n fninit\n"
        "pop %rbx\n ret\n");
extern long look(void *function, long first, long second);

static void show(const char *name, void *function, long first, long second) {
    look(function, first, second);
    printf("%s rdi %d rsi %d", name, left.general[4] != 0, left.general[3] != 0);
    int general = 0, floats = 0, places = 0;
    for (int i = 1; i < 9; i++) {
        general += left.general[i] != 0;
    }
    for (int i = 0; i < 16; i++) {
        floats += left.floats[i][0] != 0 || left.floats[i][1] != 0;
    }
    for (int i = 0; i < 8; i++) {
        static const unsigned char zero[10];
        places += memcmp(x87.places[i], zero, 10) != 0;
    }
    printf(" general %d floats %d x87 %d\n", general, floats, places);
}

int main(void) {
    P pair = p(5);
    _Complex double complex = c(1.5);
    _Complex long double longer = cld(4.5L);
    Big many = big(9);
    printf("%ld %g %d %ld %ld %g %g\n", f(6, 7), d(2.5, 3), tail(4), pair.a, pair.b, __real complex, __imag complex);
    printf("%Lg %Lg %Lg %d %d %d\n", ld(2.5L), __real longer, __imag longer, cond(0), cond(3), va(2, 8, 9));
    printf("%ld %ld %d %g %Lg %d\n", many.a[0], many.a[4], guarded(3), halves(1.5f, 2), mixed(21), inner(5));
    show("f", f, 6, 7);
    show("tail", tail, 6, 7);
    show("cond", cond, 0, 7);
    show("guarded", guarded, 3, 7);
    show("halves", halves, 3, 7);
    show("mixed", mixed, 3, 7);
    show("inner", inner, 3, 7);
    return 0;
}
