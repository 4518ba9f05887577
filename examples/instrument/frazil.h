/* What hooks of tools for Frazil can use. */
#ifndef FRAZIL_H
#define FRAZIL_H

#include <stdint.h>

/* A place of the program: what `record` gives to a hook. */
struct frazil_record {
    const char *function;
    const char *file;
    uint32_t line; /* 0 if it is not known */
    uint32_t block;
    uint32_t kind;
    uint32_t number; /* in its function */
};

/* Declares the numbers (`counter`) and records of all places of the tool of this name in the program: the record of a
   number has the same distance from the start. */
#define FRAZIL_PLACES(tool)                                                                                    \
    extern uint64_t __start_frazil_counters_##tool[] __attribute__((weak, visibility("hidden")));               \
    extern uint64_t __stop_frazil_counters_##tool[] __attribute__((weak, visibility("hidden")));                \
    extern const struct frazil_record __start_frazil_records_##tool[] __attribute__((weak, visibility("hidden"))); \
    static inline uint64_t *frazil_counters(void) { return __start_frazil_counters_##tool; }                    \
    static inline const struct frazil_record *frazil_records(void) { return __start_frazil_records_##tool; }    \
    static inline uint64_t frazil_place_count(void) {                                                           \
        return __stop_frazil_counters_##tool - __start_frazil_counters_##tool;                                  \
    }

#endif
