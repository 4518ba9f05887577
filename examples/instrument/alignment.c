/* Reports loads and stores at addresses that are not multiples of the size that is accessed, once for each place. */
#include "frazil.h"
#include <stdio.h>

FRAZIL_PLACES(alignment)

/* `reported` is the counter of the place: whether it was reported. */
void check(const void *address, uint64_t size, uint64_t *reported) {
    if (!((uintptr_t)address & (size - 1)))
        return;
    if (*reported)
        return;
    *reported = 1;
    const struct frazil_record *record = &frazil_records()[reported - frazil_counters()];
    fprintf(stderr, "alignment: %s, block %u (%s:%u): %llu bytes at %#llx\n", record->function, record->block,
            record->file, record->line, (unsigned long long)size, (unsigned long long)(uintptr_t)address);
}
