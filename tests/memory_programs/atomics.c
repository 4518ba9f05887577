/* Atomic updates of every width by several threads at once: nothing may be lost. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 20000 };

static _Atomic unsigned char byte;
static _Atomic unsigned short word;
static _Atomic unsigned number;
static _Atomic unsigned long number_long;
static _Atomic(unsigned __int128) number_wide;
static _Atomic double sum;
static _Atomic float sum_single;
static _Atomic(unsigned __int128) pair;
static unsigned highest, lowest = ~0u;
static long nand = -1;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static long guarded;

static void *run(void *argument) {
    unsigned self = (unsigned)(long)argument;
    for (unsigned i = 0; i < ROUNDS; i++) {
        byte++;
        atomic_fetch_add_explicit(&word, 3, memory_order_relaxed);
        number -= 5;
        number_long += i;
        number_wide += ((unsigned __int128)1 << 64) + ~0ul;
        sum += 0.5;
        sum_single -= 1.0f;
        __atomic_max_fetch(&highest, self * ROUNDS + i, __ATOMIC_SEQ_CST);
        __atomic_min_fetch(&lowest, self * ROUNDS + i, __ATOMIC_ACQ_REL);
        __atomic_fetch_nand(&nand, (long)i, __ATOMIC_RELEASE);
        /* Both halves always change together. */
        unsigned __int128 old = atomic_load(&pair), next;
        do {
            unsigned long half = (unsigned long)old;
            if (half != (unsigned long)(old >> 64))
                puts("torn");
            next = ((unsigned __int128)(half + 1) << 64) | (half + 1);
        } while (!atomic_compare_exchange_weak_explicit(&pair, &old, next, memory_order_acq_rel, memory_order_relaxed));
        while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
            ;
        guarded += 2;
        atomic_flag_clear_explicit(&lock, memory_order_release);
        atomic_thread_fence(memory_order_seq_cst);
        atomic_signal_fence(memory_order_seq_cst);
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    printf("%u %u %u %lu\n", byte, word, number, number_long);
    printf("%lx %lx\n", (unsigned long)(number_wide >> 64), (unsigned long)number_wide);
    printf("%g %g\n", sum, sum_single);
    printf("%u %u\n", highest, lowest);
    printf("%lx %lx\n", (unsigned long)(pair >> 64), (unsigned long)pair);
    printf("%ld\n", guarded);
    return 0;
}
