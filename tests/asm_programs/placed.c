/* Inline assembly whose bytes depend on what is around it: alignment, and branches that are shorter to near places. */
#include <stdint.h>
#include <stdio.h>

/* To labels of the function. */
__attribute__((noinline)) static int branch(int key) {
    __asm__ goto("cmpl $%c1, %0\n je %l[taken]" ::"r"(key), "i"(9)::taken);
    return key;
taken:
    return -key;
}
__attribute__((noinline)) static int far_branch(int key) {
    __asm__ goto("cmpl $%c1, %0\n je %l[taken]\n.skip 200, 0x90" ::"r"(key), "i"(9)::taken);
    return key;
taken:
    return -key;
}

/* Alignment within. */
__attribute__((noinline)) static int aligned(int n) {
    int sum = 0;
    uintptr_t place;
    if (n > 3) {
        sum = n;
    }
    __asm__("xorl %%ecx, %%ecx\n.p2align 5\n1: addl %2, %0\n incl %%ecx\n cmpl $10, %%ecx\n jl 1b\n leaq 1b(%%rip), %1"
            : "+r"(sum), "=&r"(place)
            : "r"(n)
            : "ecx", "cc");
    return place % 32 == 0 ? sum : -1;
}

/* An alignment that we encode. */
int add(int, int);
__attribute__((noinline)) static int loop(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        __asm__ volatile(".p2align 5");
        sum = add(sum, i);
    }
    return sum;
}
__attribute__((noinline)) int add(int x, int y) { return x + y; }

/* To functions of the module. */
__attribute__((noinline, used)) static int local(int x) { return 3 * x; }
__attribute__((naked, noinline)) static int jumps(int x) { __asm__("incl %edi\n jmp local"); }

/* From one text to another. */
__attribute__((noinline)) static int jumps_over(int x) {
    __asm__ volatile("jmp skip_to_here\n ud2" ::: "memory");
    x += 1000;
    __asm__ volatile("ud2\nskip_to_here:" ::: "memory");
    return x;
}
/* A numbered label of an earlier text, in the same function. */
__attribute__((noinline)) static int numbered(int n) {
    int count = 0;
    __asm__ volatile("xorl %%r14d, %%r14d\n77:\n incl %%r14d" ::: "r14", "cc");
    __asm__ volatile("cmpl %1, %%r14d\n jl 77b\n movl %%r14d, %0" : "=r"(count) : "r"(n) : "r14", "cc");
    return count;
}

int main(void) {
    printf("%d %d %d %d\n", branch(1), branch(9), far_branch(1), far_branch(9));
    printf("%d %d %d\n", aligned(2), aligned(5), loop(9));
    printf("%d %d %d\n", jumps(3), jumps_over(3), numbered(7));
    return 0;
}
