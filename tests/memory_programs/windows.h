// Variable arguments in the convention of Windows: what one half takes, the other passes.
#define MS __attribute__((ms_abi))

struct Two {
  long a, b;
};

double MS sum_0(int count, ...);
double MS sum_1(double first, int count, ...);
double MS sum_3(long a, double b, long c, int count, ...);
double MS sum_5(long a, double b, long c, long d, int count, ...);
double MS sum_list(int count, __builtin_ms_va_list list);
long MS odd(const char *text, ...);
long MS forward(const char *text, ...);
struct Two MS two(int count, ...);
double MS once(int count, ...);
