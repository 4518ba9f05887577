// Labels: breakpoints at them, in a function and in a block of it.
#include <stdio.h>

__attribute__((noinline)) int walk(int count) {
    int total = 0;
again:
    total += count;
    printf("%d\n", total);
    if (--count > 0) {
        goto again;
    }
    if (total == 7) {
        goto never;
    }
    {
        int inner = total * 2;
        if (inner > 100) {
            goto large;
        }
        total++;
large:
        printf("%d %d\n", total, inner);
    }
    return total;
never:
    return 0;
}

int main(int count, char **arguments) {
    int result = walk(count + 2);
    return result == 77 || arguments == NULL;
}
