/* Calls every function of the table on random bytes and prints a hash of what it stores. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct row {
    const char *name;
    void (*call)(const unsigned char *in, unsigned char *out);
    uint64_t float_bits;
};
extern const struct row table[];

enum { BYTES = 1024 };
static _Alignas(64) unsigned char in[BYTES], out[BYTES];
static uint64_t state = 1;

static uint64_t next(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ state >> 29;
}

/* Bytes of all kinds: random ones, floats of usual size, and borders. */
static void fill(int round) {
    for (int i = 0; i < BYTES; i += 8) {
        uint64_t bits = next();
        float f = (float)((int64_t)(bits >> 40) - (1 << 23)) / 4096;
        double d = (double)((int64_t)bits >> 20) / 65536;
        static const uint64_t borders[] = {0, ~0ull, 1ull << 63, 0x80000000, 0x8000800080008000, 0x7f7f7f7f7f7f7f7f,
            0x7fff7fff7fff7fff, 0x8080808080808080, 0x7ff0000000000000, 0x7f800000ff800000, 0x7fc000003f800000};
        switch ((round + (bits >> 20)) % 4) {
        case 0: break;
        case 1: memcpy(&bits, &f, 4), f = -f / 3, memcpy((char *)&bits + 4, &f, 4); break;
        case 2: memcpy(&bits, &d, 8); break;
        default: bits = round % 2 ? borders[(bits >> 8) % (sizeof borders / 8)] : bits & 0x0f0f0f0f0f0f0f0f;
        }
        memcpy(in + i, &bits, 8);
    }
    /* Operands that have no bit in common, or all. */
    for (int i = 0; round % 4 == 3 && i < BYTES; i += 64) {
        static const unsigned char same[] = {0, 0xff, 0x80, 0x7f, 0x0f, 0xf0};
        memset(in + i, same[(next() >> 8) % sizeof same], 64);
    }
}

/* Numbers that are none are one. */
static void settle(uint64_t float_bits) {
    for (int i = 0; float_bits == 32 && i < BYTES; i += 4) {
        float value;
        memcpy(&value, out + i, 4);
        if (isnan(value)) memset(out + i, 0x7f, 4);
    }
    for (int i = 0; float_bits == 64 && i < BYTES; i += 8) {
        double value;
        memcpy(&value, out + i, 8);
        if (isnan(value)) memset(out + i, 0x7f, 8);
    }
}

int main(void) {
    const struct row *row = table;
    while (row->name) {
        const char *name = row->name;
        uint64_t hash = 14695981039346656037u;
        state = 1;
        for (; row->name == name; row++)
            for (int round = 0; round < ROUNDS; round++) {
                fill(round);
                memset(out, 0, BYTES);
                row->call(in, out);
                settle(row->float_bits);
                for (int i = 0; i < BYTES; i++) hash = (hash ^ out[i]) * 1099511628211u;
            }
        printf("%s %016llx\n", name, (unsigned long long)hash);
    }
    return 0;
}
