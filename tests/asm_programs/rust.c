/* Prints what the functions of rust.rs compute. */
#include <stdio.h>

extern void check(unsigned long results[14]);

int main(void) {
    unsigned long results[14];
    check(results);
    for (int i = 0; i < 14; i++)
        printf("%lx\n", results[i]);
    return 0;
}
