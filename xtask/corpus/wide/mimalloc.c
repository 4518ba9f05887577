/* Threads that allocate, free each other's memory and end, with mimalloc. */
#include "mimalloc.h"
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, SLOTS = 512, ROUNDS = 20000 };

/* Blocks that a thread leaves to the next one. */
static unsigned char *shared[THREADS][SLOTS];
static size_t sizes[THREADS][SLOTS];

static uint32_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static int is_filled(const unsigned char *block, size_t size, unsigned char value) {
    for (size_t i = 0; i < size; i++)
        if (block[i] != value) return 0;
    return 1;
}

static void *work(void *argument) {
    intptr_t number = (intptr_t)argument;
    uint64_t state = (uint64_t)number + 1, sum = 0;
    unsigned char **blocks = shared[number];
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t slot = next(&state) % SLOTS;
        size_t size = 1 + next(&state) % (next(&state) % 50 ? 700 : 70000);
        unsigned char value = (unsigned char)(slot * 7);
        if (blocks[slot]) {
            if (!is_filled(blocks[slot], sizes[number][slot], value)) exit(3);
            sum += sizes[number][slot];
        }
        if (blocks[slot] && round % 3 == 0) {
            blocks[slot] = mi_realloc(blocks[slot], size);
        } else {
            mi_free(blocks[slot]);
            blocks[slot] = round % 5 ? mi_malloc(size) : mi_malloc_aligned(size, 128);
            if (round % 5 == 0 && (uintptr_t)blocks[slot] % 128 != 0) exit(4);
        }
        memset(blocks[slot], value, size);
        sizes[number][slot] = size;
        if (mi_usable_size(blocks[slot]) < size) exit(5);
    }
    return (void *)(uintptr_t)sum;
}

/* Frees what another thread has made. */
static void *clean(void *argument) {
    intptr_t number = ((intptr_t)argument + 1) % THREADS;
    uintptr_t freed = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        freed += shared[number][slot] != NULL;
        mi_free(shared[number][slot]);
    }
    return (void *)freed;
}

static void run(const char *name, void *(*task)(void *)) {
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, task, (void *)i)) exit(2);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        printf("%s %d: %zu\n", name, i, (size_t)(uintptr_t)result);
    }
}

int main(void) {
    run("work", work);
    run("clean", clean);
    mi_heap_t *heap = mi_heap_new();
    char *text = mi_heap_strdup(heap, "a string in a heap of its own");
    int *zeros = mi_heap_calloc(heap, 1000, sizeof *zeros);
    long sum = 0;
    for (int i = 0; i < 1000; i++) sum += zeros[i];
    printf("%s, %ld, %d\n", text, sum, mi_heap_contains(heap, zeros) ? 1 : 0);
    mi_heap_destroy(heap);
    mi_collect(true);
    return 0;
}
