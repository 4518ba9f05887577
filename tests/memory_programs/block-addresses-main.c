// Prints whether all name the same blocks, and what was computed on the way there.
#include <stdio.h>

extern void *t[];
void *other(int);
void *f(void *, void *, int);

int main(void) {
    unsigned long x[4] = {1, 2, 3, 4}, y[4] = {7, 1};
    for (int k = 0; k < 2; k++) {
        void *address = f(x, y, k);
        printf("%d %d %lu %lu\n", address == t[k], address == other(k), x[0], y[0]);
        y[0] |= 5;
    }
}
