// Kernels on bytes: text, pictures, video.

#include "kernels.h"

KERNEL(upper_case) {
    EACH(i) {
        uint8_t byte = a->u8[0][i];
        a->u8[1][i] = byte >= 'a' && byte <= 'z' ? byte - 32 : byte;
    }
}

KERNEL(byte_reversal) { EACH(i) a->u8[1][i] = a->u8[0][LENGTH - 1 - i]; }

// One picture over another, with an opacity for each point.
KERNEL(blend) {
    EACH(i) {
        unsigned opacity = a->u8[2][i];
        unsigned sum = a->u8[0][i] * opacity + a->u8[1][i] * (255 - opacity) + 128;
        a->u8[3][i] = (sum + (sum >> 8)) >> 8;
    }
}

// How much blocks of 16 by 16 points differ, as in the search for motion.
KERNEL(absolute_differences) {
    for (size_t block = 0; block < LENGTH; block += 256) {
        int sum = 0;
        for (size_t i = 0; i < 256; i++) {
            int difference = a->u8[0][block + i] - a->u8[1][block + i];
            sum += difference < 0 ? -difference : difference;
        }
        a->i32[0][block / 256] = sum;
    }
}

KERNEL(average) { EACH(i) a->u8[2][i] = (a->u8[0][i] + a->u8[1][i] + 1) >> 1; }

KERNEL(saturating_sum) {
    EACH(i) {
        unsigned sum = a->u8[0][i] + a->u8[1][i];
        a->u8[2][i] = sum > 255 ? 255 : sum;
    }
}

KERNEL(count_byte) {
    uint64_t count = 0;
    EACH(i) count += a->u8[0][i] == 'e';
    a->result = count;
}

KERNEL(threshold) { EACH(i) a->u8[1][i] = a->u8[0][i] > 100 ? 255 : 0; }

// Sums of signed numbers, brought back to a byte.
KERNEL(clip) {
    EACH(i) {
        int sum = a->u8[0][i] + a->i16[0][i];
        a->u8[1][i] = sum < 0 ? 0 : sum > 255 ? 255 : sum;
    }
}

KERNEL(gray) {
    for (size_t i = 0; i < LENGTH / 4; i++) {
        const uint8_t *point = &a->u8[0][4 * i];
        a->u8[1][i] = (77 * point[0] + 150 * point[1] + 29 * point[2] + 128) >> 8;
    }
}

KERNEL(swap_colors) {
    for (size_t i = 0; i < LENGTH; i += 4) {
        a->u8[1][i] = a->u8[0][i + 2];
        a->u8[1][i + 1] = a->u8[0][i + 1];
        a->u8[1][i + 2] = a->u8[0][i];
        a->u8[1][i + 3] = a->u8[0][i + 3];
    }
}

KERNEL(smallest_byte) {
    uint8_t smallest = 255;
    EACH(i) smallest = a->u8[0][i] < smallest ? a->u8[0][i] : smallest;
    a->result = smallest;
}

KERNEL(nibbles) {
    for (size_t i = 0; i < LENGTH / 2; i++) {
        uint8_t high = a->u8[0][i] >> 4, low = a->u8[0][i] & 15;
        a->u8[1][2 * i] = high < 10 ? '0' + high : 'a' + high - 10;
        a->u8[1][2 * i + 1] = low < 10 ? '0' + low : 'a' + low - 10;
    }
}
