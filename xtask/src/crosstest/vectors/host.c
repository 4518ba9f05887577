/* Runs the functions of a table on borders and random values, and prints a hash of what each has written.

   Of a row's inputs, bits 0 to 7 say what they are (bits, floats, floats with a small integral part, the same without
   sign; with 4 added, floats are bfloat), bits 8 to 15 how wide their lanes are, 16 to 31 the bits of the integral
   part, and the rest how many bits there are. Of its outputs, bits 0 to 7 say which floats they are, by number in
   `formats`, or none, and the upper half how many bytes they have. NaNs are all the same, and so are the zeros of
   functions that may choose one.

   If FRAZIL_KEEP names a file, it gets the first KEPT sets of each function: its number, what it has read, and what it
   has written with NaNs made the same. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long u64;
typedef unsigned __int128 u128;
enum { PLACE = 1024, PLACES = 4, SETS = 10, SPARE = 64, SECONDS = 60 };
/* All where llc is not always right, so that the interpreter decides. */
#if defined __x86_64__
enum { KEPT = 4 };
#else
enum { KEPT = SETS };
#endif

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

static u128 bits_of(unsigned width) {
    static const u64 few[] = {0, 1, -1ul, 2, 3, 7, 0x55555555, 0x80, 0xff, 0x7fff};
    u128 one = 1, any = (u128)next() << 64 | next();
    switch (next() >> 32 & 7) {
    case 0: return few[next() % 10];
    case 1: return one << (width - 1);
    case 2: return (one << (width - 1)) - 1;
    case 3: return -(any & 15);
    case 4: return any >> (next() & 127);
    default: return any;
    }
}

/* What outputs are: of how many bits, and of how many after the point. */
static const struct format { unsigned width, mantissa; } formats[] = {
    {8, 0}, {32, 23}, {64, 52}, {16, 10}, {16, 7}, {128, 112},
};

static struct format format_of(unsigned width, int is_brain) {
    if (is_brain) return formats[4];
    for (unsigned i = 1;; i++)
        if (formats[i].width == width) return formats[i];
}

/* The bits of a number in a format, those of a quiet NaN for all that are none. */
static u128 encoded(struct format format, _Float128 number) {
    u128 bits = 0;
    if (format.mantissa == 7) {
        float narrow = number;
        memcpy(&bits, &narrow, 4);
        return bits >> 16;
    }
    _Float16 half = number;
    float narrow = number;
    double wide = number;
    void *place = format.width == 16 ? (void *)&half : format.width == 32 ? (void *)&narrow : format.width == 64 ? (void *)&wide : &number;
    memcpy(&bits, place, format.width / 8);
    return bits;
}

static int is_nan(struct format format, u128 bits) {
    u128 one = 1, magnitude = bits & ((one << (format.width - 1)) - 1);
    return magnitude > ((one << (format.width - 1)) - (one << format.mantissa));
}

static u128 float_bits(struct format format) {
    static const double few[] = {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-40, 1e30, 3.5, -0.3, 16777217.0, 4503599627370497.0};
    double number = few[next() % 12];
    u64 any = next();
    if (next() & 1) number = (double)(long)any / (1l << (next() & 63));
    int choice = next() >> 32 & 15;
    if (choice == 0) number = 1 / 0.0;
    if (choice == 1) number = -1 / 0.0;
    if (choice == 2) number = __builtin_nan("");
    if (choice == 3) return encoded(format, (_Float128)number + (_Float128)1 / 3);
    u128 bits = (u128)any << 64 | any * 0x9e3779b97f4a7c15u;
    bits >>= 128 - format.width;
    return choice >= 12 && !is_nan(format, bits) ? bits : encoded(format, number);
}

/* A float whose integral part has so many bits. */
static u128 limited(struct format format, unsigned limit, int is_signed) {
    u128 whole = bits_of(128);
    whole = limit >= 128 ? whole : whole & (((u128)1 << limit) - 1);
    /* No rounding up. */
    unsigned digits = format.mantissa + 1;
    if (limit > digits) whole = whole >> (limit - digits) << (limit - digits);
    _Float128 number = whole;
    if (limit < 16 && limit != 3 && next() & 1) number += 0.25;
    if (is_signed && next() & 1) number = -number;
    return encoded(format, number);
}

static void put(unsigned char *place, u64 bit, unsigned width, u128 value) {
    for (unsigned i = 0; i < width; i++, bit++)
        if (value >> i & 1) place[bit / 8] |= 1 << bit % 8;
}

static void fill(unsigned char *place, u64 row) {
    unsigned kind = row & 3, width = row >> 8 & 255, limit = row >> 16 & 0xffff;
    struct format format = kind ? format_of(width, row & 4) : formats[0];
    for (u64 bit = 0; bit < row >> 32; bit += width)
        put(place, bit, (row >> 32) - bit < width ? (row >> 32) - bit : width, /* Not beyond the value. */
            kind == 0 ? bits_of(width) : kind == 1 ? float_bits(format) : limited(format, limit, kind == 2));
}

static void canonical(unsigned char *place, u64 row) {
    struct format format = formats[row & 255];
    for (u64 i = 0; i < row >> 32; i += format.width / 8) {
        u128 bits = 0;
        memcpy(&bits, place + i, format.width / 8);
        if (is_nan(format, bits)) memset(place + i, 0xff, format.width / 8);
    }
}

/* What libgcc has from version 13 on: the nearest bfloat, in the register of floats. */
_Float16 __truncsfbf2(float number) {
    unsigned bits;
    memcpy(&bits, &number, 4);
    unsigned short upper = number != number ? bits >> 16 | 64 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    _Float16 result;
    memcpy(&result, &upper, 2);
    return result;
}

/* Rounded only once: what a float leaves out makes it odd. */
_Float16 __trunctfbf2(_Float128 number) {
    float narrow = number;
    unsigned bits;
    memcpy(&bits, &narrow, 4);
    if (number == number && narrow != number) {
        bits -= number < 0 ? narrow < number : narrow > number;
        bits |= 1;
    }
    memcpy(&narrow, &bits, 4);
    return __truncsfbf2(narrow);
}

_Float16 __truncdfbf2(double number) { return __trunctfbf2(number); }

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
