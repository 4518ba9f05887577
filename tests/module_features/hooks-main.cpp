// Calls the functions of hooks.ll and says what they call.
#include <cstdio>

extern "C" {
int sink[2];
long counted(long, long, double, long *, long, long, long, long);
void nothing();
int both(int);
int handed_on(int);
int tail(int);
long paired(long);
int caught(int);
long double twice(long double) __asm__("long");
void stays();
int none(int);

int thrower(int x) {
    if (x > 5) {
        throw x;
    }
    return x;
}

static void counter(const char *name) { printf("%s ", name); }
void mcount() { counter("mcount"); }
void counter_of_solaris() __asm__("_mcount");
void counter_of_solaris() { counter("_mcount"); }
void counter_of_bsd() __asm__("__mcount");
void counter_of_bsd() { counter("__mcount"); }
void counter_of_freebsd() __asm__(".mcount");
void counter_of_freebsd() { counter(".mcount"); }
void __cyg_profile_func_enter_bare() { counter("bare"); }

extern char __start_callers[], __stop_callers[];
static void profile(const char *what, void *function, void *from) {
    const char *name = function == (void *)both        ? "both"
                       : function == (void *)handed_on ? "handed_on"
                       : function == (void *)tail      ? "tail"
                       : function == (void *)caught    ? "caught"
                       : function == (void *)twice     ? "long"
                                                       : "another";
    bool here = (char *)from >= __start_callers && (char *)from < __stop_callers;
    printf("%s %s%s ", what, name, here ? " from here" : "");
}
void __cyg_profile_func_enter(void *function, void *from) { profile("into", function, from); }
void __cyg_profile_func_exit(void *function, void *from) { profile("out of", function, from); }
}

__attribute__((section("callers"), noinline)) static void call_all() {
    long four = 4;
    printf("%ld\n", counted(3, 5, 2.5, &four, 1, 6, 7, 8));
    nothing();
    printf("nothing\n");
    printf("%d\n", both(2));
    printf("%d %d\n", both(9), sink[0]);
    printf("%d\n", handed_on(3));
    printf("%d\n", handed_on(6));
    printf("%d\n", tail(8));
    printf("%ld\n", paired(8));
    printf("%d\n", caught(3));
    try {
        printf("%d\n", caught(7));
    } catch (int x) {
        printf("thrown %d\n", x);
    }
    printf("%d\n", (int)twice(1.25L * 2));
    stays();
    printf("%d\n", none(1));
}

int main() { call_all(); }
