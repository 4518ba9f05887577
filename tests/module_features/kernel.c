// What code for kernels does differently: where the guard of frames is.
extern int ext[10]; static int loc[10]; extern int weakling __attribute__((weak));
int g(char*); extern _Thread_local int tl;
int f(int i) { char buf[64]; ext[i] = 3; loc[i] = 4; return g(buf) + loc[2]; }
void *addr(int i) { return i ? (void *)&ext[i] : (void *)g; }
void *w(void) { return &weakling; }
double d(double x) { return x * 2.5; }
int t(void) { return tl; }
int sw(int x) { switch (x) { case 0: return 5; case 1: return 77; case 2: return 4; case 3: return 9; case 4: return 1; case 5: return 12; } return 0; }
int *volatile p = ext;
void st(int **q) { *q = ext; q[1] = &loc[3]; }
