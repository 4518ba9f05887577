/* Address spaces of x86: what the segments gs and fs lead to, and pointers of 32 bits. */
#include <asm/prctl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct record {
    int number;
    char letter;
    short small;
    long big;
    double real;
    float single;
    struct record __seg_gs *next;
    _Bool flag;
};

static char area[4096] __attribute__((aligned(4096)));

__attribute__((noinline)) static long walk(struct record __seg_gs *record, int count) {
    long sum = 0;
    for (; count > 0; count--, record = record->next) {
        sum += record->number + record->letter + record->small + record->big + (long)record->real + record->flag;
        record->number++;
        record->letter ^= 3;
        record->small -= 5;
        record->big *= 3;
        record->real += 0.5;
        record->single = (float)record->real * 2;
        record->flag = !record->flag;
    }
    return sum;
}

__attribute__((noinline)) static long locked(long __seg_gs *cell, long value) {
    long old = __atomic_fetch_add(cell, value, __ATOMIC_SEQ_CST);
    old += __atomic_fetch_or(cell, 7, __ATOMIC_RELAXED);
    __atomic_fetch_xor(cell, value, __ATOMIC_SEQ_CST);
    long expected = old;
    old += __atomic_compare_exchange_n(cell, &expected, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    old += __atomic_exchange_n(cell, expected + 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(cell, old, __ATOMIC_SEQ_CST);
    return __atomic_load_n(cell, __ATOMIC_ACQUIRE);
}

__attribute__((noinline)) static long indexed(int __seg_gs *numbers, long index, int *plain) {
    numbers[index] = plain[index] + numbers[index + 1];
    plain[index + 1] = numbers[0];
    return numbers[index] - *(int __seg_gs *)16;
}

struct pair {
    long a, b;
};

__attribute__((noinline)) static struct pair pair_of(struct pair __seg_gs *from, struct pair __seg_gs *to) {
    struct pair copy = *from;
    copy.a += 5;
    *to = copy;
    return copy;
}

__attribute__((noinline)) static long narrow(int *__ptr32 numbers, unsigned index) {
    int *__ptr32 place = numbers + index;
    *place += 3;
    return *place + numbers[1] + ((int *)place == (int *)numbers + index);
}

int main(void) {
    if (syscall(SYS_arch_prctl, ARCH_SET_GS, area) != 0)
        return 77;
    struct record *records = (struct record *)(area + 64);
    for (long i = 0; i < 5; i++) {
        records[i].number = (int)i * 7;
        records[i].big = i << 40;
        records[i].real = (double)i;
        records[i].next = (struct record __seg_gs *)(64 + (i + 1) * sizeof(struct record));
    }
    printf("%ld\n", walk((struct record __seg_gs *)64, 5));
    printf("%ld\n", walk((struct record __seg_gs *)64, 5));
    for (int i = 0; i < 5; i++)
        printf("%d %d %d %ld %g %g %d\n", records[i].number, records[i].letter, records[i].small, records[i].big,
               records[i].real, records[i].single, records[i].flag);
    *(long *)(area + 1024) = 1234567;
    printf("%ld\n", locked((long __seg_gs *)1024, 99));
    printf("%ld\n", *(long *)(area + 1024));
    int plain[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    memcpy(area + 2048, plain, sizeof plain);
    printf("%ld %d\n", indexed((int __seg_gs *)2048, 3, plain), plain[4]);
    *(struct pair *)(area + 3000) = (struct pair){3, 4};
    printf("%ld %ld\n", pair_of((struct pair __seg_gs *)3000, (struct pair __seg_gs *)3008).b,
           *(long *)(area + 3008));
    /* The thread pointer's block begins with its own address. */
    void *self = *(void *__seg_fs *)0;
    printf("%d\n", self == __builtin_thread_pointer());
    int *low = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    for (int i = 0; i < 8; i++)
        low[i] = i * i;
    printf("%ld %d\n", narrow((int *__ptr32)low, 5), low[5]);
    return 0;
}
