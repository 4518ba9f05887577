// Inline assembly of 32-bit code: constraint letters, pairs, bytes, memory, and texts that only an assembler reads.
int printf(const char *, ...);
typedef unsigned long long u64;
static int counter = 5;
int visible = 7;
static u64 cell = 0x1122334455667788ull;

static unsigned rotate(unsigned value, unsigned char count) {
    __asm__("roll %1, %0" : "+r"(value) : "cI"(count) : "cc");
    return value;
}
static u64 product(unsigned a, unsigned b) {
    u64 result;
    __asm__("mull %2" : "=A"(result) : "a"(a), "r"(b) : "cc");
    return result;
}
static unsigned quotient(u64 a, unsigned b, unsigned *rest) {
    unsigned result;
    __asm__("divl %4" : "=a"(result), "=d"(*rest) : "0"((unsigned)a), "1"((unsigned)(a >> 32)), "rm"(b) : "cc");
    return result;
}
static int exchange(u64 *place, u64 old, u64 new) {
    unsigned char done;
    __asm__ volatile("lock; cmpxchg8b %1\n\tsetz %0"
                     : "=q"(done), "+m"(*place), "+A"(old)
                     : "b"((unsigned)new), "c"((unsigned)(new >> 32))
                     : "memory", "cc");
    return done;
}
static unsigned bytes(unsigned value) {
    unsigned char low, high;
    unsigned short both;
    __asm__("movb %b3, %0\n\tmovb %h3, %1\n\tmovw %w3, %2" : "=&q"(low), "=&q"(high), "=&r"(both) : "Q"(value));
    return low + 3u * high + 5u * both;
}
static void copy(void *to, const void *from, unsigned count) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}
static unsigned length(const char *text) {
    unsigned count = -1u;
    __asm__("repne scasb" : "+D"(text), "+c"(count) : "a"(0) : "memory", "cc");
    return -2u - count;
}
static unsigned vendor(void) {
    unsigned a = 0, b, c, d;
    __asm__ volatile("xchgl %%ebx, %1\n\tcpuid\n\txchgl %%ebx, %1" : "+a"(a), "=&r"(b), "=c"(c), "=d"(d));
    return (a > 0) + 2 * (b != 0);
}
static unsigned clobbering(unsigned value) {
    unsigned result;
    __asm__("movl %1, %%edi\n\tleal 3(%%edi,%%edi,4), %%esi\n\tmovl %%esi, %0"
            : "=r"(result) : "r"(value) : "edi", "esi", "ecx", "edx");
    return result;
}
static int loop(int count) {
    int sum = 0;
    __asm__("1:\taddl %1, %0\n\tdecl %1\n\tjnz 1b" : "+r"(sum), "+r"(count) : : "cc");
    return sum;
}
static double root(double value) {
    double result;
    __asm__("fsqrt" : "=t"(result) : "0"(value));
    return result;
}
static float sum_of_lanes(float a, float b) {
    __asm__("addss %1, %0" : "+x"(a) : "xm"(b));
    return a;
}
static int flags(int a, int b) {
    int below, equal;
    __asm__("cmpl %3, %2" : "=@ccb"(below), "=@cce"(equal) : "r"(a), "ri"(b));
    return 2 * below + equal;
}
static void many(int *out, int a, int b, int c) {
    __asm__ volatile("addl %1, %0\n\taddl %2, %0\n\taddl %3, %0" : "+m"(*out) : "r"(a), "r"(b), "r"(c) : "cc");
}
static int jumps(int value) {
    __asm__ goto("testl %0, %0\n\tjs %l1" : : "r"(value) : "cc" : negative);
    return 1;
negative:
    return -1;
}
int main(void) {
    unsigned rest, stamp;
    printf("%x %llx\n", rotate(0x12345678, 8), product(0xdeadbeef, 0xcafebabe));
    printf("%u", quotient(0x123456789ull, 1000, &rest));
    printf(" %u\n", rest);
    printf("%d", exchange(&cell, 0x1122334455667788ull, 0xaabbccddeeff0011ull));
    printf(" %d %llx\n", exchange(&cell, 1, 2), cell);
    printf("%u\n", bytes(0x87654321));
    char text[32];
    copy(text, "of several words", 17);
    printf("%s %u %u\n", text, length(text), vendor());
    __asm__ volatile("incl %0\n\taddl $3, %1" : "+m"(counter), "+m"(visible) : : "cc");
    printf("%d %d %u %d\n", counter, visible, clobbering(counter), loop(10));
    printf("%.3f %.3f %d %d %d\n", root(2.0), sum_of_lanes(1.5f, 2.25f), flags(1, 2), flags(2, 2), flags(3, 2));
    many(&counter, 1, 2, 3);
    printf("%d %d %d\n", counter, jumps(4), jumps(-4));
    u64 before = __builtin_ia32_rdtsc(), after = __builtin_ia32_rdtsc();
    __asm__ volatile("rdtsc" : "=a"(stamp) : : "edx");
    printf("%d\n", after >= before);
    return 0;
}
