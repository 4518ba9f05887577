/* The calling convention: the side that is compiled by the host's compiler. */
#define HERE(name) host_##name
#define THERE(name) tested_##name
#include "abi.h"
