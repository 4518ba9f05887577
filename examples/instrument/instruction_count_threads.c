/* As instruction_count.c, for programs with several threads. */
#include <stdint.h>
#include <stdio.h>

static uint64_t executed;

void count(void) {
    __atomic_fetch_add(&executed, 1, __ATOMIC_RELAXED);
}

__attribute__((destructor)) static void report(void) {
    fprintf(stderr, "instruction count: %llu\n", (unsigned long long)executed);
}
