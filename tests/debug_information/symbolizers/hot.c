// Spends its time on two lines: one divides by what the division before gave, one goes from place to place in memory.

#include <stdio.h>
#include <stdlib.h>

#define PLACES (1 << 21)

static unsigned next[PLACES];

static inline unsigned long divide(unsigned long dividend, unsigned long divisor) {
    return dividend / divisor;
}

__attribute__((noinline)) static unsigned long divisions(unsigned long count) {
    unsigned long value = ~0ul;
    for (unsigned long i = 1; i < count; i++)
        value = ~divide(~0ul,
                        value | 1);
    return value;
}

__attribute__((noinline)) static unsigned walk(unsigned count) {
    unsigned place = 0;
    while (count-- > 0)
        place = next[place];
    return place;
}

int main(void) {
    unsigned place = 0;
    for (unsigned i = 0; i < PLACES; i++) {
        unsigned to = (place * 1664525u + 1013904223u) % PLACES;
        next[place] = to;
        place = to;
    }
    printf("%lu %u\n", divisions(20000000), walk(4000000));
    return 0;
}
