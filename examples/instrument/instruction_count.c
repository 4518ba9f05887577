/* Counts the operations that a program executes, and says how many at its end. */
#include <stdint.h>
#include <stdio.h>

static uint64_t executed;

void count(void) {
    executed++;
}

__attribute__((destructor)) static void report(void) {
    fprintf(stderr, "instruction count: %llu\n", (unsigned long long)executed);
}
