// Variables that are constants, some that are in memory all the time, and values beside vectors that are taken apart,
// in optimised code.

#include <stdarg.h>

struct pair {
    long first;
    int second;
};

typedef float wide __attribute__((vector_size(64)));

static int sink;
wide all;

__attribute__((noinline)) static void use(int number) {
    sink += number;
}

__attribute__((noinline)) static void fill(struct pair *pair) {
    pair->second += sink;
}

__attribute__((noinline)) static int constants(int count) {
    float half = 0.5f;
    double quarter = 0.25;
    unsigned long big = 0xfedcba9876543210;
    unsigned __int128 wide = (unsigned __int128)7 << 80 | 1;
    __int128 negative = -3;
    _Bool yes = 1;
    use(count);
    use((int)half + (int)quarter + (int)(wide >> 80) + (big == 0) + (negative > 0) + yes);
    return count + yes;
}

__attribute__((noinline)) static long assigned(int count) {
    struct pair pair = {count, 2};
    fill(&pair);
    pair.first = 5;
    fill(&pair);
    return pair.first + pair.second;
}

__attribute__((noinline)) static int many(int count, ...) {
    va_list list;
    va_start(list, count);
    int sum = 0;
    for (int index = 0; index < count; index++) {
        int next = va_arg(list, int);
        use(next);
        sum += next;
    }
    va_end(list);
    return sum;
}

__attribute__((noinline)) static int vectors(int count, const wide *from) {
    int twice = count * 2;
    float half = 0.5f;
    all = *from + half;
    use(twice);
    all = all * *from;
    use(count);
    return twice + count;
}

int main(int argc, char **argv) {
    int result = constants(argc);
    result += (int)assigned(argc);
    result += many(argc + 1, 11, 12);
    result += vectors(argc, &all);
    return result == 0;
}
