/* Reports loads and stores at addresses that are not multiples of the size that is accessed, once for each place. */
#include "frazil.h"
#include <stdio.h>

#define PLACES 65536

/* Whether a place was not reported before; those that do not fit the table are not. */
static int is_new(const struct frazil_record *record) {
    static const struct frazil_record *reported[PLACES];
    uintptr_t first = (uintptr_t)record / sizeof *record;
    for (int step = 0; step < PLACES; step++) {
        const struct frazil_record **entry = &reported[(first + step) % PLACES];
        if (*entry == record) return 0;
        if (!*entry) {
            *entry = record;
            return 1;
        }
    }
    return 0;
}

void check(uint64_t address, uint64_t size, const struct frazil_record *record) {
    if ((address & (size - 1)) && is_new(record))
        fprintf(stderr, "alignment: %s, block %u (%s:%u): %llu bytes at %#llx\n", record->function, record->block,
                record->file, record->line, (unsigned long long)size, (unsigned long long)address);
}
