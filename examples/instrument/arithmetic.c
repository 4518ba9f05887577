/* Reports shifts by too much and sums, differences and products of signed integers that overflow, where C does not say
   what happens then. For programs that are compiled without optimization, so that nothing was concluded from that. */
#include "frazil.h"
#include <stdio.h>

static void report(const char *what, uint64_t left, uint64_t right, const struct frazil_record *record) {
    fprintf(stderr, "arithmetic: %s of %lld and %lld overflows in %s (%s:%u)\n", what, (long long)left,
            (long long)right, record->function, record->file, record->line);
}

/* The upper bits of an operand are zero: here they become those of the sign. */
static int64_t extended(uint64_t value, uint64_t bits) {
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* Whether a number does not fit into so many bits. */
static int is_wide(int64_t value, uint64_t bits) {
    return extended(value, bits) != value;
}

void shift(uint64_t left, uint64_t right, uint64_t bits, const struct frazil_record *record) {
    if (right >= bits)
        report("the shift", left, right, record);
}

void add(uint64_t left, uint64_t right, uint64_t bits, const struct frazil_record *record) {
    int64_t a = extended(left, bits), b = extended(right, bits), sum = (uint64_t)a + (uint64_t)b;
    if (((a ^ sum) & (b ^ sum)) < 0 || is_wide(sum, bits))
        report("the sum", a, b, record);
}

void subtract(uint64_t left, uint64_t right, uint64_t bits, const struct frazil_record *record) {
    int64_t a = extended(left, bits), b = extended(right, bits), rest = (uint64_t)a - (uint64_t)b;
    if (((a ^ b) & (a ^ rest)) < 0 || is_wide(rest, bits))
        report("the difference", a, b, record);
}

void multiply(uint64_t left, uint64_t right, uint64_t bits, const struct frazil_record *record) {
    int64_t a = extended(left, bits), b = extended(right, bits), product;
    if (__builtin_mul_overflow(a, b, &product) || is_wide(product, bits))
        report("the product", a, b, record);
}
