// Starts a program: what PNaCl's loader hands it, in memory that it can address.
//
// The program begins with one argument, the address of an array of words: a function to be called at the end (none
// here), how many strings there are in the environment, how many arguments; the arguments, 0, the environment, 0; and
// pairs of a kind and a value, of which the one with the kind AT_SYSINFO is the function that finds interfaces.

#include "pexe.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { AT_END = 0, AT_QUERY = 32 };

static const size_t STACK_BYTES = 64u << 20;

__thread uint32_t pexe_thread_pointer_value;

uint32_t __pexe_thread_pointer(void) { return pexe_thread_pointer_value; }

void __pexe_start(uint32_t info);

void *pexe_map_low(size_t bytes) {
  void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  return place == MAP_FAILED ? NULL : place;
}

static size_t count(char **strings, size_t *bytes) {
  size_t found = 0;
  for (; strings[found]; found++)
    *bytes += strlen(strings[found]) + 1;
  return found;
}

static address *copy(char **strings, address *word, char **text) {
  for (; *strings; strings++) {
    size_t bytes = strlen(*strings) + 1;
    *word++ = number(memcpy(*text, *strings, bytes));
    *text += bytes;
  }
  *word++ = 0;
  return word;
}

int main(int arguments, char **argument, char **environment) {
  size_t bytes = 0;
  size_t variables = count(environment, &bytes);
  count(argument, &bytes);
  size_t words = 3 + (size_t)arguments + 1 + variables + 1 + 4;
  char *memory = pexe_map_low(words * sizeof(address) + bytes);
  char *stack = pexe_map_low(STACK_BYTES);
  if (!memory || !stack) {
    fputs("there is no memory in the first 4 GiB of the address space\n", stderr);
    return 127;
  }
  address *info = (address *)memory, *word = info;
  char *text = memory + words * sizeof(address);
  *word++ = 0;
  *word++ = (address)variables;
  *word++ = (address)arguments;
  word = copy(argument, word, &text);
  word = copy(environment, word, &text);
  *word++ = AT_QUERY;
  *word++ = number((void *)(uintptr_t)pexe_interface_query);
  *word++ = AT_END;
  *word++ = 0;
  void *place;
  pexe_enter(number(stack + STACK_BYTES), __pexe_start, number(info), &place);
  return 0;
}
