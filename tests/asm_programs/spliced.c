/* Inline assembly that is spliced into code of our own: with labels, data elsewhere, definitions. */
#include <stdint.h>
#include <stdio.h>

/* The module's own assembly: functions, data, call frame descriptions, references both ways. */
__asm__(".text\n"
        "local_function:\n .cfi_startproc\n subq $8, %rsp\n .cfi_adjust_cfa_offset 8\n"
        " call square\n addq $8, %rsp\n .cfi_adjust_cfa_offset -8\n ret\n .cfi_endproc\n"
        ".globl exported\n.type exported,@function\nexported: jmp local_function\n.size exported,.-exported\n"
        ".data\n.hidden words\n.globl words\n.type words,@object\n.size words,16\n.p2align 3\n"
        "words: .quad exported, static_words\n");
int exported(int);
extern void *words[2] __attribute__((visibility("hidden")));
int local_function(int);
__attribute__((used, noinline)) int square(int x) { return x * x; }
__attribute__((used)) static long static_words[2] = {7, 8};

/* Branches of ours around a text with branches of its own. */
__attribute__((noinline)) static int collatz(long n) {
    int steps = 0;
    while (n != 1) {
        if (n > 1000000) {
            printf("large\n");
        }
        __asm__("testb $1, %b0\n jnz 1f\n shrq %0\n jmp 2f\n1: leaq 1(%0,%0,2), %0\n2:" : "+r"(n)::"cc");
        steps++;
        if (steps > 500) {
            return -1;
        }
    }
    return steps;
}

/* Tables of places: of the text, and of labels of the function. */
struct entry {
    int32_t code, target;
    int64_t key;
};
extern const struct entry __start_entries[], __stop_entries[];
static inline int branch(int key) {
    __asm__ goto("1: .byte 0x0f,0x1f,0x44,0x00,0x00\n"
                 ".pushsection entries,\"a\"\n.p2align 3\n.long 1b - ., %l[taken] - .\n.quad %c0\n.popsection"
                 ::"i"(42)::taken);
    if (key != 9) {
        return key;
    }
taken:
    return -key;
}
__attribute__((noinline)) static int branches(int key) { return branch(key) + 100 * branch(key + 1); }
__attribute__((noinline)) static int by_place(int key) {
    __asm__ goto("testl %0, %0\n jne 3f\n.pushsection places,\"aw\"\n9: .quad 0, %l[taken]\n.popsection\n jmp *8+9b(%%rip)\n3:"
                 ::"r"(key)::taken);
    return key;
taken:
    return 55;
}

/* Definitions inside functions. */
extern char inside[];
extern int inside_word;
__attribute__((noinline)) static int defines(int x) {
    __asm__ volatile(".globl inside\ninside:\n addl $1, %0\n.pushsection .data\n.globl inside_word\ninside_word: .long 99\n.popsection"
                     : "+r"(x));
    return x;
}

/* Symbols that nobody else mentions, strings, constants, tables of addresses, thread-local storage. */
__attribute__((used)) static _Thread_local int thread_word = 5;
__attribute__((noinline)) static long references(void) {
    long length;
    const char *text;
    __asm__("leaq %c1(%%rip), %0" : "=r"(text) : "i"("string"));
    __asm__ volatile("movq %%rsp, %%rbx\n subq $136, %%rsp\n andq $-16, %%rsp\n call strlen@PLT\n movq %%rbx, %%rsp"
                     : "=a"(length), "+D"(text)
                     :
                     : "rbx", "rsi", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1");
    return length;
}
__attribute__((noinline)) static double constants(double x) {
    static const double factor = 2.5;
    double product;
    __asm__("movapd %1, %0\n.if 1\n mulsd %2, %0\n.endif" : "=&x"(product) : "x"(x), "m"(factor));
    __asm__(".rept 2\n addsd %1, %0\n.endr" : "+x"(product) : "xm"(0.125));
    return product;
}
__attribute__((noinline)) static int by_table(void) {
    void *value;
    __asm__("movq exported@GOTPCREL(%%rip), %0" : "=r"(value));
    return value == (void *)exported;
}
__attribute__((noinline)) static int of_thread(void) {
    int value;
    __asm__("movl %%fs:thread_word@TPOFF, %0" : "=r"(value));
    return value;
}

/* Code that runs before main, named by data that a text put there. */
static int initialized;
__attribute__((used)) static void before_main(void) { initialized = 12; }
__attribute__((used)) static void mentions(void) {
    __asm__ volatile(".pushsection .init_array,\"aw\",@init_array\n.quad before_main\n.popsection");
}

/* Cold code of a text in a section of its own. */
__attribute__((noinline)) static int cold(int x) {
    __asm__("testl %0, %0\n js 1f\n2:\n.pushsection .text.cold_part,\"ax\",@progbits\n1: negl %0\n jmp 2b\n.popsection"
            : "+r"(x)::"cc");
    return x;
}
__attribute__((noinline, section("own_code"))) static int elsewhere(int x) {
    __asm__("call square_plus_one\n.pushsection .text\nsquare_plus_one: leal 1(%%rdi), %%eax\n ret\n.popsection"
            : "=a"(x)
            : "D"(x)
            : "cc");
    return x;
}

/* Marks for tracers, as <sys/sdt.h> makes them: macros, conditions, a group, a section like its function's. */
struct probe {
    long code, base;
    char text[8];
};
extern const struct probe __start_probes[], __stop_probes[];
#define PROBE(value)                                                                                                  \
    __asm__ volatile(".altmacro\n.macro SIGN_ x\n.iflt \\x\n.ascii \"-\"\n.else\n.ascii \"+\"\n.endif\n.endm\n"          \
                     "990: nop\n.pushsection probes,\"aw?\"\n.balign 8\n.8byte 990b\n.8byte _.probes.base\n"            \
                     "SIGN_ %n0\n.asciz \"%1\"\n.balign 8\n.popsection\n.purgem SIGN_" ::"n"(-4),                       \
                     "nor"(value));                                                                                   \
    __asm__ volatile(".ifndef _.probes.base\n.pushsection .probes.base,\"aG\",\"progbits\",.probes.base,comdat\n"       \
                     ".weak _.probes.base\n.hidden _.probes.base\n_.probes.base: .space 1\n"                         \
                     ".size _.probes.base,1\n.popsection\n.endif")
__attribute__((noinline)) static int probed(int x) {
    PROBE(17);
    PROBE(18);
    return x;
}

int main(void) {
    const struct probe *probe = __start_probes;
    printf("%d %d %d\n", probed(3), (int)(__stop_probes - probe), probe[0].base == probe[1].base);
    printf("%s %s %x\n", probe[0].text, probe[1].text, *(const unsigned char *)probe[0].code);
    printf("%d %d %d\n", exported(5), local_function(6), words[0] == (void *)exported);
    printf("%ld\n", ((long *)words[1])[1]);
    printf("%d %d\n", collatz(27), collatz(97));
    printf("%d %d %d\n", branches(1), branches(9), branches(8));
    printf("%d %d\n", by_place(3), by_place(0));
    int count = 0;
    for (const struct entry *entry = __start_entries; entry < __stop_entries; entry++) {
        uintptr_t code = (uintptr_t)&entry->code + entry->code;
        uintptr_t target = (uintptr_t)&entry->target + entry->target;
        count += entry->key == 42 && *(const unsigned char *)code == 0x0f && target - code + 4096 < 8192;
    }
    printf("%d\n", count > 0 && count == __stop_entries - __start_entries);
    printf("%d %d %d\n", defines(3), inside_word, inside > (char *)0);
    printf("%ld %g %d\n", references(), constants(3), by_table());
    printf("%d\n", of_thread());
    printf("%d\n", initialized);
    printf("%d %d\n", cold(3), cold(-4));
    printf("%d\n", elsewhere(41));
    return 0;
}
