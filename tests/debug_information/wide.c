// Integers in several registers: parameters, sums in a loop, over calls.
#include <stdio.h>

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

long sink;

__attribute__((noinline)) void use(long number) {
    sink += number;
    printf("%ld\n", number);
}

__attribute__((noinline)) wide work(wide first, int count, unsigned_wide second) {
    wide total = first;
    for (int index = 0; index < count; index++) {
        total = total * 3 + index;
        use((long)total);
        second += (unsigned_wide)total << 20;
    }
    use((long)(second >> 64));
    return total + (wide)second;
}

int main(int count, char **arguments) {
    wide start = ((wide)count << 80) - 5;
    wide result = work(start, count + 2, (unsigned_wide)-1);
    use((long)(result >> 70));
    return result == 77 || arguments == NULL;
}
