// What both halves of the program share: the half whose stack pointer may be anywhere, and the one that calls it so.
#include <stddef.h>

typedef float V __attribute__((vector_size(16)));

struct Block {
  long words[5];
};

// In the half that clang compiles, which aligns the stack by itself.
extern "C" {
void note(const char *what, long value);
// Says by how much the stack pointer of the call misses what the program was compiled for.
void check_stack();
void check_stack_arguments(int, int, int, int, int, int, V, V, V, V, V, V, V, V, V v8, long last, long double x);
void throw_number(long number);
int frames_up_to_main();
V mix(V a, V b);
double sum_of(int count, ...);
void aligned_to(const void *pointer, long bytes);
}

// In the half that Frazil compiles.
extern "C" {
void spills(void *);
void dynamic(void *);
void calls_with_memory(void *);
void variable(void *);
void catches(void *);
void unwinds(void *);
void walks(void *);
void tail(void *);
void leaf(void *);
void over_aligned(void *);
void keeps(void *);
long on_the_stack(long, long, long, long, long, long, long a, long double x, V, V, V, V, V, V, V, V, V v8, Block b);
long musttail(long, long, long, long, long, long, long a, long double x, V, V, V, V, V, V, V, V, V v8, Block b);
}
