// A collector of garbage that finds what calls keep in registers: on the stack, behind __builtin_unwind_init().
#include <stdint.h>
#include <stdio.h>

// Nothing but the registers has the numbers themselves, whose low bits are a small number: the first is
// 0x123456789abc0000, the key changes the upper bits only.
uint64_t key = 0x5555555555550000ull;
uint64_t key_of_first = 0x123456789abc0000ull ^ 0x5555555555550000ull;

unsigned found_registers(void) {
    uint64_t *stack;
    unsigned found = 0;
    __builtin_unwind_init();
    __asm__ volatile("movq %%rsp, %0" : "=r"(stack));
    for (int word = 0; word < 64; ++word) {
        uint64_t number = (stack[word] ^ key) - key_of_first;
        if (number < 6)
            found |= 1u << number;
    }
    return found;
}

unsigned with_numbers(void);
__asm__("with_numbers:\n"
        "\tpushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\tsubq $8, %rsp\n"
        "\tmovabsq $0x123456789abc0000, %rbp\n\tleaq 1(%rbp), %rbx\n\tleaq 2(%rbp), %r12\n\tleaq 3(%rbp), %r13\n"
        "\tleaq 4(%rbp), %r14\n\tleaq 5(%rbp), %r15\n"
        "\tcall found_registers\n"
        "\taddq $8, %rsp\n\tpopq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n\tret\n");

int main(void) {
    printf("%x\n", with_numbers());
    return 0;
}
