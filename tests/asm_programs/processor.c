// Built-in functions of the processor: each is an intrinsic that stands for one instruction or a few.
#include <float.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <x86intrin.h>

static void long_numbers(void) {
    static const unsigned long long a[4] = {~0ull, ~0ull, 5, ~0ull}, b[4] = {1, 0, ~0ull, 3};
    unsigned long long sum[4], difference[4];
    unsigned char carry = 0, borrow = 200;
    for (int i = 0; i < 4; i++) {
        carry = _addcarry_u64(carry, a[i], b[i], &sum[i]);
        borrow = _subborrow_u64(borrow, b[i], a[i], &difference[i]);
        printf("%llx %d %llx %d\n", sum[i], carry, difference[i], borrow);
    }
    unsigned small;
    printf("%d", _addcarry_u32(1, ~0u, 0, &small));
    printf(" %u", small);
    printf(" %d", _subborrow_u32(0, 3, 4, &small));
    printf(" %u\n", small);
}

__attribute__((target("bmi,bmi2"))) static void bits(uint64_t x, uint64_t mask) {
    printf("%llx %llx", (long long)_pdep_u64(x, mask), (long long)_pext_u64(x, mask));
    printf(" %x %x", _pdep_u32(x, mask), _pext_u32(x, mask));
    printf(" %llx %x", (long long)_bzhi_u64(x, 23), _bzhi_u32(x, 9));
    printf(" %llx %x\n", (long long)__bextr_u64(x, 0x1409), __bextr_u32(x, 0x0804));
}

__attribute__((target("sha,sse4.1"))) static void hash(__m128i a, __m128i b, __m128i c) {
    __m128i all[] = {
        _mm_sha1msg1_epu32(a, b),    _mm_sha1msg2_epu32(a, b),   _mm_sha1nexte_epu32(a, b),     _mm_sha1rnds4_epu32(a, b, 2),
        _mm_sha256msg1_epu32(a, b),  _mm_sha256msg2_epu32(a, b), _mm_sha256rnds2_epu32(a, b, c),
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        printf("%x %x\n", _mm_extract_epi32(all[i], 0), _mm_extract_epi32(all[i], 3));
    }
}

__attribute__((target("rdrnd"))) static void chance(void) {
    unsigned short a;
    unsigned b;
    unsigned long long c, d;
    int good = 0;
    for (int i = 0; i < 100; i++) {
        good += _rdrand16_step(&a) && _rdrand32_step(&b) && _rdrand64_step(&c) && _rdrand64_step(&d) && c != d;
    }
    printf("%d\n", good > 90);
}

__attribute__((target("xsave"))) static void state(void) { printf("%d\n", (int)(_xgetbv(0) & 3)); }

static void saved(void) {
    static unsigned char area[512] __attribute__((aligned(16)));
    _fxsave64(area);
    unsigned old = _mm_getcsr(), control;
    memcpy(&control, area + 24, 4);
    printf("%d\n", control == old);
    control |= 0x2000;
    memcpy(area + 24, &control, 4);
    _fxrstor64(area);
    printf("%x\n", _mm_getcsr() ^ old);
    _mm_setcsr(old);
}

static volatile double one = 1.0, three = 3.0;

static void rounding(void) {
    static const int modes[] = {3, 2, 0, 1};
    for (int i = 0; i < 4; i++) {
        __builtin_set_flt_rounds(modes[i]);
        double third = one / three;
        printf("%d %a\n", (int)FLT_ROUNDS, third);
    }
}

static uint64_t flags(uint64_t x) {
    // A leaf whose variables may lie below the stack pointer.
    volatile uint64_t kept[4] = {x, x + 1, x + 2, x + 3};
    uint64_t before = __readeflags();
    __writeeflags(before | 1);
    uint64_t carry = __readeflags() & 1;
    __writeeflags(before);
    return kept[0] + kept[1] + kept[2] + kept[3] + carry;
}

int main(void) {
    long_numbers();
    if (__builtin_cpu_supports("bmi2")) bits(0x123456789abcdef0, 0xff00ff0f0f0f3333);
    if (__builtin_cpu_supports("sha")) {
        hash(_mm_set_epi32(1, 2, 3, 4), _mm_set_epi32(50, 60, 70, 80), _mm_set_epi32(-1, 7, 9, 0x12345678));
    }
    if (__builtin_cpu_supports("rdrnd")) chance();
    if (__builtin_cpu_supports("xsave")) state();
    saved();
    rounding();
    printf("%llu\n", (long long)flags(40));
    unsigned id;
    unsigned long long first = __rdtsc(), second = __rdtscp(&id), third = __rdtsc();
    printf("%d %d\n", first < second, second < third);
    int line[16] = {42};
    _mm_clflush(line);
    _mm_mfence();
    printf("%d\n", line[0]);
    __builtin_unwind_init();
    printf("%d\n", (int)((char *)__builtin_dwarf_cfa() - (char *)__builtin_frame_address(0)));
    return 0;
}
