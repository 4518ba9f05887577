// Writes after the end of memory that it has reserved, in a function that optimizers inline.

#include <stdio.h>
#include <stdlib.h>

static void fill(int *numbers, int count, int first) {
    for (int i = 0; i < count; i++)
        numbers[i] = first + i;
}

__attribute__((noinline)) static int *reserve(int count) {
    int *numbers =
        malloc(sizeof *numbers * count);
    if (!numbers)
        abort();
    return numbers;
}

__attribute__((noinline)) static void work(int count) {
    int *numbers = reserve(count);
    fill(numbers, count, 1);
    fill(numbers, count + 1, 2);
    printf("%d\n", numbers[count - 1]);
    free(numbers);
}

int main(int argc, char **argv) {
    work(argc * 5);
    return 0;
}
