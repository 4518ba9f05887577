/* Reports loads and stores at addresses that are not multiples of the size that is accessed, once for each place. */
#include "frazil.h"
#include <stdio.h>

void check(uint64_t address, uint64_t size, const struct frazil_record *record) {
    if (address & (size - 1)) {
        static const struct frazil_record *last;
        if (record != last)
            fprintf(stderr, "alignment: %s, block %u (%s:%u): %llu bytes at %#llx\n", record->function, record->block,
                    record->file, record->line, (unsigned long long)size, (unsigned long long)address);
        last = record;
    }
}
