/* Measures how often functions call one another and how long that takes, with and without what they call. For programs
   with one thread whose functions return (no longjmp and no exceptions past them). */
#include "frazil.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEPTH 65536
#define EDGES 65536

struct frame {
    const struct frazil_record *function;
    uint64_t start, inner;
};

struct edge {
    const struct frazil_record *from, *to;
    uint64_t calls, total, self;
};

static struct frame stack[DEPTH];
static unsigned depth;
static struct edge edges[EDGES];

static uint64_t now(void) {
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
#endif
}

void enter(const struct frazil_record *function) {
    unsigned here = depth++;
    if (here < DEPTH)
        stack[here] = (struct frame){function, now(), 0};
}

void leave(void) {
    unsigned here = --depth;
    if (here >= DEPTH)
        return;
    struct frame *frame = &stack[here];
    const struct frazil_record *from = here ? frame[-1].function : 0;
    uint64_t total = now() - frame->start;
    if (here)
        frame[-1].inner += total;
    unsigned place = ((uintptr_t)from * 31 + (uintptr_t)frame->function) / 32 % EDGES;
    while (edges[place].to && (edges[place].from != from || edges[place].to != frame->function))
        place = (place + 1) % EDGES;
    struct edge *edge = &edges[place];
    edge->from = from;
    edge->to = frame->function;
    edge->calls++;
    edge->total += total;
    edge->self += total - frame->inner;
}

static int longer(const void *left, const void *right) {
    uint64_t a = ((const struct edge *)left)->self, b = ((const struct edge *)right)->self;
    return a < b ? 1 : a > b ? -1 : 0;
}

__attribute__((destructor)) static void report(void) {
    while (depth)
        leave();
    qsort(edges, EDGES, sizeof *edges, longer);
    fprintf(stderr, "         calls           self          total  caller -> callee\n");
    for (int place = 0; place < 30 && edges[place].to; place++)
        fprintf(stderr, "%14llu %14llu %14llu  %s -> %s\n", (unsigned long long)edges[place].calls,
                (unsigned long long)edges[place].self, (unsigned long long)edges[place].total,
                edges[place].from ? edges[place].from->function : "(start)", edges[place].to->function);
}
