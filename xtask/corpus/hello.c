/* The smallest program: what one run costs before any code is compiled. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int times = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < times; i++) printf("Hello, world %d!\n", i);
    return times;
}
