/* What hooks of tools for Frazil can use. */
#ifndef FRAZIL_H
#define FRAZIL_H

#include <stdint.h>

/* What a place is, as tool files call it. */
enum frazil_kind {
    FRAZIL_FUNCTION_ENTRY,
    FRAZIL_FUNCTION_EXIT,
    FRAZIL_BLOCK,
    FRAZIL_EDGE,
    FRAZIL_LOOP_ENTRY,
    FRAZIL_LOOP_ITERATION,
    FRAZIL_LINE,
    FRAZIL_INSTRUCTION,
    FRAZIL_LOAD,
    FRAZIL_STORE,
    FRAZIL_ATOMIC,
    FRAZIL_COPY,
    FRAZIL_CALL,
    FRAZIL_INDIRECT_CALL,
    FRAZIL_RETURN,
    FRAZIL_BRANCH,
    FRAZIL_SWITCH,
    FRAZIL_STACK_ALLOCATION
};

/* A place of the program: what `record` gives to a hook. */
struct frazil_record {
    const char *function;
    const char *file;
    uint32_t line; /* 0 if it is not known */
    uint32_t block;
    uint32_t kind;   /* an enum frazil_kind */
    uint32_t number; /* among all places of the tool in its function */
};

/* The names of operations, by number (`opcode`): each object of hooks that names it has this table. */
extern const char *const frazil_opcode_names[] __attribute__((visibility("hidden")));

/* How numbers of a function follow from others: for tools that say `derive = true`. */
struct frazil_sums {
    uint64_t *counters;
    uint64_t *hidden; /* numbers that belong to no place */
    uint32_t words;
    uint32_t zero;
    uint32_t word[]; /* of each sum: the number it gives, how many there are to add, and these */
};

#define FRAZIL_HIDDEN 0x80000000u     /* in a word: the number is a hidden one */
#define FRAZIL_SUBTRACTED 0x40000000u /* and it is subtracted */

/* Computes the numbers that were not counted, from `start` to `stop`. */
static inline void frazil_settle_all(const void *start, const void *stop) {
    for (const char *at = start; at < (const char *)stop;) {
        const struct frazil_sums *sums = (const struct frazil_sums *)at;
        for (uint32_t next = 0; next < sums->words;) {
            uint32_t target = sums->word[next], terms = sums->word[next + 1];
            uint64_t sum = 0;
            for (uint32_t term = 0; term < terms; term++) {
                uint32_t word = sums->word[next + 2 + term];
                uint32_t number = word & ~(FRAZIL_HIDDEN | FRAZIL_SUBTRACTED);
                uint64_t value = (word & FRAZIL_HIDDEN ? sums->hidden : sums->counters)[number];
                sum += word & FRAZIL_SUBTRACTED ? -value : value;
            }
            (target & FRAZIL_HIDDEN ? sums->hidden : sums->counters)[target & ~FRAZIL_HIDDEN] = sum;
            next += 2 + terms;
        }
        at += (sizeof *sums + sums->words * sizeof(uint32_t) + 7) & ~(uintptr_t)7;
    }
}

/* A tool need not call all that FRAZIL_PLACES declares. */
#define FRAZIL_UNUSED __attribute__((unused))

/* Declares the numbers (`counter`) and records of all places of the tool of this name in the program: the record of a
   number has the same distance from the start. Places of hooks that are given only one of both have both. The name is
   that of the tool file, or the one that it says (`name = ...`), with `_` for all but letters and digits. A tool with `derive = true` calls frazil_settle() before it looks at
   its numbers, each time. */
#define FRAZIL_PLACES(tool)                                                                                     \
    extern uint64_t __start_frazil_counters_##tool[] __attribute__((weak, visibility("hidden")));               \
    extern uint64_t __stop_frazil_counters_##tool[] __attribute__((weak, visibility("hidden")));                \
    extern const struct frazil_record __start_frazil_records_##tool[] __attribute__((weak, visibility("hidden"))); \
    extern const char __start_frazil_sums_##tool[] __attribute__((weak, visibility("hidden")));                 \
    extern const char __stop_frazil_sums_##tool[] __attribute__((weak, visibility("hidden")));                  \
    FRAZIL_UNUSED static inline uint64_t *frazil_counters(void) { return __start_frazil_counters_##tool; }      \
    FRAZIL_UNUSED static inline const struct frazil_record *frazil_records(void) { return __start_frazil_records_##tool; } \
    FRAZIL_UNUSED static inline uint64_t frazil_place_count(void) {                                             \
        return __stop_frazil_counters_##tool - __start_frazil_counters_##tool;                                  \
    }                                                                                                           \
    FRAZIL_UNUSED static inline void frazil_settle(void) {                                                      \
        frazil_settle_all(__start_frazil_sums_##tool, __stop_frazil_sums_##tool);                               \
    }

#endif
