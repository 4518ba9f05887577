/* All types of C, variables of all kinds, and blocks. */
#include <stdarg.h>

struct point {
    int x;
    unsigned flag : 3;
    signed rest : 7;
    double y;
    const char *name;
    struct point *next;
    union {
        long whole;
        unsigned char bytes[8];
    };
    int tail[];
};

enum color { red, green = 7, blue = -2 };
typedef int (*callback)(int, long);
typedef float vector __attribute__((vector_size(16)));
typedef const volatile struct point *view;

static int counter = 3;
int table[4][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
static const char greeting[] = "hello";
_Bool truth = 1;
__int128 wide = 5;
long double longest = 1.25L;
_Thread_local struct { int first; long second; } of_thread = {11, 12};
static _Thread_local char also_of_thread[4] = "abc";
_Complex double number = 2.0;

static int add(int a, long b) {
    static int calls;
    int sum = a;
    calls++;
    for (int i = 0; i < 3; i++) {
        int twice = 2 * i;
        sum += twice + (int)b;
    }
    counter++;
    return sum;
}

static int many(int count, ...) {
    va_list list;
    va_start(list, count);
    int sum = 0;
    while (count-- > 0)
        sum += va_arg(list, int);
    va_end(list);
    return sum;
}

static long by_value(struct point p, vector v) {
    long result = p.x + (long)v[1];
    return result;
}

static int variable(int n) {
    int values[n];
    for (int i = 0; i < n; i++)
        values[i] = i * i;
    int last = values[n - 1];
    return last;
}

static int recursive(int depth) {
    if (depth == 0)
        return counter;
    int below = recursive(depth - 1);
    return below + 1;
}

int main(int argc, char **argv) {
    struct point p = {argc, 5, -3, 2.5, "hi", 0, {0x0102030405060708}};
    enum color c = blue;
    callback f = add;
    view seen = &p;
    vector v = {1, 2, 3, 4};
    unsigned char byte = 200;
    short small = -5;
    unsigned long big = 0xfedcba9876543210;
    float ratio = 0.5f;
    table[1][1] = f(p.x, 4);
    int total = many(3, 1, 2, 3) + recursive(4) + variable(6);
    {
        int total = (int)by_value(p, v);
        total += byte + small;
        counter += total + also_of_thread[1];
        of_thread.second += total;
    }
    return total + greeting[0] + seen->x + (int)big + (int)ratio + c + truth > 100000;
}
