/* What the programs of `crosstest --frames` are linked with: it calls their functions with garbage wherever a caller
   may leave some, looks at what they must keep, and prints a sum for each function. */
#include <stdio.h>
#include <string.h>

typedef unsigned long long u64;
typedef u64 function(void);

/* How a parameter is passed, in four bits: its width, and whether the caller extends it to 32 bits. */
enum { BITS_1, BITS_8, BITS_16, BITS_32, BITS_64, ZERO_8, SIGN_8, ZERO_16, SIGN_16, ZERO_1, POINTER };
enum { PARAMETERS = 8, SETS = 6, WORDS = 64 };

/* What narrow parameters and results are in, and how many u64 the registers take that functions must keep. */
#if defined __i386__
typedef unsigned narrow;
enum { SAVED = 2 };
#else
typedef u64 narrow;
enum { SAVED = 6 };
#endif

/* How many bits of a bool whoever passes one sets. */
#if defined __aarch64__
enum { BOOL_BITS = 8 };
#else
enum { BOOL_BITS = 1 };
#endif

struct row { function *address; u64 kinds; };
struct program { const struct row *table; u64 functions; u64 *const *globals; u64 global_count; };
u64 in[WORDS], out[256];

static u64 scratch[16], state, seed = 1;

static void mix(u64 value) {
    state = (state ^ value) * 6364136223846793005u;
    state ^= state >> 29;
}

/* The next number that looks random. */
static u64 next(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed ^ seed >> 31;
}

static u64 mask(u64 bits) { return bits == 64 ? ~0ull : (1ull << bits) - 1; }

/* A value with garbage above its bits. */
static u64 with_garbage(u64 value, u64 bits) { return (value & mask(bits)) | (next() & ~mask(bits)); }

/* Overwrites what a callee may overwrite: registers, and the stack below. */
__attribute__((noinline)) static void overwrite(void) {
    volatile char below[600];
    memset((char *)below, (int)state, sizeof below);
#if defined __aarch64__
    __asm__ volatile(
        "movz x0, #0xa5a5\n\tmovk x0, #0xa5a5, lsl #32\n\tadd x1, x0, #1\n\tadd x2, x0, #2\n\tadd x3, x0, #3\n\t"
        "add x4, x0, #4\n\tadd x5, x0, #5\n\tadd x6, x0, #6\n\tadd x7, x0, #7\n\tadd x8, x0, #8\n\t"
        "add x9, x0, #9\n\tadd x10, x0, #10\n\tadd x11, x0, #11\n\tadd x12, x0, #12\n\tadd x13, x0, #13\n\t"
        "add x14, x0, #14\n\tadd x15, x0, #15\n\tadd x16, x0, #16\n\tadd x17, x0, #17\n\t"
        "dup v0.2d, x0\n\tdup v1.2d, x0\n\tdup v2.2d, x0\n\tdup v3.2d, x0\n\tdup v4.2d, x0\n\tdup v5.2d, x0\n\t"
        "dup v6.2d, x0\n\tdup v7.2d, x0\n\tdup v16.2d, x0\n\tdup v17.2d, x0\n\tdup v18.2d, x0\n\t"
        "dup v19.2d, x0\n\tdup v20.2d, x0\n\tdup v30.2d, x0\n\tdup v31.2d, x0" ::
            : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
              "x16", "x17", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v30",
              "v31", "memory");
#elif defined __i386__
    __asm__ volatile(
        "mov $0xa5a5a5a5, %%eax\n\tlea 1(%%eax), %%ecx\n\tlea 2(%%eax), %%edx\n\t"
        "movd %%eax, %%xmm0\n\tmovd %%eax, %%xmm1\n\tmovd %%eax, %%xmm2\n\tmovd %%eax, %%xmm3\n\t"
        "movd %%eax, %%xmm4\n\tmovd %%eax, %%xmm5\n\tmovd %%eax, %%xmm6\n\tmovd %%eax, %%xmm7" ::
            : "eax", "ecx", "edx", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "memory");
#else
    __asm__ volatile(
        "mov $0xa5a5a5a5a5a5a5a5, %%rcx\n\t"
        "lea 1(%%rcx), %%rdx\n\tlea 2(%%rcx), %%rsi\n\tlea 3(%%rcx), %%rdi\n\t"
        "lea 4(%%rcx), %%r8\n\tlea 5(%%rcx), %%r9\n\tlea 6(%%rcx), %%r10\n\tlea 7(%%rcx), %%r11\n\t"
        "movq %%rcx, %%xmm0\n\tmovq %%rcx, %%xmm1\n\tmovq %%rcx, %%xmm2\n\tmovq %%rcx, %%xmm3\n\t"
        "movq %%rcx, %%xmm4\n\tmovq %%rcx, %%xmm5\n\tmovq %%rcx, %%xmm6\n\tmovq %%rcx, %%xmm7\n\t"
        "movq %%rcx, %%xmm8\n\tmovq %%rcx, %%xmm9\n\tmovq %%rcx, %%xmm10\n\tmovq %%rcx, %%xmm11\n\t"
        "movq %%rcx, %%xmm12\n\tmovq %%rcx, %%xmm13\n\tmovq %%rcx, %%xmm14\n\tmovq %%rcx, %%xmm15" ::
            : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
              "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory");
#endif
}

/* What the functions call: for the program, parameters and results have these widths. */
#define EXTERNAL(bits, type)                                             \
    type ext##bits(type a, type b) {                                     \
        mix(a & mask(bits));                                             \
        mix(b & mask(bits));                                             \
        type result = (type)with_garbage(state >> 7, bits);              \
        overwrite();                                                     \
        return result;                                                   \
    }
EXTERNAL(8, narrow)
EXTERNAL(16, narrow)
EXTERNAL(32, narrow)
EXTERNAL(64, u64)

/* Is given memory of eight words, which it looks at and changes. */
void touch(u64 *memory) {
    for (int i = 0; i < 8; i++) {
        mix(memory[i]);
        memory[i] += state >> 40;
    }
    overwrite();
}

/* The arguments as a caller puts them next to each other: on 32-bit x86, each is in as many words as it needs. */
static void line_up(u64 kinds, u64 *arguments) {
#if defined __i386__
    unsigned words[2 * PARAMETERS];
    int count = 0;
    for (int i = 0; i < PARAMETERS; i++) {
        words[count++] = (unsigned)arguments[i];
        if ((kinds >> 4 * i & 15) == BITS_64) words[count++] = (unsigned)(arguments[i] >> 32);
    }
    while (count < 2 * PARAMETERS) words[count++] = (unsigned)next();
    memcpy(arguments, words, sizeof words);
#else
    (void)kinds, (void)arguments;
#endif
}

/* Calls a function with eight words as arguments, `saved` in the registers that it must keep, and garbage elsewhere;
   then writes what these registers hold to `saved`. */
u64 call_checked(function *address, const u64 *arguments, u64 *saved);
#if defined __aarch64__
__asm__(".globl call_checked\n"
        "call_checked:\n"
        "\tstp x29, x30, [sp, #-80]!\n\tstp x19, x20, [sp, #16]\n\tstp x21, x28, [sp, #32]\n"
        "\tstp d8, d15, [sp, #48]\n\tstr x2, [sp, #64]\n"
        "\tmov x9, x0\n\tmov x10, x1\n"
        "\tldp x19, x20, [x2]\n\tldp x21, x28, [x2, #16]\n\tldp d8, d15, [x2, #32]\n"
        "\tldp x0, x1, [x10]\n\tldp x2, x3, [x10, #16]\n\tldp x4, x5, [x10, #32]\n\tldp x6, x7, [x10, #48]\n"
        "\tmovz x10, #0x5a5a\n\tmovk x10, #0x5a5a, lsl #48\n\tadd x11, x10, #9\n\tmov x8, x10\n"
        "\tdup v0.2d, x10\n\tdup v1.2d, x10\n\tdup v7.2d, x10\n\tdup v31.2d, x10\n"
        "\tblr x9\n"
        "\tldr x2, [sp, #64]\n"
        "\tstp x19, x20, [x2]\n\tstp x21, x28, [x2, #16]\n\tstp d8, d15, [x2, #32]\n"
        "\tldp x19, x20, [sp, #16]\n\tldp x21, x28, [sp, #32]\n\tldp d8, d15, [sp, #48]\n"
        "\tldp x29, x30, [sp], #80\n"
        "\tret\n");
#elif defined __i386__
/* The words are of 32 bits, and twice as many. */
__asm__(".globl call_checked\n"
        "call_checked:\n"
        "\tpush %ebx\n\tpush %ebp\n\tpush %esi\n\tpush %edi\n"
        "\tmov 20(%esp), %eax\n\tmov 24(%esp), %ecx\n\tmov 28(%esp), %edx\n"
        "\tsub $12, %esp\n"
        "\tpush 60(%ecx)\n\tpush 56(%ecx)\n\tpush 52(%ecx)\n\tpush 48(%ecx)\n"
        "\tpush 44(%ecx)\n\tpush 40(%ecx)\n\tpush 36(%ecx)\n\tpush 32(%ecx)\n"
        "\tpush 28(%ecx)\n\tpush 24(%ecx)\n\tpush 20(%ecx)\n\tpush 16(%ecx)\n"
        "\tpush 12(%ecx)\n\tpush 8(%ecx)\n\tpush 4(%ecx)\n\tpush (%ecx)\n"
        "\tmov (%edx), %ebx\n\tmov 4(%edx), %ebp\n\tmov 8(%edx), %esi\n\tmov 12(%edx), %edi\n"
        "\tmov $0x5a5a5a5a, %ecx\n\tlea 9(%ecx), %edx\n"
        "\tmovd %ecx, %xmm0\n\tmovd %ecx, %xmm1\n\tmovd %ecx, %xmm7\n"
        "\tcall *%eax\n"
        "\tadd $76, %esp\n\tmov 28(%esp), %ecx\n"
        "\tmov %ebx, (%ecx)\n\tmov %ebp, 4(%ecx)\n\tmov %esi, 8(%ecx)\n\tmov %edi, 12(%ecx)\n"
        "\tpop %edi\n\tpop %esi\n\tpop %ebp\n\tpop %ebx\n"
        "\tret\n");
#else
__asm__(".globl call_checked\n"
        "call_checked:\n"
        "\tpush %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n"
        "\tpush %rdx\n"
        "\tmov %rdi, %rax\n\tmov %rsi, %r10\n\tmov %rdx, %r11\n"
        "\tmov (%r11), %rbx\n\tmov 8(%r11), %rbp\n\tmov 16(%r11), %r12\n"
        "\tmov 24(%r11), %r13\n\tmov 32(%r11), %r14\n\tmov 40(%r11), %r15\n"
        "\tpush 56(%r10)\n\tpush 48(%r10)\n"
        "\tmov (%r10), %rdi\n\tmov 8(%r10), %rsi\n\tmov 16(%r10), %rdx\n"
        "\tmov 24(%r10), %rcx\n\tmov 32(%r10), %r8\n\tmov 40(%r10), %r9\n"
        "\tmov $0x5a5a5a5a5a5a5a5a, %r10\n\tlea 9(%r10), %r11\n"
        "\tmovq %r10, %xmm0\n\tmovq %r10, %xmm1\n\tmovq %r10, %xmm7\n\tmovq %r10, %xmm15\n"
        "\tcall *%rax\n"
        "\tadd $16, %rsp\n\tpop %rdx\n"
        "\tmov %rbx, (%rdx)\n\tmov %rbp, 8(%rdx)\n\tmov %r12, 16(%rdx)\n"
        "\tmov %r13, 24(%rdx)\n\tmov %r14, 32(%rdx)\n\tmov %r15, 40(%rdx)\n"
        "\tpop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbp\n\tpop %rbx\n"
        "\tret\n");
#endif

/* A value that programs decide by, often a small one. */
static u64 value(void) {
    static const u64 common[] = {0, 1, 2, 3, 5, 7, -1ull, -2ull, 127, 128, 255, 256, 0x7fffffff, 0x80000000};
    u64 choice = next() >> 20;
    return choice % 4 ? common[(choice >> 8) % (sizeof common / sizeof *common)] : next();
}

/* An argument as a caller may pass it. */
static u64 argument(u64 kind) {
    u64 given = value();
    switch (kind) {
    case BITS_1: return with_garbage(given & 1, BOOL_BITS);
    case BITS_8: return with_garbage(given, 8);
    case BITS_16: return with_garbage(given, 16);
    case BITS_32: return with_garbage(given, 32);
    case ZERO_1: return with_garbage(given & 1, 32);
    case ZERO_8: return with_garbage(given & 0xff, 32);
    case SIGN_8: return with_garbage((u64)(signed char)given, 32);
    case ZERO_16: return with_garbage(given & 0xffff, 32);
    case SIGN_16: return with_garbage((u64)(short)given, 32);
    case POINTER: return (unsigned long)scratch;
    default: return given;
    }
}

static u64 result_bits(u64 kind) {
    static const u64 bits[] = {BOOL_BITS, 8, 16, 32, 64};
    return bits[kind];
}

static void call(const struct program *program, u64 number) {
    const struct row *row = &program->table[number];
    u64 arguments[PARAMETERS], saved[SAVED], kept[SAVED];
    for (int i = 0; i < WORDS; i++) in[i] = value();
    for (int i = 0; i < 16; i++) scratch[i] = value();
    for (int i = 0; i < PARAMETERS; i++) arguments[i] = argument(row->kinds >> 4 * i & 15);
    line_up(row->kinds, arguments);
    for (int i = 0; i < SAVED; i++) kept[i] = saved[i] = next();
    u64 result = call_checked(row->address, arguments, saved);
    mix(result & mask(result_bits(row->kinds >> 60)));
    if (memcmp(saved, kept, sizeof kept)) printf("%llu lost a register\n", number);
    for (int i = 0; i < 256; i++) mix(out[i]);
    for (int i = 0; i < 16; i++) mix(scratch[i]);
    for (u64 i = 0; i < program->global_count; i++) mix(*program->globals[i]);
}

int run_program(const struct program *program) {
    for (u64 number = 0; number < program->functions; number++) {
        /* What one function does wrong is not to be seen in the next. */
        seed = number * 77 + 1;
        state = 0;
        memset(out, 0, sizeof out);
        for (u64 i = 0; i < program->global_count; i++) *program->globals[i] = i * 0x0101010180000001;
        for (int set = 0; set < SETS; set++) call(program, number);
        printf("%llu %016llx\n", number, state);
    }
    return 0;
}
