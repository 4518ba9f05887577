// Kernels on floats and doubles, where sums may be taken in any order.

#include "kernels.h"

#include <math.h>

#pragma clang fp reassociate(on) contract(fast)

KERNEL(saxpy) { EACH(i) a->f32[1][i] += 1.0001f * a->f32[0][i]; }

KERNEL(dot_float) {
    float sum = 0;
    EACH(i) sum += a->f32[0][i] * a->f32[1][i];
    a->f32[2][0] = sum;
}

KERNEL(dot_double) {
    double sum = 0;
    EACH(i) sum += a->f64[0][i] * a->f64[1][i];
    a->f64[2][0] = sum;
}

KERNEL(square_roots) { EACH(i) a->f32[1][i] = __builtin_sqrtf(a->f32[0][i]); }

KERNEL(floors) { EACH(i) a->f32[1][i] = a->f32[0][i] - __builtin_floorf(a->f32[0][i]); }

KERNEL(bounds) {
    float lowest = a->f32[0][0], highest = lowest;
    EACH(i) {
        lowest = a->f32[0][i] < lowest ? a->f32[0][i] : lowest;
        highest = a->f32[0][i] > highest ? a->f32[0][i] : highest;
    }
    a->f32[1][0] = lowest;
    a->f32[1][1] = highest;
}

KERNEL(normalize) {
    EACH(i) {
        float x = a->f32[0][i], y = a->f32[1][i], z = a->f32[2][i];
        float scale = 1 / __builtin_sqrtf(x * x + y * y + z * z);
        a->f32[3][i] = (x + y + z) * scale;
    }
}

KERNEL(polynomial) {
    EACH(i) {
        double x = a->f64[0][i];
        a->f64[1][i] = ((((0.00833 * x + 0.0416) * x + 0.1666) * x + 0.5) * x + 1) * x + 1;
    }
}

KERNEL(complex_product) {
    for (size_t i = 0; i < LENGTH; i += 2) {
        float real = a->f32[0][i], imaginary = a->f32[0][i + 1];
        float other_real = a->f32[1][i], other_imaginary = a->f32[1][i + 1];
        a->f32[2][i] = real * other_real - imaginary * other_imaginary;
        a->f32[2][i + 1] = real * other_imaginary + imaginary * other_real;
    }
}

// Like the other kernels that make integers of floats, without fused operations, so that there is one right result.
KERNEL(float_to_byte) {
#pragma clang fp contract(off)
    EACH(i) {
        float value = a->f32[0][i] * 255 + 0.5f;
        a->u8[1][i] = value < 0 ? 0 : value > 255 ? 255 : (int)value;
    }
}

KERNEL(short_to_float) { EACH(i) a->f32[0][i] = a->i16[0][i] * (1.0f / 32768); }

KERNEL(double_to_int) { EACH(i) a->i32[0][i] = (int32_t)(a->f64[0][i] * 1000); }

KERNEL(unsigned_to_float) { EACH(i) a->f32[0][i] = (float)a->u32[0][i]; }

KERNEL(sigmoid) {
    EACH(i) {
        float x = a->f32[0][i];
        a->f32[1][i] = x / (1 + (x < 0 ? -x : x));
    }
}

KERNEL(hypotenuse) {
    EACH(i) a->f64[2][i] = __builtin_sqrt(a->f64[0][i] * a->f64[0][i] + a->f64[1][i] * a->f64[1][i]);
}

KERNEL(clamp_float) {
    EACH(i) {
        float value = a->f32[0][i];
        value = value < 0.25f ? 0.25f : value;
        a->f32[1][i] = value > 0.75f ? 0.75f : value;
    }
}

KERNEL(double_sum_of_float) {
    double sum = 0;
    EACH(i) sum += a->f32[0][i];
    a->f64[0][0] = sum;
}
