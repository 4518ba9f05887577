// Runs every kernel, or those whose names are given. Prints its name, a checksum of all integers after one run, the sum
// of all floats, whose last digits depend on what a compiler fuses and reorders, and the least time of one run in
// picoseconds.

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "kernels.h"

#define DECLARE(name) KERNEL(name);
KERNELS(DECLARE)

static const struct {
    const char *name;
    void (*run)(struct arrays *);
} kernels[] = {
#define ROW(name) {#name, kernel_##name},
    KERNELS(ROW)
};

static struct arrays arrays __attribute__((aligned(64)));

static uint64_t random_state;

static uint64_t random_word(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

// Floats are between 0 and 1, integers are anything.
static void fill(void) {
    random_state = 88172645463325252;
    memset(&arrays, 0, sizeof arrays);
    uint64_t *words = (uint64_t *)&arrays;
    for (size_t i = 0; i < offsetof(struct arrays, f32) / 8; i++) words[i] = random_word();
    for (size_t k = 0; k < 4; k++) EACH(i) {
        arrays.f32[k][i] = (random_word() >> 40) * 0x1p-24f;
        arrays.f64[k][i] = (random_word() >> 11) * 0x1p-53;
    }
}

static uint64_t checksum(void) {
    const uint64_t *words = (const uint64_t *)&arrays;
    uint64_t sum = arrays.result;
    for (size_t i = 0; i < offsetof(struct arrays, f32) / 8; i++) sum = (sum ^ words[i]) * 1099511628211u, sum ^= sum >> 29;
    return sum;
}

static double float_sum(void) {
    double sum = 0;
    for (size_t k = 0; k < 4; k++) EACH(i) sum += (double)(i % 7 + 1) * (arrays.f32[k][i] + arrays.f64[k][i]);
    return sum;
}

static uint64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static uint64_t time_of(void (*run)(struct arrays *)) {
    uint64_t least = UINT64_MAX, runs = 1;
    for (int series = 0; series < 24; series++) {
        uint64_t begin = nanoseconds();
        for (uint64_t i = 0; i < runs; i++) run(&arrays);
        uint64_t duration = nanoseconds() - begin;
        if (duration < 200000 && series < 12) {
            runs *= 2;
            continue;
        }
        if (duration * 1000 / runs < least) least = duration * 1000 / runs;
    }
    return least;
}

int main(int count, char **names) {
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        int is_wanted = count == 1;
        for (int i = 1; i < count; i++) is_wanted |= strcmp(names[i], kernels[k].name) == 0;
        if (!is_wanted) continue;
        fill();
        kernels[k].run(&arrays);
        uint64_t sum = checksum();
        double floats = float_sum();
        unsigned long long time = time_of(kernels[k].run);
        printf("%s %016llx %.17g %llu\n", kernels[k].name, (unsigned long long)sum, floats, time);
    }
    return 0;
}
