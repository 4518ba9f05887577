// Everything that a division has to keep together or to make visible, in one program: local functions and variables,
// strings, constructors, thread locals, weak symbols, aliases, ifuncs, addresses of blocks, sections, assembly.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*Operation)(int, int);

static int counter = 40;
static _Thread_local int depth;
_Thread_local int visible_depth = 3;
static const char *const names[] = {"zero", "one", "two", "three"};
static const int squares[] = {0, 1, 4, 9, 16, 25};
int common_number;
static int zeros[64];

__attribute__((noinline)) static int add(int a, int b) { return a + b + counter; }
__attribute__((noinline)) static int subtract(int a, int b) { return a - b - counter; }
__attribute__((noinline)) static int multiply(int a, int b) { return a * b + (int)strlen(names[a & 3]); }
static const Operation operations[] = {add, subtract, multiply};

__attribute__((noinline)) int apply(int which, int a, int b) { return operations[which](a, b); }

__attribute__((noinline)) static const char *label(int number) {
    static int calls;
    calls++;
    printf("call %d\n", calls);
    return names[number & 3];
}

// Who has addresses of blocks, and a table of them.
__attribute__((noinline)) static int interpret(const unsigned char *code) {
    static const void *const steps[] = {&&push, &&sum, &&stop};
    int stack[8] = {0}, top = 0;
    goto *steps[*code];
push:
    stack[top++] = code[1];
    code += 2;
    goto *steps[*code];
sum:
    top--;
    stack[top - 1] += stack[top];
    code++;
    goto *steps[*code];
stop:
    return stack[0];
}

// Differences of places.
__attribute__((noinline)) static int choose(int number) {
    static const int distances[] = {0, &&second - &&first, &&third - &&first};
    goto *(&&first + distances[number]);
first:
    return 1;
second:
    return 22;
third:
    return 333;
}

__attribute__((constructor(101))) static void early(void) { counter += 1; }
__attribute__((constructor)) static void late(void) { counter += 1; }
__attribute__((destructor)) static void last(void) { printf("last %d\n", counter); }

__attribute__((weak)) int replaceable(void) { return 7; }
extern int missing(void) __attribute__((weak));
static int target(int number) { return number * 3 + depth; }
int synonym(int number) __attribute__((alias("target")));
static int local_synonym(int number) __attribute__((alias("target"), unused));
extern int zeros_end __attribute__((alias("common_alias_target")));
int common_alias_target = 5;

__attribute__((noinline)) static int plain(void) { return 1000; }
static int (*resolve(void))(void) { return plain; }
int chosen(void) __attribute__((ifunc("resolve")));

// A section that is walked from end to end.
struct entry {
    int number;
    const char *name;
};
#define ENTRY(NUMBER, NAME)                                                                                          \
    static const struct entry entry_##NUMBER __attribute__((used, section("entries"))) = {NUMBER, NAME}
extern const struct entry __start_entries[], __stop_entries[];
ENTRY(1, "first");
ENTRY(2, "second");
ENTRY(3, "third");

// Assembly that defines a symbol for its object alone, one that names a local symbol, and one that exports.
__asm__(".data\n"
        "hidden_in_text: .long 77\n"
        ".globl exported_by_text\n"
        "exported_by_text: .long 88\n"
        ".text\n");
extern int hidden_in_text __attribute__((visibility("hidden")));
extern int exported_by_text;
static int named_in_text __attribute__((used)) = 99;

__attribute__((noinline)) int from_text(void) { return hidden_in_text + exported_by_text; }
__attribute__((noinline)) int by_name(void) {
    int value;
#if defined(__x86_64__)
    __asm__("movl named_in_text(%%rip), %0" : "=r"(value));
#else
    value = named_in_text;
#endif
    return value;
}
__attribute__((noinline)) int set_named(int value) { return named_in_text = value; }

__attribute__((noinline)) static int sum_of(int count, ...) {
    va_list list;
    va_start(list, count);
    int sum = 0;
    while (count-- > 0) sum += va_arg(list, int);
    va_end(list);
    return sum;
}

__attribute__((noinline)) static int recurse(int number) {
    depth++;
    int result = number <= 1 ? 1 : number * recurse(number - 1);
    depth--;
    return result;
}

inline int shared_inline(int number) { return number + squares[number % 6]; }
extern int shared_inline(int number);

int main(int count, char **arguments) {
    (void)arguments;
    static const unsigned char code[] = {0, 20, 0, 22, 1, 2};
    for (int which = 0; which < 3; which++) printf("%s %d\n", label(which), apply(which, 6 + count, 7));
    printf("%d %d %d %d\n", interpret(code), choose(0), choose(1), choose(2));
    depth = 4;
    printf("%d %d %d %d\n", synonym(5), chosen(), replaceable(), missing ? 1 : 0);
    for (const struct entry *entry = __start_entries; entry < __stop_entries; entry++)
        printf("%d %s\n", entry->number, entry->name);
    printf("%d %d\n", from_text(), by_name());
    set_named(5);
    printf("%d %d %d\n", by_name(), sum_of(4, 1, 2, 3, 4), recurse(6));
    zeros[3] = visible_depth;
    printf("%d %d %d %d\n", zeros[3], common_number, zeros_end, shared_inline(4));
    return counter & 63;
}
