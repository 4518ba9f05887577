/* Counts how often each block is executed, and lists those that are executed most. */
#include "frazil.h"
#include <stdio.h>
#include <stdlib.h>

FRAZIL_PLACES(block_profile)

void count(uint64_t *counter) {
    ++*counter;
}

static int more(const void *left, const void *right) {
    uint64_t a = frazil_counters()[*(const uint64_t *)left], b = frazil_counters()[*(const uint64_t *)right];
    return a < b ? 1 : a > b ? -1 : 0;
}

__attribute__((destructor)) static void report(void) {
    frazil_settle();
    uint64_t places = frazil_place_count();
    uint64_t *order = malloc((places + 1) * sizeof *order);
    for (uint64_t place = 0; place < places; place++)
        order[place] = place;
    qsort(order, places, sizeof *order, more);
    const char *most = getenv("BLOCK_PROFILE_MOST");
    uint64_t shown = most ? strtoull(most, 0, 10) : 20;
    for (uint64_t place = 0; place < places && place < shown; place++) {
        const struct frazil_record *record = &frazil_records()[order[place]];
        uint64_t executed = frazil_counters()[order[place]];
        if (!executed)
            break;
        fprintf(stderr, "%14llu  %s, block %u", (unsigned long long)executed, record->function, record->block);
        if (record->line)
            fprintf(stderr, " (%s:%u)", record->file, record->line);
        fprintf(stderr, "\n");
    }
    free(order);
}
