// Variables that clang has put into registers: parameters, sums in loops, parts of structures, inlined functions.
#include <stdio.h>

struct pair {
    int first;
    int second;
};

__attribute__((noinline)) int use(int number) {
    printf("%d\n", number);
    return number + 1;
}

static int product(int left, int right) {
    int result = left * right;
    return result + use(result);
}

__attribute__((noinline)) int work(int count, const char *name, double half) {
    int total = 0;
    for (int index = 0; index < count; index++) {
        int square = index * index;
        total += use(square);
        int more = product(index, total);
        total ^= more;
    }
    struct pair pair = {total, count};
    double whole = half * 2;
    use((int)whole + pair.first);
    printf("%s %d %d\n", name, pair.first, pair.second);
    return total;
}

int main(int count, char **arguments) {
    int result = work(count + 2, "name", 2.5);
    return result == 0 || arguments == NULL;
}
