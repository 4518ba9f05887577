/* Compares how often blocks are executed with the counters that clang or rustc have put into the program
   (-fprofile-instr-generate, -Cinstrument-coverage): each must be the sum of the blocks that increase it. A block that
   increases a counter at two places counts twice. What control left within a block, by a call that did not return, is
   taken off, and added is what came back once more (setjmp): calls are counted before and after.

   Which block increases which counter is found while the program runs: the number of a store is the address that it
   goes to, and its record says in which block it is. Left out are counters that are not increased by one each time
   (conditions without a branch are added to a counter as 0 or 1), and those that one store chooses among. */
#include "../../examples/instrument/frazil.h"
#include <stdio.h>
#include <stdlib.h>

FRAZIL_PLACES(profile_check)

extern uint64_t __start___llvm_prf_cnts[] __attribute__((weak, visibility("hidden")));
extern uint64_t __stop___llvm_prf_cnts[] __attribute__((weak, visibility("hidden")));

/* The numbers of `block` and `call` among the kinds of places. */
#define BLOCK 2
#define CALL 12

/* How many differences are shown. */
#define SHOWN 5

/* What is known of a counter of the compiler's. */
struct counter {
    uint64_t stores;     /* how often it was stored to */
    uint64_t blocks;     /* the sum of the blocks that do so */
    const char *function; /* the last one of these */
    int is_chosen;       /* whether one of the stores goes to others, too */
};

static struct counter *known;

static uint64_t counters(void) {
    return __stop___llvm_prf_cnts - __start___llvm_prf_cnts;
}

/* The compiler's counter at an address, if there is one. */
static struct counter *counter_at(uint64_t address) {
    uint64_t distance = address - (uint64_t)__start___llvm_prf_cnts;
    if (distance >= counters() * sizeof(uint64_t))
        return 0;
    if (!known && !(known = calloc(counters(), sizeof *known)))
        abort();
    return &known[distance / sizeof(uint64_t)];
}

void count(uint64_t *number) {
    ++*number;
}

void keep(uint64_t *number, uint64_t address) {
    struct counter *counter = counter_at(address);
    if (!counter)
        return;
    counter->stores++;
    struct counter *before = counter_at(*number);
    if (before && before != counter)
        before->is_chosen = counter->is_chosen = 1;
    *number = address;
}

/* How often the block was entered in which a place is. The places of a function stand side by side from `first` on, and
   those of its blocks come before all others. */
static uint64_t entered(uint64_t first, uint64_t place) {
    const struct frazil_record *records = frazil_records();
    for (; first < place; first++)
        if (records[first].kind == BLOCK && records[first].block == records[place].block)
            return frazil_counters()[first];
    return 0;
}

static void add_up_blocks(void) {
    const struct frazil_record *records = frazil_records();
    const uint64_t *numbers = frazil_counters();
    uint64_t first = 0, passed = 0;
    for (uint64_t place = 0; place < frazil_place_count(); place++) {
        const struct frazil_record *record = &records[place];
        if (record->function != records[first].function)
            first = place;
        if (record->kind == BLOCK)
            continue;
        if (records[place - 1].kind == BLOCK || record->block != records[place - 1].block)
            passed = entered(first, place);
        if (record->kind == CALL) {
            /* Two places: before and after it. */
            passed -= numbers[place] - numbers[place + 1];
            place++;
            continue;
        }
        struct counter *counter = counter_at(numbers[place]);
        if (!counter)
            continue;
        counter->blocks += passed;
        counter->function = record->function;
    }
}

__attribute__((destructor)) static void compare(void) {
    uint64_t equal = 0, differ = 0, used = 0, left_out = 0;
    frazil_settle();
    add_up_blocks();
    for (uint64_t *value = __start___llvm_prf_cnts; value < __stop___llvm_prf_cnts; value++) {
        struct counter *counter = counter_at((uint64_t)value);
        used += *value != 0;
        if (counter->is_chosen || *value != counter->stores)
            left_out++;
        else if (*value == counter->blocks)
            equal++;
        else if (differ++ < SHOWN)
            fprintf(stderr, "profile check: a counter of %s is %llu, its blocks %llu\n", counter->function,
                    (unsigned long long)*value, (unsigned long long)counter->blocks);
    }
    fprintf(stderr, "profile check: %llu counters equal, %llu differ, %llu left out, %llu not 0\n",
            (unsigned long long)equal, (unsigned long long)differ, (unsigned long long)left_out,
            (unsigned long long)used);
    free(known);
}
