// Calls the functions of fixed-point.ll with many numbers. Quotients that a type does not have are open, and left out.
#include <stdint.h>
#include <stdio.h>

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

struct row {
    wide (*function)(wide, wide);
    int kind, bits, scale, padding;
};

extern const struct row rows[];
extern const int row_count;

static uint64_t state = 88172645463325252u;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

// Numbers of all magnitudes, and those at the ends of the range.
static wide number(int bits) {
    wide all = (wide)next() << 64 | next();
    switch (next() % 8) {
    case 0:
        return (wide)1 << (bits - 1);
    case 1:
        return ((wide)1 << (bits - 1)) - 1;
    case 2:
        return -1;
    case 3:
        return next() % 4;
    case 4:
        return all;
    default:
        return all >> next() % bits;
    }
}

static wide extend(wide value, int bits, int is_signed) {
    unsigned_wide top = (unsigned_wide)value << (128 - bits);
    return is_signed ? (wide)top >> (128 - bits) : (wide)(top >> (128 - bits));
}

// Whether a quotient is a number of the type, or it does not matter since it is limited.
static int is_defined(const struct row *row, wide x, wide y) {
    int is_signed = row->kind % 2 == 0;
    wide a = extend(x, row->bits, is_signed), b = extend(y, row->bits, is_signed);
    if (row->kind < 4 || row->kind == 8)
        return 1;
    if (b == 0)
        return 0;
    if (row->kind >= 6)
        return 1;
    if (!is_signed)
        return (unsigned_wide)a << row->scale >> 64 == 0
                   ? (unsigned_wide)extend((wide)(((unsigned_wide)a << row->scale) / (unsigned_wide)b), row->bits, 0) ==
                         ((unsigned_wide)a << row->scale) / (unsigned_wide)b
                   : 0;
    wide quotient = (wide)((unsigned_wide)a << row->scale) / b;
    return extend(quotient, row->bits, 1) == quotient && extend(quotient - 1, row->bits, 1) == quotient - 1;
}

int main(void) {
    for (int i = 0; i < row_count; i++) {
        const struct row *row = &rows[i];
        unsigned_wide hash = 0;
        int count = 0;
        for (int j = 0; j < 2000; j++) {
            wide x = number(row->bits), y = number(row->bits);
            if (!is_defined(row, x, y))
                continue;
            wide result = row->function(x, y);
            hash = (hash ^ (unsigned_wide)result) * 0x100000001b3u + (hash >> 77);
            count++;
        }
        printf("%d i%d %d: %d %016lx%016lx\n", row->kind, row->bits, row->scale, count, (long)(hash >> 64), (long)hash);
    }
    return 0;
}
