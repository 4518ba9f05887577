/* Functions whose whole body is inline assembly. */
#include <stdio.h>

__attribute__((naked)) int twice(int x) {
    __asm__("leal (%rdi,%rdi), %eax\n\tret");
}

/* The seventh argument is on the stack. */
__attribute__((naked)) long seventh(long a, long b, long c, long d, long e, long f, long g) {
    __asm__("movq 8(%rsp), %rax\n\tret");
}

/* Changes a register that callers want back, and restores it. */
__attribute__((naked)) int through_rbx(int x) {
    __asm__("pushq %%rbx\n\tmovl %%edi, %%ebx\n\tcall twice\n\taddl %%ebx, %%eax\n\tpopq %%rbx\n\tret" ::: "rbx");
}

int main(void) {
    printf("%d %ld %d\n", twice(21), seventh(1, 2, 3, 4, 5, 6, 7), through_rbx(5));
    return 0;
}
