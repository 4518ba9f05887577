// Kernels on integers of 16 to 64 bits.

#include "kernels.h"

KERNEL(divide_by_ten) { EACH(i) a->u32[1][i] = a->u32[0][i] / 10; }

KERNEL(divide_by_seven) { EACH(i) a->i16[1][i] = a->i16[0][i] / 7; }

KERNEL(remainder) { EACH(i) a->i32[1][i] = a->i32[0][i] % 1000; }

KERNEL(variable_shifts) { EACH(i) a->u32[2][i] = a->u32[0][i] << (a->u32[1][i] & 31); }

KERNEL(rotations) {
    EACH(i) {
        uint32_t word = a->u32[0][i] + 0x9e3779b9;
        a->u32[1][i] = (word << 13 | word >> 19) ^ (word << 5 | word >> 27);
    }
}

KERNEL(population_count) {
    uint64_t count = 0;
    EACH(i) count += __builtin_popcountll(a->u64[0][i]);
    a->result = count;
}

KERNEL(multiply_long) { EACH(i) a->u64[2][i] = a->u64[0][i] * a->u64[1][i]; }

KERNEL(multiply_high) { EACH(i) a->i16[2][i] = (a->i16[0][i] * a->i16[1][i]) >> 16; }

KERNEL(dot_short) {
    int sum = 0;
    EACH(i) sum += a->i16[0][i] * a->i16[1][i];
    a->result = sum;
}

KERNEL(sum_widened) {
    uint64_t sum = 0;
    EACH(i) sum += a->u32[0][i];
    a->result = sum;
}

KERNEL(largest) {
    int32_t largest = INT32_MIN;
    EACH(i) largest = a->i32[0][i] > largest ? a->i32[0][i] : largest;
    a->result = largest;
}

KERNEL(conditional_sum) {
    int32_t sum = 0;
    EACH(i) if (a->i32[0][i] > a->i32[1][i]) sum += a->i32[0][i] ^ a->i32[1][i];
    a->result = sum;
}

KERNEL(swap_bytes) { EACH(i) a->u32[1][i] = __builtin_bswap32(a->u32[0][i]); }

KERNEL(leading_zeros) { EACH(i) a->u32[1][i] = a->u32[0][i] == 0 ? 32 : __builtin_clz(a->u32[0][i]); }

KERNEL(absolute_long) { EACH(i) a->i64[1][i] = a->i64[0][i] < 0 ? -a->i64[0][i] : a->i64[0][i]; }

KERNEL(prefix_sum) {
    uint32_t sum = 0;
    EACH(i) a->u32[1][i] = sum += a->u32[0][i];
}

KERNEL(select_greater) { EACH(i) a->u32[2][i] = a->u32[0][i] > a->u32[1][i] ? a->u32[0][i] - a->u32[1][i] : 7; }

KERNEL(average_short) { EACH(i) a->u16[2][i] = (a->u16[0][i] + a->u16[1][i] + 1) >> 1; }

KERNEL(any_negative) {
    int any = 0;
    EACH(i) any |= a->i64[0][i] < a->i64[1][i];
    a->result = any;
}
