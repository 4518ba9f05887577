/* Reports loads and stores at addresses that are not multiples of the size that is accessed, once for each place. */
#include "frazil.h"
#include <stdio.h>

/* `reported` is the counter of the place: whether it was reported. */
void check(uint64_t address, uint64_t size, const struct frazil_record *record, uint64_t *reported) {
    if (!(address & (size - 1)))
        return;
    if (*reported)
        return;
    *reported = 1;
    fprintf(stderr, "alignment: %s, block %u (%s:%u): %llu bytes at %#llx\n", record->function, record->block,
            record->file, record->line, (unsigned long long)size, (unsigned long long)address);
}
