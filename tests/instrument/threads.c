/* Does the same work four times, in threads if it is given a word. */
#include <pthread.h>
#include <stdio.h>

static unsigned sums[4];

static void work(unsigned number) {
    unsigned sum = 1;
    for (unsigned round = 0; round < 40000; round++) {
        if (sum & 1)
            sum = sum * 3 + 1;
        else
            sum /= 2;
        if (round % 1000 == 999)
            sums[number] += sum;
    }
}

static void *run(void *number) {
    work((unsigned)(unsigned long)number);
    return 0;
}

int main(int count, char **words) {
    pthread_t threads[4];
    for (unsigned long number = 0; number < 4; number++) {
        if (count == 1)
            run((void *)number);
        else if (pthread_create(&threads[number], 0, run, (void *)number))
            return 1;
    }
    for (unsigned number = 0; number < 4 && count > 1; number++)
        pthread_join(threads[number], 0);
    printf("%u %u %u %u %s\n", sums[0], sums[1], sums[2], sums[3], words[0] ? "" : "?");
    return 0;
}
