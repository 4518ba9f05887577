// Many variables at once, which are in spill slots and get constants and each other's values where paths meet.

struct state {
    int phase, bits, next[16], saved[14];
};

__attribute__((noinline)) static int more(struct state *state) {
    state->bits++;
    return state->next[state->bits & 15] + state->bits;
}

#define NEED(number, variable)                                                                                         \
    phase_##number : state->phase = number;                                                                            \
    while (1) {                                                                                                        \
        if (state->bits % 3 == 2) {                                                                                    \
            result = number;                                                                                           \
            goto save;                                                                                                 \
        }                                                                                                              \
        variable = more(state);                                                                                        \
        if (variable & 1)                                                                                              \
            break;                                                                                                     \
    }

__attribute__((noinline)) static int steps(struct state *state, int count) {
    int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0, k = 0, l = 0, result = 0;
    if (state->phase != 0) {
        a = state->saved[0], b = state->saved[1], c = state->saved[2], d = state->saved[3];
        e = state->saved[4], f = state->saved[5], g = state->saved[6], h = state->saved[7];
        i = state->saved[8], j = state->saved[9], k = state->saved[10], l = state->saved[11];
    }
    switch (state->phase) {
    case 0:
    case 1:
        NEED(1, a)
    case 2:
        NEED(2, b)
        for (i = 0; i < a + b; i++) {
        case 3:
            NEED(3, c)
            d = c > 100 ? 0 : d + c;
            j = 1;
            do {
            case 4:
                NEED(4, e)
                f = e & 2 ? f + 1 : -1;
                g = f > 3 ? 0 : g;
                j = j << 1 | (e & 4 ? 1 : 0);
            } while (j < 64);
            k = h + j;
            h = k > 1000 ? 1 : k;
        }
    case 5:
        NEED(5, l)
        l += count;
    }
save:
    state->saved[0] = a, state->saved[1] = b, state->saved[2] = c, state->saved[3] = d;
    state->saved[4] = e, state->saved[5] = f, state->saved[6] = g, state->saved[7] = h;
    state->saved[8] = i, state->saved[9] = j, state->saved[10] = k, state->saved[11] = l;
    return result;
}

int main(int argc, char **argv) {
    struct state state = {0};
    int total = 0;
    for (int round = 0; round < 40; round++) {
        state.next[round & 15] = round * argc;
        total += steps(&state, round);
        state.bits++;
    }
    return total == 7;
}
