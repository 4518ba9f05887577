/* The sample of the README: clang-22 -O0 -fPIC -c -emit-llvm hello.c -o hello.bc */

#include <stdio.h>

static unsigned long factorial(unsigned n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}

int main(int argc, char **argv) {
    printf("Hello from Frazil!\n");
    for (unsigned n = 0; n <= 20; n += 5)
        printf("%2u! = %lu\n", n, factorial(n));
    for (int i = 1; i < argc; i++)
        printf("argument %d: %s\n", i, argv[i]);
    return 0;
}
