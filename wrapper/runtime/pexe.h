// What the files of the run-time library for PNaCl's executables share.
//
// Addresses are numbers of 32 bits on both sides, because everything that an executable sees lies in the first 4 GiB of
// the address space. Errors are numbers of `errno`, positive, as results.
#ifndef FRAZIL_PEXE_H
#define FRAZIL_PEXE_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t address;

static inline void *pointer(address a) { return (void *)(uintptr_t)a; }
static inline address number(const void *p) { return (address)(uintptr_t)p; }

// Memory in the first 4 GiB (the first 2 GiB in programs of 64 bits on Linux), or a null pointer.
void *pexe_map_low(size_t bytes);

// The function that executables ask for tables of functions by name: the bytes of the table, or 0.
uint32_t pexe_interface_query(address name, address table, uint32_t table_bytes);

// Calls a function on another stack, and comes back once that returns or `pexe_leave` is called with the same place.
void pexe_enter(address stack_top, void (*function)(uint32_t), uint32_t argument, void **place);
void pexe_leave(void **place) __attribute__((noreturn));

// The thread pointer that the program has set for this thread.
extern __thread uint32_t pexe_thread_pointer_value;

#endif
