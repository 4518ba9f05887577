/* A program that ends within nested calls. */
#include <stdio.h>
#include <stdlib.h>

static int rounds;

static void at_end(void) {
    if (rounds > 3)
        printf("%d rounds\n", rounds);
}

static int descend(int depth) {
    int sum = 0;
    for (int step = 0; step < depth; step++) {
        rounds++;
        if (depth == 1 && rounds > 10)
            exit(depth + 2);
        if (step & 1)
            sum++;
        sum += descend(depth - 1);
    }
    return sum;
}

int main(void) {
    atexit(at_end);
    printf("%d\n", descend(3));
    while (descend(4))
        rounds++;
    return 0;
}
