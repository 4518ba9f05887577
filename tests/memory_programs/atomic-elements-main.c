#include <stdio.h>

void copy(void *, void *, long), move(void *, void *, int), fill(void *, int, long);

static char memory[64];

#define COPY(name) \
    void name(void *to, void *from, unsigned long length) { \
        printf(#name " %ld %ld %lu\n", (long)((char *)to - memory), (long)((char *)from - memory), length); \
    }
#define FILL(name) \
    void name(void *to, unsigned char value, unsigned long length) { \
        printf(#name " %ld %d %lu\n", (long)((char *)to - memory), value, length); \
    }
COPY(__llvm_memcpy_element_unordered_atomic_4)
COPY(__llvm_memcpy_element_unordered_atomic_16)
void __llvm_memmove_element_unordered_atomic_2(void *to, void *from, unsigned length) {
    printf("move %ld %ld %u\n", (long)((char *)to - memory), (long)((char *)from - memory), length);
}
FILL(__llvm_memset_element_unordered_atomic_1)
FILL(__llvm_memset_element_unordered_atomic_8)

int main(void) {
    copy(memory + 8, memory + 4, 1l << 33);
    move(memory + 2, memory + 6, 12);
    fill(memory + 24, 0x1fe, 40);
    return 0;
}
