/* The calling convention: the side that is compiled by the compiler under test. */
#include <stdlib.h>

#define HERE(name) tested_##name
#define THERE(name) host_##name
#include "abi.h"

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1;
    host_all(n);
    tested_all(n);
    return 0;
}
