// Registers by name are what assembly finds in them.
#include <stdint.h>
#include <stdio.h>

register uint64_t stack_pointer __asm__("rsp");

uint64_t stack(void);
uint64_t stack_twice(void);
uint32_t short_stack(void);
void set(void);
uint64_t frame(void);
uint64_t frame_by_intrinsic(void);

int main(void) {
  uint64_t here = stack_pointer;
  uint64_t below = here - stack();
  uint64_t frame_below = here - frame();
  printf("%d %d\n", below > 0 && below < 64, (uint32_t)(here - short_stack()) < 64);
  printf("%d %d\n", (int)stack_twice(), (int)frame_by_intrinsic());
  // The frame pointer is pushed below the return address.
  printf("%d\n", (int)frame_below);
  set();
  return 0;
}
