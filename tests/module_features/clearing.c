// Functions that leave with zeros in registers: what they return, call and jump to.
int g(int);
double gd(double);
long f(long a, int b) { return a * b + g(b); }
double d(double x, int y) { return x * gd(y); }
int tail(int x) { return g(x + 1); }
void v(void) {}
typedef struct { long a, b; } P;
P p(long x) { P r = { x, x + 1 }; return r; }
_Complex double c(double x) { return x + 2.0i; }
long double ld(long double x) { return x + 1; }
_Complex long double cld(long double x) { return x + 2.0i; }
int cond(int x) { if (x) return g(x) + 1; return 5; }
_Bool flag(int x) { return x > 3; }
void nr(void) { __builtin_trap(); }
int va(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int r = __builtin_va_arg(l, int); __builtin_va_end(l); return r; }
typedef struct { long a[5]; } Big;
Big big(long x) { Big r = { { x, 1, 2, 3, 4 } }; return r; }
int guarded(int x) { char b[64]; for (int i = 0; i < 64; i++) b[i] = x; asm volatile("" : : "r"(b) : "memory"); return b[x & 63] + g(x); }
double halves(float a, float b) { return (double)a * 2.5 + b; }
long double mixed(int x) { return x * 2.0L; }
int inner(int x) { volatile long double y = x; return (int)(y * 3); }
