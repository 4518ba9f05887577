/* Writes how often lines of the source were executed, in the format of lcov: `genhtml coverage.info -o html` shows it. */
#include "frazil.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FRAZIL_PLACES(coverage)

void cover(uint64_t *counter) {
    ++*counter;
}

static int by_place(const void *left, const void *right) {
    const struct frazil_record *a = &frazil_records()[*(const uint64_t *)left];
    const struct frazil_record *b = &frazil_records()[*(const uint64_t *)right];
    int files = strcmp(a->file, b->file);
    return files ? files : a->line < b->line ? -1 : a->line > b->line;
}

__attribute__((destructor)) static void report(void) {
    const char *name = getenv("COVERAGE");
    FILE *out = fopen(name ? name : "coverage.info", "w");
    frazil_settle();
    uint64_t places = frazil_place_count();
    uint64_t *order = malloc((places + 1) * sizeof *order);
    if (!out || !order)
        return;
    for (uint64_t place = 0; place < places; place++)
        order[place] = place;
    qsort(order, places, sizeof *order, by_place);
    const char *file = 0;
    for (uint64_t place = 0; place < places;) {
        const struct frazil_record *record = &frazil_records()[order[place]];
        if (!file || strcmp(file, record->file)) {
            if (file)
                fprintf(out, "end_of_record\n");
            file = record->file;
            fprintf(out, "TN:\nSF:%s\n", file);
        }
        uint64_t most = 0;
        unsigned line = record->line;
        for (; place < places; place++) {
            const struct frazil_record *other = &frazil_records()[order[place]];
            if (other->line != line || strcmp(other->file, file))
                break;
            uint64_t executed = frazil_counters()[order[place]];
            most = executed > most ? executed : most;
        }
        fprintf(out, "DA:%u,%llu\n", line, (unsigned long long)most);
    }
    if (file)
        fprintf(out, "end_of_record\n");
    fclose(out);
    free(order);
}
