/* Thread-local variables of every linkage and model, used by several threads at once. */
#include <pthread.h>
#include <stdio.h>

extern __thread int outside;
__thread int global = 5;
__thread char zeros[100];
static __thread long local = 7;
static __thread struct { int first; long rest[4]; } record = {1, {2, 3, 4, 5}};
__attribute__((visibility("hidden"))) __thread int hidden = 9;
__thread int initial __attribute__((tls_model("initial-exec"))) = 11;
static __thread int dynamic __attribute__((tls_model("local-dynamic"))) = 17;
#ifndef IN_LIBRARY
static __thread int direct __attribute__((tls_model("local-exec"))) = 13;
#else
#define direct dynamic
#endif
extern __thread int also __attribute__((alias("global")));

static int mix(int n, double d) {
    int x = global + n;
    double e = d * 2;
    x += outside;
    outside += n;
    local += x;
    record.rest[n & 3] += x;
    record.first++;
    hidden += x;
    initial += hidden;
    direct += initial;
    dynamic += direct;
    also ^= n;
    zeros[n] = (char)x;
    return x + (int)local + (int)record.rest[n & 3] + hidden + initial + direct + dynamic + zeros[n] + (int)(d + e);
}

static void *run(void *argument) {
    long n = (long)argument, sum = 0;
    for (int i = 0; i < 10; i++)
        sum = sum * 31 + mix((int)(n + i), n * 0.5);
    int *pointer = &global;
    *pointer += 1;
    return (void *)(sum + *pointer + outside);
}

int work(void) {
    pthread_t threads[4];
    void *result;
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, run, (void *)i);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &result);
        printf("%ld\n", (long)result);
    }
    printf("%ld %d %d\n", (long)run((void *)9), global, outside);
    return 0;
}

#ifndef IN_LIBRARY
int main(void) { return work(); }
#endif
