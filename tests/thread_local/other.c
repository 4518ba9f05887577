__thread int other = 11;
__thread int far[1000];

int *other_address(void) { return &other; }

int count(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        far[i] += i;
        sum += far[i] + other;
    }
    return sum;
}
