//! The files that each command line of the table finds in its folder.

/// A program by itself, which shows what options have told the preprocessor and the compiler.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdarg.h>
#if __has_include(<deep.h>)
#include <deep.h>
#endif
#ifndef VALUE
#define VALUE 7
#endif
#ifndef __OPTIMIZE__
#define __OPTIMIZE__ 0
#endif
#ifndef __PIC__
#define __PIC__ 0
#endif
static __thread int counter = VALUE;
int table[4] = {1, 2, 3, 4};
int zeros[100];
static const char *const names[] = {"zero", "one", "two", "three"};
int sum(int count, ...) {
    va_list list;
    int total = 0, i;
    va_start(list, count);
    for (i = 0; i < count; i++) total += va_arg(list, int);
    va_end(list);
    return total;
}
static int chosen(int x) {
    switch (x) {
    case 0: return 5;
    case 1: return 9;
    case 2: return 4;
    case 3: return 77;
    case 4: return 31;
    default: return x * 2;
    }
}
static double mean(const int *items, int count) {
    double total = 0;
    int i;
    for (i = 0; i < count; i++) total += items[i];
    return total / count;
}
static int (*volatile pointer)(int) = chosen;
int main(int argc, char **argv) {
    char text[64];
    int i, hash = 0;
    for (i = 0; i < 6; i++) hash = hash * 31 + pointer(i);
    counter += zeros[argc] + table[argc];
    snprintf(text, sizeof text, "%s %.3f", names[argc & 3], mean(table, 4));
    printf("%d %d %d %s %d %d %d\n", counter, hash, sum(3, 1, 2, 3), text, __OPTIMIZE__, __PIC__, argv[0] != 0);
#ifdef DEEP
    puts("deep");
#endif
    return 3;
}
"#;

/// All of them.
pub const FILES: &[(&str, &str)] = &[
    ("a.c", PROGRAM),
    ("dir/a b.c", PROGRAM),
    (
        "main.c",
        "#include <stdio.h>\n#include \"part.h\"\nint main(void) { printf(\"%d\\n\", part(20)); return 0; }\n",
    ),
    (
        "part.c",
        "#include \"part.h\"\nint part(int x) { return 2 * x + SHIFT; }\n",
    ),
    ("part.h", "int part(int);\n#ifndef SHIFT\n#define SHIFT 2\n#endif\n"),
    ("inc/deep.h", "#define DEEP 1\n"),
    (
        "plus.cc",
        "#include <string>\n#include <cstdio>\n#include <stdexcept>\nint main(int argc, char **) {\n  try { if (argc) throw std::runtime_error(std::string(3, 'x')); }\n  catch (const std::exception &e) { std::puts(e.what()); }\n}\n",
    ),
    (
        "warned.c",
        "int f(int x) { int unused = 3; if (x = 4) return 1; return x; }\nint main(void) { return f(0); }\n",
    ),
    ("wrong.c", "int main(void) { return nothing; }\n"),
    (
        "missing.c",
        "int nowhere(void);\nint main(void) { return nowhere(); }\n",
    ),
    (
        "text.s",
        ".globl part\n.type part,@function\npart: lea 5(%rdi), %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n",
    ),
    (
        "text.S",
        "#include \"part.h\"\n.section .note.GNU-stack,\"\",@progbits\n",
    ),
    (
        "module.ll",
        "define i32 @main(i32 %count) {\n  %double = mul i32 %count, 21\n  ret i32 %double\n}\n",
    ),
    (
        "math.c",
        "#include <math.h>\n#include <stdio.h>\nint main(int argc, char **argv) { printf(\"%.6f %.3f\\n\", sqrt(argc + 1.0), pow(2.5, argc * 3)); (void)argv; return 0; }\n",
    ),
    (
        "threads.c",
        "#include <pthread.h>\n#include <stdio.h>\nstatic int total;\nstatic void *work(void *arg) { __atomic_fetch_add(&total, *(int *)arg, __ATOMIC_SEQ_CST); return 0; }\nint main(void) { pthread_t t[4]; int i, n = 5; for (i = 0; i < 4; i++) pthread_create(&t[i], 0, work, &n); for (i = 0; i < 4; i++) pthread_join(t[i], 0); printf(\"%d\\n\", total); return 0; }\n",
    ),
    (
        "intel.c",
        "#include <stdio.h>\nint main(void) { int x = 4; __asm__(\"add %0, 38\" : \"+r\"(x)); printf(\"%d\\n\", x); return 0; }\n",
    ),
    (
        "vectors.c",
        "#include <immintrin.h>\n#include <stdio.h>\nint main(int argc, char **argv) { __m128i v = _mm_set1_epi32(argc + 4); v = _mm_mullo_epi32(v, v); printf(\"%d\\n\", _mm_extract_epi32(v, 2)); (void)argv; return 0; }\n",
    ),
    (
        "buffer.c",
        "#include <string.h>\n#include <stdio.h>\nint main(int argc, char **argv) { char buffer[16]; strcpy(buffer, \"short\"); printf(\"%s %d\\n\", buffer, argc); (void)argv; return 0; }\n",
    ),
    (
        "large.c",
        "#include <stdio.h>\nint use(char *);\nint main(void) { char bytes[5000]; volatile char *p = bytes; p[7] = 3; printf(\"%d\\n\", p[7]); return 0; }\n",
    ),
    (
        "overflow.c",
        "#include <stdio.h>\n#include <limits.h>\nint main(int argc, char **argv) { int x = INT_MAX - 1 + argc; x += argc; printf(\"%d\\n\", x < 0); (void)argv; return 0; }\n",
    ),
    ("words", "-c a.c -o 'from file.o'\n-DVALUE=11\n"),
    ("nested", "@words -O1"),
    ("list.map", "{ global: part; local: *; };\n"),
];
