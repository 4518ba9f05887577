// What code models decide on: how code reaches variables, functions, constants, tables and labels, variables of
// threads, and how unwinders reach tables. Compiled by clang and then by a compiler of its bitcode.
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

typedef int lanes __attribute__((vector_size(16)));

#ifdef FAR
#define PLACED __attribute__((section("far_data")))
#else
#define PLACED
#endif

PLACED int placed = 3;
PLACED static int hidden[5000] = {1, 2};
static long counter;
static __thread int own = 5;
extern int elsewhere;
extern int absent __attribute__((weak));
int call_elsewhere(int (*)(int));
static jmp_buf out;

__attribute__((noinline)) int doubled(int value) { return 2 * value; }

__attribute__((noinline)) double constants(double value) { return value * 1.2345 + 1e100 / (value + 0.3); }

__attribute__((noinline)) float short_constant(float value) { return value * 1.7f; }

__attribute__((noinline)) lanes shifted(lanes value) { return value + (lanes){1, 20, 300, 4000}; }

__attribute__((noinline)) int chosen(int value) {
    switch (value) {
    case 0: return hidden[1];
    case 1: counter++; return 11;
    case 2: return placed;
    case 3: placed = 9; return 37;
    case 4: return doubled(value);
    case 5: return own++;
    case 6: return 99;
    default: return -1;
    }
}

__attribute__((noinline)) int jumped(int value) {
    static void *const places[] = {&&first, &&second, &&third};
    int sum = 0;
    goto *places[value % 3];
first:
    sum += 1;
second:
    sum += 10;
third:
    sum += 100;
    return sum;
}

static void say(int *value) { printf("left with %d\n", *value); }

static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
                                struct _Unwind_Exception *exception, struct _Unwind_Context *context, void *end) {
    if (actions & _UA_END_OF_STACK || _Unwind_GetCFA(context) > (_Unwind_Word)end) longjmp(out, 1);
    return _URC_NO_REASON;
}

__attribute__((noinline)) void unwind(void *end) {
    static struct _Unwind_Exception exception;
    _Unwind_ForcedUnwind(&exception, stop, end);
}

__attribute__((noinline)) void cleaned(int depth, void *end) {
    int value __attribute__((cleanup(say))) = depth + own;
    if (depth == 0)
        unwind(end);
    else
        cleaned(depth - 1, end);
}

int main(void) {
    int here;
    lanes four = shifted((lanes){1, 2, 3, 4});
    printf("%d %d %d %d\n", placed, hidden[0], elsewhere, &absent == 0);
    memset(hidden, 1, sizeof hidden);
    printf("%d %d\n", hidden[4999], call_elsewhere(doubled));
    printf("%.12g %.6g\n", constants(2), short_constant(2));
    printf("%d %d %d %d\n", four[0], four[1], four[2], four[3]);
    for (int value = -1; value < 8; value++) printf("%d ", chosen(value));
    printf("%ld %d %d\n", counter, placed, own);
    for (int value = 0; value < 3; value++) printf("%d ", jumped(value));
    printf("\n");
    if (setjmp(out) == 0) cleaned(3, __builtin_frame_address(0));
    printf("%s\n", "done");
    return 0;
}
