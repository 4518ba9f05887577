/* Calls every function of a table with many values, then from several threads at once. Each function updates memory by
   the value and stores what was there before. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 100, BYTES = 64 };

struct operation {
    void (*function)(void *memory, const void *value, void *old);
    const char *name;
    long bytes;
    /* 0: integer, 1: float, 2: double. */
    long kind;
    /* Of memory, which is misaligned if it can be. */
    long align;
    /* Whether what is in memory at last depends on how often the function was called, and on nothing else. */
    long counts;
};
extern const struct operation operations[];
extern const long operation_count;

static const unsigned long integers[] = {0, 1, 2, 5, ~0ul, ~0ul - 1, 1ul << 63, ~0ul >> 1, 0x80, 0xff, 0x7fff, 0x8000, 0xffff0000, 0x123456789abcdef};
static const double floats[] = {0.0, -0.0, 1.0, -1.5, 1e30, -1e30, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0, 3.25};
enum { INTEGERS = sizeof integers / sizeof *integers, FLOATS = sizeof floats / sizeof *floats };

/* Fills memory with the values that follow each other in the list, from one on. */
static void fill(const struct operation *operation, unsigned char *memory, int first) {
    for (long at = 0; at < operation->bytes; first++) {
        unsigned long word = integers[first % INTEGERS];
        double number = floats[first % FLOATS];
        float single = (float)number;
        long size = operation->kind == 1 ? 4 : operation->bytes - at < 8 ? operation->bytes - at : 8;
        const void *source = operation->kind == 0 ? (void *)&word : operation->kind == 1 ? (void *)&single : (void *)&number;
        memcpy(memory + at, source, size);
        at += size;
    }
}

static int is_any_nan(const struct operation *operation, const unsigned char *memory) {
    float single;
    double number;
    for (long at = 0; operation->kind > 0 && at < operation->bytes; at += operation->kind * 4) {
        memcpy(&single, memory + at, 4);
        memcpy(&number, memory + at, operation->kind * 4);
        if (operation->kind == 1 ? single != single : number != number)
            return 1;
    }
    return 0;
}

static void show(const struct operation *operation, const unsigned char *memory) {
    if (is_any_nan(operation, memory)) {
        printf(" nan");
        return;
    }
    putchar(' ');
    for (long at = operation->bytes; at-- > 0;)
        printf("%02x", memory[at]);
}

static unsigned char shared[2 * BYTES] __attribute__((aligned(BYTES)));

struct thread {
    const struct operation *operation;
    unsigned char *memory;
};

static void *run(void *argument) {
    const struct thread *thread = argument;
    unsigned char value[BYTES] = {0}, old[BYTES];
    fill(thread->operation, value, thread->operation->kind == 0 ? 13 : 2);
    for (int round = 0; round < ROUNDS; round++)
        thread->operation->function(thread->memory, value, old);
    return 0;
}

int main(void) {
    for (long index = 0; index < operation_count; index++) {
        const struct operation *operation = &operations[index];
        unsigned char *memory = shared + (operation->align == 1 ? BYTES - 3 : 0), value[BYTES], old[BYTES];
        printf("%s", operation->name);
        int count = operation->kind == 0 ? INTEGERS : FLOATS;
        for (int left = 0; left < count; left++)
            for (int right = 0; right < count; right++) {
                memset(shared, 0x5a, sizeof shared);
                fill(operation, memory, left);
                fill(operation, value, right);
                operation->function(memory, value, old);
                show(operation, old);
                show(operation, memory);
                if (memory[-1 + (memory == shared)] == 0 || memory[operation->bytes] != 0x5a)
                    printf("beyond its end");
            }
        if (!operation->counts) {
            putchar('\n');
            continue;
        }
        pthread_t threads[THREADS];
        struct thread argument = {operation, memory};
        fill(operation, memory, 2);
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], 0, run, &argument);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], 0);
        printf(" at last");
        show(operation, memory);
        putchar('\n');
    }
    return 0;
}
