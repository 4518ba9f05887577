/* Computed jumps, longjmp and variables in memory. */
#include <setjmp.h>
#include <stdio.h>

static int interpret(const unsigned char *code, int *memory) {
    static void *operations[] = {&&add, &&subtract, &&decrement, &&jump, &&halt};
    int sum = 0;
    const unsigned char *at = code;
    goto *operations[*at];
add:
    sum += memory[at[1]];
    at += 2;
    goto *operations[*at];
subtract:
    sum -= memory[at[1]];
    at += 2;
    goto *operations[*at];
decrement:
    memory[at[1]]--;
    at += 2;
    goto *operations[*at];
jump:
    if (memory[at[1]])
        at = code + at[2];
    else
        at += 3;
    goto *operations[*at];
halt:
    return sum;
}

static jmp_buf environment;

static int descend(int depth) {
    if (depth == 0)
        longjmp(environment, 7);
    volatile int kept = depth;
    return descend(depth - 1) + kept;
}

int main(void) {
    int memory[4] = {5, 1000, 3, 0};
    unsigned char code[] = {0, 0, 0, 2, 1, 0, 2, 1, 3, 1, 0, 4};
    volatile int before = 1;
    int result = setjmp(environment);
    if (result == 0) {
        before = 2;
        descend(5);
    }
    printf("%d %d %d\n", interpret(code, memory), result, before);
    return 0;
}
