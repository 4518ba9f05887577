#include <stdio.h>

typedef unsigned __int128 wide;
wide load16(wide *), exchange16(wide *, wide), updates16(wide *, wide), exchange16_unaligned(void *, wide);
void store16(wide *, wide), store4(void *, int), store8(void *, double);
_Bool compare16(wide *, wide, wide, wide *), compare8(void *, long, long, long *);
int load4(void *);
double load8(void *);
short exchange2(void *, short);

static void show(wide value) { printf("%lx %lx\n", (unsigned long)(value >> 64), (unsigned long)value); }

int main(void) {
    wide memory = ((wide)0x1234 << 64) + 99, old = 0;
    show(load16(&memory));
    store16(&memory, (wide)~0ul << 3);
    show(memory);
    show(exchange16(&memory, 5));
    show(updates16(&memory, (wide)3 << 70));
    show(memory);
    printf("%d\n", compare16(&memory, 1, 2, &old));
    show(old);
    printf("%d\n", compare16(&memory, old, 2, &old));
    show(memory);
    char bytes[32] __attribute__((aligned(16))) = "0123456789abcdefghijklmnopqrst";
    printf("%x\n", load4(bytes + 3));
    store4(bytes + 2, 0x61626364);
    store8(bytes + 9, 2.5);
    printf("%g %g %s\n", load8(bytes + 9), load8(bytes + 4), bytes + 18);
    printf("%x\n", exchange2(bytes + 7, 0x4142));
    long found = 0;
    printf("%d", compare8(bytes + 20, 1, 2, &found));
    printf(" %lx", found);
    printf(" %d", compare8(bytes + 20, found, 0x5051525354555657, &found));
    printf(" %s\n", bytes + 17);
    show(exchange16_unaligned(bytes + 8, 77));
    return 0;
}
