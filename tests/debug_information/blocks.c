/* Control flow. No line consists of a jump alone, which would have no code. */
_Thread_local int of_thread = 9;

static int pick(int n) {
    switch (n) {
    case 0:
        return 10;
    case 1:
        n += 5;
        break;
    case 2:
    case 3:
        n *= 2;
        break;
    default:
        n = -n;
    }
    return n;
}

static int loops(int n) {
    int result = 0;
    while (n > 0) {
        if (n % 2)
            result += n;
        else
            result -= 1;
        n--;
    }
    while (result < 20)
        result++;
    return result;
}

static int logic(int a, int b) {
    int c = a && b;
    int d = a || b;
    int e = a ? b : -b;
    return c + d + e;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += pick(i);
    sum += loops(7);
    sum += logic(1, 0);
    sum += logic(0, 3);
    return sum == 0;
}
