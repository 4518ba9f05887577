// Arguments that are copied where they are needed, after a test that decides without them.

struct pair {
    long key, value;
};

__attribute__((noinline)) static long note(struct pair *pairs, struct pair *space) {
    __asm__ volatile("" : : "r"(pairs), "r"(space) : "memory");
    return pairs->key - space->value;
}

__attribute__((noinline)) static void fold(struct pair *pairs, long count) {
    if (count < 2)
        return;
    struct pair space[48];
    long half = count / 2;
    space[0] = pairs[0];
    space[half] = pairs[half];
    long done = note(pairs, space);
    if (count > 7) {
        done += note(pairs + half, space + half);
        done += note(pairs + 4, space + 4);
    }
    for (long at = 1; at < half; at++) {
        space[at] = pairs[at];
        done += note(pairs + at, space);
    }
    for (long at = half + 1; at < count; at++) {
        space[at] = pairs[at];
        done += note(pairs, space + at);
    }
    pairs->value += done;
}

int main(void) {
    struct pair pairs[32];
    for (long at = 0; at < 32; at++)
        pairs[at] = (struct pair){at * 7 % 32, at};
    long sum = 0;
    for (long count = 0; count < 32; count += 5)
        fold(pairs, count), sum += pairs->value;
    return sum == 11;
}
