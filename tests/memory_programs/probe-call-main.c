#include <stdio.h>

long probed;
__asm__(".globl __probestack\n"
        "__probestack:\n"
        "    addq %rax, probed(%rip)\n"
        "    ret\n");
long large(long, long, long, long, long, long, long), small(long);
double variadic(int, ...);

void touch(char *pointer) { *pointer = 1; }

int main(void) {
    printf("%ld\n", large(2, 3, 4, 5, 6, 7, 8));
    printf("%d\n", probed >= 49990 && probed <= 50100);
    printf("%g\n", variadic(1, 2.5));
    printf("%d\n", probed >= 58990 && probed <= 59500);
    long before = probed;
    printf("%ld %d\n", small(4), probed == before);
    return 0;
}
