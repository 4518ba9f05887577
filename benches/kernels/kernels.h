// The arrays that the kernels work on, and the list of kernels.
//
// All arrays are in one structure, so that a compiler knows that they do not overlap. A kernel reads and writes some of
// them, and may leave a number in `result`.

#include <stddef.h>
#include <stdint.h>

#define LENGTH 4096

struct arrays {
    uint8_t u8[4][LENGTH];
    int8_t i8[2][LENGTH];
    uint16_t u16[3][LENGTH];
    int16_t i16[3][LENGTH];
    uint32_t u32[3][LENGTH];
    int32_t i32[3][LENGTH];
    uint64_t u64[3][LENGTH];
    int64_t i64[3][LENGTH];
    float f32[4][LENGTH];
    double f64[4][LENGTH];
    uint64_t result;
};

#define KERNEL(name) void kernel_##name(struct arrays *a)

#define EACH(i) for (size_t i = 0; i < LENGTH; i++)

// clang-format off
#define KERNELS(X) \
    /* bytes.c */ \
    X(upper_case) X(byte_reversal) X(blend) X(absolute_differences) X(average) X(saturating_sum) X(count_byte) \
    X(threshold) X(clip) X(gray) X(swap_colors) X(smallest_byte) X(nibbles) \
    /* integers.c */ \
    X(divide_by_ten) X(divide_by_seven) X(remainder) X(variable_shifts) X(rotations) X(population_count) \
    X(multiply_long) X(multiply_high) X(dot_short) X(sum_widened) X(largest) X(conditional_sum) X(swap_bytes) \
    X(leading_zeros) X(absolute_long) X(prefix_sum) X(select_greater) X(average_short) X(any_negative) \
    /* floats.c */ \
    X(saxpy) X(dot_float) X(dot_double) X(square_roots) X(floors) X(bounds) X(normalize) X(polynomial) \
    X(complex_product) X(float_to_byte) X(short_to_float) X(double_to_int) X(unsigned_to_float) X(sigmoid) \
    X(hypotenuse) X(clamp_float) X(double_sum_of_float) \
    /* blocks.c */ \
    X(chacha) X(blake) X(adler) X(convolution) X(stencil) X(cosine_transform) X(matrix_product) \
    X(matrix_by_vector) X(transposition) X(butterfly) X(hadamard) X(filter_bank) X(xor_parity) X(quantize) X(mandelbrot) \
    /* branches.c */ \
    X(heap_sort) X(heap_sort_floats) X(quick_sort) X(partition) X(insertion_sort) X(shell_sort) X(bubble_passes) \
    X(selection) X(merge) X(intersection) X(binary_search) X(tree_search) X(hash_probe) X(greatest_divisor) \
    X(collatz) X(edit_distance) X(common_subsequence) X(knapsack) X(largest_sum) X(second_largest) X(count_letters) \
    X(parse_numbers) X(count_words) X(run_lengths) X(brackets) X(three_colors) X(median_of_three) X(life) X(long_sum) \
    X(long_difference) X(long_product) X(modular_power) X(double_to_unsigned_long) X(double_to_byte_saturated) \
    X(small_products)
// clang-format on
