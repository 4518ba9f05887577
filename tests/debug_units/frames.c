// Functions without unwind tables or frame pointers, through which debuggers find the way up.
__attribute__((noinline)) int leaf(volatile int *place) { return *place; }

__attribute__((noinline)) int middle(int number) {
    volatile int room[100];
    room[number] = number;
    return leaf(&room[number]) + room[number];
}

int main(void) { return middle(3) - 6; }
