// Variables that LLVM computes from several values, since nothing else needs them, and variables of which only parts
// have values.

#include <stdint.h>

volatile int sink;

__attribute__((noinline)) void use(int number) {
    sink += number;
}

struct pair {
    int first;
    int second;
};

__attribute__((noinline)) int lists(int first, int second, long third) {
    int sum = first + second;
    long scaled = third * 8 - first;
    use(first);
    use(second);
    struct pair pair = {first ^ 5, second};
    use(pair.first);
    pair.second = (int)third;
    use(pair.second + pair.first);
    return first - second + (int)third;
}

int main(int argc, char **argv) {
    use(lists(argc + 2, argc - 9, argc * 1000L));
    return 0;
}
