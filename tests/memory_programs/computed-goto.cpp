// Jumps to addresses of blocks beside landing pads, in a function in which division of wide integers takes more blocks.
#include <cstdio>

typedef unsigned _BitInt(256) wide;

struct Counter {
    int *count;
    ~Counter() { ++*count; }
};

__attribute__((noinline)) static int may_throw(int x) {
    if (x % 3 == 0)
        throw x;
    return x;
}

static wide interpret(const unsigned char *code, wide x, wide y, int *count) {
    static const void *const blocks[] = {&&caught, &&counted, &&stop};
    goto *blocks[*code++];
caught:
    try {
        Counter counter{count};
        x = x / (y | 1) + may_throw((int)x & 15);
        y = y % (x | 5);
    } catch (int number) {
        x += (wide)number % (y | 3);
    }
    goto *blocks[*code++];
counted: {
    Counter counter{count};
    y = (y << 90) / (x | 9) + may_throw(((int)y & 3) + 1 == 3 ? 4 : 5);
}
    goto *blocks[*code++];
stop:
    return x ^ y;
}

int main() {
    int count = 0;
    wide x = (wide)12345 << 140 | 77, y = (wide)999 << 70;
    for (int i = 0; i < 40; i++) {
        const unsigned char code[] = {(unsigned char)(i & 1), 0, 1, 0, 2};
        x += interpret(code, x + i, y, &count);
        printf("%llx %llx %d\n", (unsigned long long)x, (unsigned long long)(x >> 100), count);
    }
}
