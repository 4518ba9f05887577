// Says from where it was called: in a comparison that qsort calls, in a signal handler, in a destructor while an
// exception is thrown, and through functions of which optimizers inline some.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <stdexcept>

static int depth;

__attribute__((noinline)) static void trace(const char *where) {
    void *addresses[64];
    int count = backtrace(addresses, 64);
    printf("trace %s", where);
    // A return address is after the call.
    for (int i = 1; i < count; i++)
        printf(" 0x%lx", (unsigned long)addresses[i] - 1);
    puts("");
    depth++;
}

static inline int difference(int left, int right) {
    if (left == 7 && depth == 0)
        trace("qsort");
    return left - right;
}

static int compare(const void *left, const void *right) {
    int first = *(const int *)left, second = *(const int *)right;
    if (first == second)
        return 0;
    return difference(first,
                      second);
}

static void handle(int number) {
    trace("signal");
    depth += number;
}

struct Guard {
    int *count;
    explicit Guard(int *count) : count(count) {}
    ~Guard() {
        trace("destructor");
        ++*count;
    }
};

template <typename T> __attribute__((noinline)) T checked(T value, int *count) {
    Guard guard(count);
    if (value > T(3)) {
        trace("throw");
        throw std::out_of_range("more than three");
    }
    return value + T(1);
}

__attribute__((always_inline)) static inline int inner(int value) {
    trace("inlined");
    return value * 2;
}

__attribute__((always_inline)) static inline int middle(int value) {
    return inner(value + 1) +
           inner(value + 2);
}

__attribute__((noinline)) static int outer(int value) {
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += middle(value + i);
    return sum;
}

int main() {
    int numbers[] = {9, 7, 3, 8, 1};
    qsort(numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, compare);
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    int count = 0;
    try {
        checked(2.5, &count);
        checked(numbers[4], &count);
    } catch (const std::out_of_range &error) {
        trace("catch");
        count += error.what()[0] == 'm';
    }
    return outer(numbers[0]) + count == 0;
}
