/* Runs the functions of a table on borders and random values, and prints a hash of what each has written.

   Of a row's inputs, bits 0 to 7 say what they are (bits, floats, floats with a small integral part, the same without
   sign), bits 8 to 15 how wide their lanes are, 16 to 31 the bits of the integral part, and the rest how many bits
   there are. Of its outputs, bits 0 to 7 say whether they are floats (32 or 64 bits), and the upper half how many bytes
   they have. NaNs are all the same, and so are the zeros of functions that may choose one.

   If FRAZIL_KEEP names a file, it gets the first KEPT sets of each function: its number, what it has read, and what it
   has written with NaNs made the same. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long u64;
enum { PLACE = 1024, PLACES = 4, SETS = 10, KEPT = 4, SPARE = 64, SECONDS = 60 };

struct row { void (*address)(void *in, void *out); u64 number, inputs[PLACES], outputs[PLACES]; };
extern const struct row table[];
extern const u64 table_rows;

_Alignas(64) static unsigned char in[PLACE * PLACES], kept[PLACE * PLACES], out[PLACE * PLACES + SPARE];
static u64 seed;
static FILE *keeper;
static sigjmp_buf back;

static u64 next(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    u64 bits = seed ^ seed >> 29;
    return bits * 0x9e3779b97f4a7c15u ^ bits >> 32;
}

static unsigned __int128 bits_of(unsigned width) {
    static const u64 few[] = {0, 1, -1ul, 2, 3, 7, 0x55555555, 0x80, 0xff, 0x7fff};
    unsigned __int128 one = 1, any = (unsigned __int128)next() << 64 | next();
    switch (next() >> 32 & 7) {
    case 0: return few[next() % 10];
    case 1: return one << (width - 1);
    case 2: return (one << (width - 1)) - 1;
    case 3: return -(any & 15);
    case 4: return any >> (next() & 127);
    default: return any;
    }
}

static u64 float_bits(unsigned width) {
    static const double few[] = {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-40, 1e30, 3.5, -0.3, 16777217.0, 4503599627370497.0};
    double number = few[next() % 12];
    u64 any = next();
    if (next() & 1) number = (double)(long)any / (1l << (next() & 63));
    int choice = next() >> 32 & 15;
    if (choice == 0) number = 1 / 0.0;
    if (choice == 1) number = -1 / 0.0;
    if (choice == 2) number = 0 / 0.0;
    float narrow = number;
    if (choice >= 12) {
        memcpy(&narrow, &any, 4);
        memcpy(&number, &any, 8);
        if (narrow != narrow) narrow = 0 / 0.0f;
        if (number != number) number = 0 / 0.0;
    }
    u64 result = 0;
    memcpy(&result, width == 32 ? (void *)&narrow : &number, width / 8);
    return result;
}

/* A float whose integral part has so many bits. */
static u64 limited(unsigned width, unsigned limit, int is_signed) {
    unsigned __int128 whole = bits_of(128);
    whole = limit >= 128 ? whole : whole & (((unsigned __int128)1 << limit) - 1);
    /* No rounding up. */
    unsigned digits = width == 32 ? 24 : 53;
    if (limit > digits) whole = whole >> (limit - digits) << (limit - digits);
    double number = (double)whole;
    if (limit < 16 && limit != 3 && next() & 1) number += 0.25;
    if (is_signed && next() & 1) number = -number;
    float narrow = number;
    u64 result = 0;
    memcpy(&result, width == 32 ? (void *)&narrow : &number, width / 8);
    return result;
}

static void put(unsigned char *place, u64 bit, unsigned width, unsigned __int128 value) {
    for (unsigned i = 0; i < width; i++, bit++)
        if (value >> i & 1) place[bit / 8] |= 1 << bit % 8;
}

static void fill(unsigned char *place, u64 row) {
    unsigned kind = row & 255, width = row >> 8 & 255, limit = row >> 16 & 0xffff;
    for (u64 bit = 0; bit < row >> 32; bit += width)
        put(place, bit, (row >> 32) - bit < width ? (row >> 32) - bit : width, /* Not beyond the value. */
            kind == 0 ? bits_of(width) : kind == 1 ? float_bits(width) : limited(width, limit, kind == 2));
}

static void canonical(unsigned char *place, u64 row) {
    for (u64 i = 0; i < row >> 32; i += 8 >> ((row & 255) == 1)) {
        float narrow;
        double wide;
        if ((row & 255) == 1) {
            memcpy(&narrow, place + i, 4);
            if (narrow != narrow) memset(place + i, 0xff, 4);
        } else {
            memcpy(&wide, place + i, 8);
            if (wide != wide) memset(place + i, 0xff, 8);
        }
    }
}

static void on_signal(int number) { siglongjmp(back, number); }

static u64 run(const struct row *row) {
    u64 state = 0;
    for (volatile int set = 0; set < SETS; set++) {
        memset(in, 0, sizeof in);
        for (int i = 0; i < PLACES; i++) fill(in + i * PLACE, row->inputs[i]);
        memset(out, 0xa5, sizeof out);
        memcpy(kept, in, sizeof in);
        row->address(in, out);
        for (int i = 0; i < PLACES; i++)
            if (row->outputs[i] & 255) canonical(out + i * PLACE, row->outputs[i]);
        if (keeper && set < KEPT) {
            fwrite(&row->number, sizeof row->number, 1, keeper);
            fwrite(kept, sizeof kept, 1, keeper);
            fwrite(out, sizeof out, 1, keeper);
        }
        u64 words[(PLACE * PLACES + SPARE) / 8];
        memcpy(words, out, sizeof words);
        for (unsigned i = 0; i < sizeof words / 8; i++) state = (state ^ words[i]) * 0x9e3779b97f4a7c15u + (state >> 31);
        if (memcmp(kept, in, sizeof in)) state = 1;
        if (getenv("FRAZIL_SHOW")) {
            for (int i = 0; i < PLACES; i++) {
                for (u64 at = 0; at < (row->inputs[i] >> 32) / 8; at++) printf("%02x%s", in[i * PLACE + at], at % 8 == 7 ? " " : "");
                if (row->inputs[i]) puts(" in");
            }
            for (int i = 0; i < PLACES; i++) {
                for (u64 at = 0; at < row->outputs[i] >> 32; at++) printf("%02x%s", out[i * PLACE + at], at % 8 == 7 ? " " : "");
                if (row->outputs[i]) puts(" out");
            }
        }
    }
    return state;
}

int main(void) {
    static const int signals[] = {SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGALRM, SIGABRT, SIGTRAP};
    static char stack[1 << 16];
    if (getenv("FRAZIL_KEEP")) keeper = fopen(getenv("FRAZIL_KEEP"), "wb");
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, 0);
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_NODEFER | SA_ONSTACK}, 0);
    for (volatile u64 i = 0; i < table_rows; i++) {
        seed = table[i].number * 77 + 1;
        alarm(SECONDS);
        int caught = sigsetjmp(back, 1);
        if (caught)
            printf("%lu signal %d\n", table[i].number, caught);
        else
            printf("%lu %016lx\n", table[i].number, run(&table[i]));
        fflush(stdout);
    }
    return keeper && fclose(keeper);
}
