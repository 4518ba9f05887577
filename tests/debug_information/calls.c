// Calls: tail calls, callbacks from a library, and what is passed in registers, of which debuggers find what the
// callee does not keep.
#include <stdio.h>
#include <stdlib.h>

struct pair {
    int key;
    int value;
};

int counter;
long sink;

__attribute__((noinline)) int finish(int first, const char *name, long third) {
    counter += first;
    if (counter > 1000) {
        abort();
    }
    return printf("%s %ld\n", name, third);
}

// Keeps none of its arguments.
__attribute__((noinline)) int forget(int first, long second, unsigned third, int *fourth) {
    sink += first + second + third + *fourth;
    printf("forget\n");
    return counter;
}

__attribute__((noinline)) int leave(int first, long second) {
    counter++;
    return finish(first + 1, "leave", second);
}

__attribute__((noinline)) int leave_twice(int first, long second) {
    counter--;
    return leave(first, second);
}

__attribute__((noinline)) int compare_keys(const void *left, const void *right) {
    const struct pair *a = left, *b = right;
    finish(a->key, "compare", b->key);
    return (a->key > b->key) - (a->key < b->key);
}

__attribute__((noinline)) int compare(const void *left, const void *right) {
    counter++;
    return compare_keys(left, right);
}

__attribute__((noinline)) int call(int (*callee)(int, long), int number) {
    int result = callee(number, 5);
    return result + callee(number + 1, number) + number;
}

__attribute__((noinline)) int pass(int number, unsigned wide, int which) {
    int local = number * 3;
    int result = forget(number, (long)wide, 4000000000u, &local);
    if (which > 3) {
        result += forget(-7, -7, which, &local);
    }
    // Which of both is passed, only the program knows.
    result += forget(which > 2 ? number : 12, which > 2 ? 1000 : number, wide, &local);
    return result + local + which + number + (int)wide;
}

int main(int count, char **arguments) {
    struct pair pairs[4] = {{3, 1}, {1, 2}, {2, 3}, {count, 0}};
    qsort(pairs, 4, sizeof *pairs, compare);
    int result = leave(count, 4) + leave_twice(pairs[0].key, count);
    result += call(leave, count) + call(leave_twice, 9);
    result += pass(count + 1, 0xf0000000u, count + 4) + pass(5, 6, count);
    return result == 77 || arguments == NULL;
}
