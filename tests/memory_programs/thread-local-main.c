int work(void);
int main(void) { return work(); }
