// Kernels on blocks: hashes, transforms, matrices, filters.

#include "kernels.h"

#pragma clang fp reassociate(on) contract(fast)

#define ROTATE_32(word, by) ((word) << (by) | (word) >> (32 - (by)))
#define ROTATE_64(word, by) ((word) >> (by) | (word) << (64 - (by)))

// Four blocks of the stream cipher beside each other, lane by lane.
KERNEL(chacha) {
    for (size_t block = 0; block + 64 <= 1024; block += 64) {
        uint32_t state[16][4];
        for (size_t row = 0; row < 16; row++)
            for (size_t lane = 0; lane < 4; lane++) state[row][lane] = a->u32[0][block + 4 * row + lane];
        for (int round = 0; round < 10; round++) {
            for (int half = 0; half < 2; half++) {
                for (size_t column = 0; column < 4; column++) {
                    uint32_t *x = state[column], *y = state[4 + (column + half) % 4];
                    uint32_t *z = state[8 + (column + 2 * half) % 4], *w = state[12 + (column + 3 * half) % 4];
                    for (size_t lane = 0; lane < 4; lane++) {
                        x[lane] += y[lane], w[lane] = ROTATE_32(w[lane] ^ x[lane], 16);
                        z[lane] += w[lane], y[lane] = ROTATE_32(y[lane] ^ z[lane], 12);
                        x[lane] += y[lane], w[lane] = ROTATE_32(w[lane] ^ x[lane], 8);
                        z[lane] += w[lane], y[lane] = ROTATE_32(y[lane] ^ z[lane], 7);
                    }
                }
            }
        }
        for (size_t row = 0; row < 16; row++)
            for (size_t lane = 0; lane < 4; lane++) a->u32[1][block + 4 * row + lane] = state[row][lane];
    }
}

KERNEL(blake) {
    for (size_t block = 0; block + 16 <= LENGTH; block += 16) {
        uint64_t v[4][4];
        for (size_t i = 0; i < 16; i++) v[i / 4][i % 4] = a->u64[0][block + i];
        for (int round = 0; round < 12; round++) {
            for (size_t i = 0; i < 4; i++) {
                v[0][i] += v[1][i] + a->u64[1][block + i];
                v[3][i] = ROTATE_64(v[3][i] ^ v[0][i], 32);
                v[2][i] += v[3][i];
                v[1][i] = ROTATE_64(v[1][i] ^ v[2][i], 24);
                v[0][i] += v[1][i];
                v[3][i] = ROTATE_64(v[3][i] ^ v[0][i], 16);
                v[2][i] += v[3][i];
                v[1][i] = ROTATE_64(v[1][i] ^ v[2][i], 63);
            }
        }
        for (size_t i = 0; i < 16; i++) a->u64[2][block + i] = v[i / 4][i % 4];
    }
}

KERNEL(adler) {
    uint32_t low = 1, high = 0;
    for (size_t block = 0; block < LENGTH; block += 32) {
        uint32_t sum = 0, weighted = 0;
        for (size_t i = 0; i < 32; i++) {
            sum += a->u8[0][block + i];
            weighted += (32 - (uint32_t)i) * a->u8[0][block + i];
        }
        high += 32 * low + weighted;
        low += sum;
    }
    a->result = (uint64_t)(high % 65521) << 32 | low % 65521;
}

// A picture of 64 by 64 points.
KERNEL(convolution) {
    for (size_t y = 1; y < 63; y++) {
        for (size_t x = 1; x < 63; x++) {
            const uint8_t *above = &a->u8[0][64 * (y - 1) + x], *here = above + 64, *below = here + 64;
            int sum = above[-1] + 2 * above[0] + above[1] + 2 * here[-1] + 4 * here[0] + 2 * here[1] + below[-1]
                + 2 * below[0] + below[1];
            a->u8[1][64 * y + x] = (sum + 8) >> 4;
        }
    }
}

KERNEL(stencil) {
    for (size_t y = 1; y < 63; y++) {
        for (size_t x = 1; x < 63; x++) {
            const float *here = &a->f32[0][64 * y + x];
            a->f32[1][64 * y + x] = 0.2f * (here[0] + here[-1] + here[1] + here[-64] + here[64]);
        }
    }
}

KERNEL(cosine_transform) {
    for (size_t block = 0; block < LENGTH; block += 64) {
        for (size_t column = 0; column < 8; column++) {
            const int16_t *in = &a->i16[0][block + column];
            int16_t *out = &a->i16[1][block + column];
            int s0 = in[0] + in[56], s1 = in[8] + in[48], s2 = in[16] + in[40], s3 = in[24] + in[32];
            int d0 = in[0] - in[56], d1 = in[8] - in[48], d2 = in[16] - in[40], d3 = in[24] - in[32];
            out[0] = (s0 + s1 + s2 + s3) >> 3;
            out[32] = (s0 - s1 - s2 + s3) >> 3;
            out[16] = (17 * (s0 - s3) + 7 * (s1 - s2)) >> 7;
            out[48] = (7 * (s0 - s3) - 17 * (s1 - s2)) >> 7;
            out[8] = (251 * d0 + 213 * d1 + 142 * d2 + 50 * d3) >> 11;
            out[24] = (213 * d0 - 50 * d1 - 251 * d2 - 142 * d3) >> 11;
            out[40] = (142 * d0 - 251 * d1 + 50 * d2 + 213 * d3) >> 11;
            out[56] = (50 * d0 - 142 * d1 + 213 * d2 - 251 * d3) >> 11;
        }
    }
}

KERNEL(matrix_product) {
    for (size_t row = 0; row < 32; row++) {
        for (size_t column = 0; column < 32; column++) a->f32[2][32 * row + column] = 0;
        for (size_t k = 0; k < 32; k++)
            for (size_t column = 0; column < 32; column++)
                a->f32[2][32 * row + column] += a->f32[0][32 * row + k] * a->f32[1][32 * k + column];
    }
}

KERNEL(matrix_by_vector) {
    for (size_t row = 0; row < 64; row++) {
        double sum = 0;
        for (size_t column = 0; column < 64; column++) sum += a->f64[0][64 * row + column] * a->f64[1][column];
        a->f64[2][row] = sum;
    }
}

KERNEL(transposition) {
    for (size_t y = 0; y < 64; y++)
        for (size_t x = 0; x < 64; x++) a->u32[1][64 * x + y] = a->u32[0][64 * y + x];
}

KERNEL(butterfly) {
    for (size_t i = 0; i < LENGTH / 2; i++) {
        float real = a->f32[0][i + LENGTH / 2] * a->f32[1][i], other = a->f32[0][i];
        a->f32[2][i] = other + real;
        a->f32[2][i + LENGTH / 2] = other - real;
    }
}

KERNEL(hadamard) {
    for (size_t block = 0; block < LENGTH; block += 16) {
        const int32_t *in = &a->i32[0][block];
        int32_t *out = &a->i32[1][block];
        for (size_t i = 0; i < 4; i++) {
            int32_t first = in[i] + in[4 + i], second = in[i] - in[4 + i];
            int32_t third = in[8 + i] + in[12 + i], fourth = in[8 + i] - in[12 + i];
            out[i] = first + third;
            out[4 + i] = second + fourth;
            out[8 + i] = first - third;
            out[12 + i] = second - fourth;
        }
    }
}

// A filter with eight taps over sound of 16 bits.
KERNEL(filter_bank) {
    for (size_t i = 0; i + 8 <= LENGTH; i++) {
        int sum = 1 << 6;
        for (size_t tap = 0; tap < 8; tap++) sum += a->i16[0][i + tap] * (int)(tap * (7 - tap) - 3);
        sum >>= 7;
        a->i16[1][i] = sum < -32768 ? -32768 : sum > 32767 ? 32767 : sum;
    }
}

KERNEL(xor_parity) { EACH(i) a->u64[2][i] ^= a->u64[0][i] ^ a->u64[1][i]; }

KERNEL(quantize) {
    EACH(i) {
        int value = a->i16[0][i], magnitude = value < 0 ? -value : value;
        int scaled = ((magnitude + 20) * 1311) >> 16;
        a->i16[1][i] = value < 0 ? -scaled : scaled;
    }
}

KERNEL(mandelbrot) {
#pragma clang fp contract(off) reassociate(off)
    for (size_t i = 0; i < LENGTH / 4; i += 8) {
        float real[8] = {0}, imaginary[8] = {0};
        int count[8] = {0};
        for (int step = 0; step < 16; step++) {
            for (size_t lane = 0; lane < 8; lane++) {
                float x = real[lane], y = imaginary[lane], x_squared = x * x, y_squared = y * y;
                count[lane] += x_squared + y_squared < 4;
                real[lane] = x_squared - y_squared + a->f32[0][i + lane];
                imaginary[lane] = 2 * x * y + a->f32[1][i + lane];
            }
        }
        for (size_t lane = 0; lane < 8; lane++) a->i32[0][i + lane] = count[lane];
    }
}
