extern __thread int other;
__thread int own = 5;
static __thread int hidden = 7;
static __thread long long wide[3] = {1, 2, 3};
__thread struct {
    char c;
    short s;
    double d;
} zeros;

int *address(void) { return &other; }

int step(int x, double y) {
    own += x;
    hidden += own * 3;
    wide[x & 1] += hidden;
    zeros.d += y * 2.0;
    zeros.s += (short)x;
    other ^= own + hidden;
    return own + hidden * 5 + (int)wide[0] + (int)wide[1] + (int)zeros.d + zeros.s + *address();
}
