/* Counts how often each operation of the intermediate representation is executed. */
#include "frazil.h"
#include <stdio.h>
#include <stdlib.h>

#define OPCODES 256

static uint64_t counts[OPCODES];

void count(uint8_t opcode) {
    counts[opcode]++;
}

static int more(const void *left, const void *right) {
    uint64_t a = counts[*(const int *)left], b = counts[*(const int *)right];
    return a < b ? 1 : a > b ? -1 : 0;
}

__attribute__((destructor)) static void report(void) {
    int order[OPCODES];
    uint64_t total = 0;
    for (int opcode = 0; opcode < OPCODES; opcode++) {
        order[opcode] = opcode;
        total += counts[opcode];
    }
    qsort(order, OPCODES, sizeof *order, more);
    for (int place = 0; place < OPCODES && counts[order[place]]; place++) {
        uint64_t executed = counts[order[place]];
        fprintf(stderr, "%14llu %5.1f %%  %s\n", (unsigned long long)executed, 100.0 * executed / total,
                frazil_opcode_names[order[place]]);
    }
}
