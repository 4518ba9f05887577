/* Inline assembly that an assembler encodes, in functions with landing pads, thread-local variables and computed gotos. */
#include <cstdio>
#include <stdexcept>
#include <string>
static thread_local int tl = 3;
struct D { const char *n; ~D() { std::printf("~%s\n", n); } };
__attribute__((noinline)) static int f(int x) {
    int r;
    __asm__("1: addl $1,%1\n test $7,%1\n jnz 1b\n movl %1,%0" : "=r"(r), "+r"(x));
    D d{"f"};
    tl += r;
    if (r > 20) throw std::runtime_error("big " + std::to_string(r));
    return r;
}
static int sw(int x) {
    static void *t[] = {&&a, &&b, &&c};
    __asm__ volatile("jmp 1f\n1:");
    goto *t[x];
    a: return 1;
    b: return 20;
    c: return 300;
}
int main() {
    for (int i = 5; i < 30; i += 8) {
        try {
            D d{"m"};
            std::printf("%d\n", f(i));
        }
        catch (const std::exception &e) {
            std::printf("caught %s\n", e.what());
        }
    }
    std::printf("%d %d\n", tl, sw(0) + sw(1) + sw(2));
    double v = 1.5;
    switch ((int)v + tl % 7) {
        case 0: puts("0");
        break;
        case 1: puts("1");
        break;
        case 2: puts("2");
        break;
        case 3: puts("3");
        break;
        case 4: puts("4");
        break;
        case 5: puts("5");
        break;
        default: puts("d");
    }
}
