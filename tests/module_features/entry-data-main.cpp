// Calls the functions of entry-data.ll and reads what stands before and at their beginning.
#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" {
int number();
int padded();
int addresses();
int address();
int jumped(int);
int addressed(int);
int everything(int);
int entered(int);
int caught(int);
int computed(int);
int chosen(int);
extern void *places[2];
int outside = 9;

int thrower(int x) {
    if (x > 5) {
        throw x;
    }
    return x;
}
}

template <typename T, typename F> static T at(F *function, long distance) {
    T value;
    memcpy(&value, (const char *)function + distance, sizeof value);
    return value;
}

template <typename F> static const char *place(F *function) { return (const char *)function; }

int main() {
    printf("%d %d %d %d %d %d\n", number(), padded(), addresses(), address(), jumped(10), addressed(4));
    printf("%d %d %d %d\n", everything(20), entered(30), caught(3), caught(7));
    printf("%d %d\n", computed(0), computed(1));
    for (int x = -1; x < 6; x++) {
        printf("%d ", chosen(x));
    }
    printf("\n%d\n", at<int>(number, -4));
    printf("%d %d %d\n", at<int>(padded, -20), at<char>(padded, -16), at<char>(padded, -1));
    printf("%d %d\n", at<int (*)()>(addresses, -32)(), *at<int *>(addresses, -24));
    int distance = at<int>(addresses, -16);
    // Distances count from the function's symbol, not from where they stand.
    printf("%d\n", at<int>(addresses, distance));
    printf("%d\n", at<int>(place(addresses) + at<int>(addresses, -12), -20));
    printf("%d\n", at<int64_t>(addresses, -8) == place(addresses) + 1 - place(number));
    printf("%d %d\n", at<int *>(address, -8)[0], at<int *>(address, -8)[1]);
    printf("%#x %#x\n", at<uint16_t>(jumped, 0), at<uint32_t>(jumped, 2));
    printf("%d %d\n", at<int (*)(int)>(addressed, 2)(1), at<int>(addressed, at<int>(addressed, 10) + 4));
    printf("%#lx %d\n", at<uint64_t>(everything, -11), at<int>(caught, -4));
    printf("%d\n", at<void *>(computed, -8) == places[1]);
}
