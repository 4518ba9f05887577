// An interpreter that jumps to addresses of blocks, between which division of wide integers and atomic operations on
// numbers take more blocks: the addresses are in data and in code.
#include <stdio.h>

typedef unsigned _BitInt(256) wide;
typedef _BitInt(192) narrow;

enum { ADD, DIVIDE, REMAINDER, SIGNED, ATOMIC, LOOP, STOP };

static float shared = 1;

static wide interpret(const unsigned char *code, wide x, wide y, unsigned rounds) {
    static const void *const blocks[] = {&&add, &&divide, &&remainder, &&signed_divide, &&atomic, &&loop, &&stop};
    static const int distances[] = {(int)((char *)&&divide - (char *)&&add), (int)((char *)&&stop - (char *)&&loop)};
    const void *extra = rounds & 1 ? &&remainder : &&add;
    const unsigned char *start = code;
    if (distances[0] == 0 || distances[1] == 0)
        return 0;
    goto *blocks[*code++];
add:
    x += y * 3;
    goto *blocks[*code++];
divide:
    x = x / (y | 1) + x;
    goto *blocks[*code++];
remainder:
    x = x % (y + 7) + (x << 60);
    goto *blocks[*code++];
signed_divide:
    y = (wide)((narrow)x / (narrow)((y >> 70) | 1)) + y;
    goto *blocks[*code++];
atomic:
    __atomic_fetch_add(&shared, (float)(rounds % 5), __ATOMIC_SEQ_CST);
    goto *blocks[*code++];
loop:
    if (rounds-- == 0)
        goto *blocks[STOP];
    code = start;
    if (rounds % 3 == 0) {
        extra = extra == &&add ? &&remainder : &&add;
        code = start + 1;
        goto *extra;
    }
    goto *blocks[*code++];
stop:
    return x ^ y;
}

static void print(wide x) {
    for (int i = 3; i >= 0; i--)
        printf("%016llx ", (unsigned long long)(x >> (64 * i)));
    puts("");
}

int main(void) {
    static const unsigned char first[] = {DIVIDE, ADD, REMAINDER, LOOP, STOP};
    static const unsigned char second[] = {SIGNED, ATOMIC, DIVIDE, ADD, ATOMIC, LOOP, STOP};
    static const unsigned char third[] = {REMAINDER, SIGNED, ADD, ATOMIC, LOOP, STOP};
    const unsigned char *codes[] = {first, second, third};
    wide x = 0x123456789abcdefull;
    x = x << 130 | x << 61 | 99;
    for (unsigned i = 0; i < 30; i++) {
        wide y = (wide)(i * 77777 + 1) << (i * 7);
        x += interpret(codes[i % 3], x, y, i);
        print(x);
        printf("%g\n", shared);
    }
}
