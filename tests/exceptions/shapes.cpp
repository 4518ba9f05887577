// Shapes of exception handling in C++. Each function prints what it does; the whole is compared with shapes.txt.
// `other.cpp` is always compiled by another compiler: exceptions go through its frames in both directions.
// shapes-O0.bc: clang++-22 -O0 -c -emit-llvm shapes.cpp -o shapes-O0.bc
// shapes-O2.bc: clang++-22 -O2 -fno-vectorize -fno-slp-vectorize -c -emit-llvm shapes.cpp -o shapes-O2.bc
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

struct Base { int v; explicit Base(int v) : v(v) {} virtual ~Base() {} virtual const char *name() const { return "Base"; } };
struct Derived : Base { explicit Derived(int v) : Base(v) {} const char *name() const override { return "Derived"; } };
struct Other { virtual ~Other() {} long w = 5; };
struct Multi : Other, Derived { explicit Multi(int v) : Derived(v) {} const char *name() const override { return "Multi"; } };

static int depth;
struct Guard {
  const char *n; int i;
  explicit Guard(const char *n, int i = 0) : n(n), i(i) { depth++; }
  ~Guard() { depth--; std::printf("~%s%d ", n, i); }
};

extern "C" void other_call(void (*f)(void *), void *data);
extern "C" int other_throw(int kind);
extern "C" int other_catch(int (*f)(int), int x);

__attribute__((noinline)) void thrower(int k) {
  switch (k) {
  case 0: throw 42;
  case 1: throw Derived(7);
  case 2: throw Base(8);
  case 3: throw Multi(9);
  case 4: throw "text";
  case 5: throw 2.5;
  case 6: throw std::runtime_error("runtime");
  case 7: throw Other();
  case 8: throw 'c';
  case 9: throw 1234567890123LL;
  case 10: throw std::bad_alloc();
  default: return;
  }
}

__attribute__((noinline)) int classify(int k) {
  try { Guard g("classify", k); thrower(k); return 0; }
  catch (int i) { std::printf("int %d\n", i); return 1; }
  catch (const Derived &d) { std::printf("derived %d %s\n", d.v, d.name()); return 2; }
  catch (Base *) { return -1; }
  catch (const Base &b) { std::printf("base %d %s\n", b.v, b.name()); return 3; }
  catch (const char *s) { std::printf("chars %s\n", s); return 4; }
  catch (double d) { std::printf("double %g\n", d); return 5; }
  catch (const std::exception &e) { std::printf("exception %s\n", e.what()); return 6; }
  catch (...) { std::printf("anything\n"); return 7; }
}

__attribute__((noinline)) int nested(int k) {
  int r = 0;
  try {
    Guard a("outer", k);
    try {
      Guard b("inner", k);
      thrower(k);
    } catch (int i) {
      r += 1;
      std::printf("inner int %d\n", i);
      if (k == 0) throw;
    } catch (const Base &b) {
      r += 2;
      std::printf("inner base %d\n", b.v);
      throw Derived(b.v + 1);
    }
  } catch (int i) {
    r += 10;
    std::printf("outer int %d\n", i);
  } catch (const Derived &d) {
    r += 20;
    std::printf("outer derived %d\n", d.v);
  } catch (...) {
    r += 40;
    std::printf("outer any\n");
  }
  return r;
}

__attribute__((noinline)) int loops(int n) {
  // Values that live over the calls in registers, changed on the normal way and in handlers.
  int a = n, b = n * 2, c = n ^ 5, d = 1, e = 3, f = 0;
  double x = n * 0.5, y = 1;
  for (int i = 0; i < n; i++) {
    try {
      a += i;
      thrower(i % 12);
      b += a;
      y += x;
    } catch (int v) { c += v; x += 1; continue; }
    catch (const Base &q) { d = d * 3 + q.v; }
    catch (double z) { y *= z; }
    catch (...) { e += a; f ^= i; if (i > 30) break; }
    std::printf("[%d %d %d %d %d %d %g %g]", a, b, c, d, e, f, x, y);
  }
  std::printf("\n");
  return a + b * 3 + c * 5 + d * 7 + e * 11 + f * 13 + (int)x + (int)y;
}

__attribute__((noinline)) int dynamic(int n, const char *s, ...) {
  va_list list;
  va_start(list, s);
  int sum = 0;
  for (int i = 0; i < n; i++) {
    char *memory = (char *)__builtin_alloca(16 * (i + 1));
    std::memset(memory, 'a' + i, 16 * (i + 1));
    memory[16 * (i + 1) - 1] = 0;
    Guard g("dynamic", i);
    try {
      sum += va_arg(list, int);
      thrower(i);
    } catch (int v) { sum += v; std::printf("%s %s\n", s, memory); }
    catch (const Base &b) { sum += b.v; std::printf("%s %zu\n", s, std::strlen(memory)); }
    catch (...) { sum += 1; std::printf("any %c\n", memory[0]); }
  }
  va_end(list);
  return sum;
}

// More arguments than registers: they are on the stack when the callee unwinds.
__attribute__((noinline)) long many(int k, long a, long b, long c, long d, long e, long f, long g, double h, Base base, long i) {
  Guard guard("many", k);
  if (k >= 0) thrower(k);
  return a + b + c + d + e + f + g + (long)h + base.v + i;
}

__attribute__((noinline)) long stack_arguments(int rounds, bool dynamic) {
  long sum = 0;
  volatile char *area = dynamic ? (volatile char *)__builtin_alloca(rounds * 8) : nullptr;
  if (area) area[0] = 1;
  for (int i = 0; i < rounds; i++) {
    try { sum += many(i % 14 - 2, i, 2, 3, 4, 5, 6, 7, 8.5, Base(i), sum); }
    catch (int v) { sum += v; }
    catch (const Base &b) { sum -= b.v; }
    catch (...) { sum ^= i; }
  }
  return sum + (area ? area[0] : 0);
}

struct Member { int i; explicit Member(int i) : i(i) { std::printf("+m%d ", i); if (i == 3) throw 3; } ~Member() { std::printf("-m%d ", i); } };
struct Whole : Base {
  Member a, b; Guard g; Member c;
  explicit Whole(int x) try : Base(x), a(x), b(x + 1), g("whole", x), c(x + 2) { std::printf("whole %d\n", x); }
  catch (int i) { std::printf("constructor caught %d\n", i); }
  ~Whole() { std::printf("-whole "); }
};
struct Array { Member m[3] = {Member(1), Member(2), Member(4)}; Member last; explicit Array(int i) : last(i) {} };

void function_try(int k) try { Guard g("function", k); thrower(k); }
catch (const std::exception &e) { std::printf("function try %s\n", e.what()); }

__attribute__((noinline)) long phis(int k, long a, long b) {
  // Different values come to the handler from different calls.
  long v = a;
  try {
    thrower(k - 1);
    v = b;
    thrower(k - 2);
    v = a + b;
    thrower(k - 3);
    v = a * b;
    thrower(k - 4);
  } catch (int i) { return v * 10 + i; }
  catch (const Base &d) { return v * 100 + d.v; }
  catch (...) { return -v; }
  return v;
}

static void callback(void *data) { Guard g("callback", *(int *)data); thrower(*(int *)data); }
static int callback_int(int x) { Guard g("deep", x); other_call(callback, &x); return x + 100; }

struct Thrower { ~Thrower() noexcept(false) { if (depth == 0) throw 77; } };

struct Wide { long a, b, c; };
__attribute__((noinline)) Wide wide(int k, Wide w) { thrower(k); return {w.c, w.b + k, w.a}; }
__attribute__((noinline)) long wide_results(int k) {
  Wide w{1, 2, 3};
  for (int i = 0; i < 5; i++) {
    try { w = wide(i == k ? 0 : 100, w); } catch (int v) { w.a += v; w.c = w.b; }
  }
  return w.a * 10000 + w.b * 100 + w.c;
}
struct Pair { long a; double b; };
__attribute__((noinline)) Pair pair_of(int k, long a) { thrower(k); return {a, a * 0.5}; }
__attribute__((noinline)) double pairs(int k) {
  double sum = 0;
  for (int i = 0; i < 14; i++)
    try { Pair p = pair_of(i, k); sum += p.a * p.b; } catch (int) { sum += 0.25; } catch (...) { sum += 0.125; }
  return sum;
}

static int rethrow_from_function() {
  try { throw; } catch (int i) { return i; } catch (const Base &b) { return b.v; } catch (...) { return -1; }
}
static int current(int k) {
  std::exception_ptr p;
  try { thrower(k); } catch (...) { int r = rethrow_from_function(); p = std::current_exception(); std::printf("rethrown %d\n", r); }
  if (!p) return 0;
  try { std::rethrow_exception(p); } catch (const Derived &d) { return d.v; } catch (...) { return 1; }
}

static void on_terminate() { std::printf("terminate, depth %d\n", depth); std::fflush(stdout); std::_Exit(0); }
static void never(int k) noexcept { Guard g("never"); thrower(k); }

int main(int argc, char **) {
  for (int k = 0; k < 12; k++) std::printf("-> %d\n", classify(k));
  for (int k = 0; k < 6; k++) std::printf("-> %d\n", nested(k));
  std::printf("-> %d\n", loops(40));
  std::printf("-> %d\n", dynamic(7, "s", 1, 2, 3, 4, 5, 6, 7));
  std::printf("-> %ld\n", stack_arguments(40, false));
  std::printf("-> %ld\n", stack_arguments(40, true));
  for (int i = 0; i < 5; i++) {
    try { Whole w(i); } catch (int v) { std::printf("whole threw %d\n", v); }
    try { Array w(i); } catch (int v) { std::printf("array threw %d\n", v); }
    try { Member *m = new Member(i); delete m; } catch (int v) { std::printf("new threw %d\n", v); }
  }
  function_try(6);
  try { function_try(1); } catch (Base &b) { std::printf("through function try %s\n", b.name()); }
  for (int k = 0; k < 12; k++) std::printf("phis %ld\n", phis(k, k + 2, k * 3));
  for (int k = 0; k < 12; k++) {
    try { int x = callback_int(k); std::printf("-> %d\n", x); }
    catch (int i) { std::printf("through other %d\n", i); }
    catch (Base &b) { std::printf("through other %s\n", b.name()); }
    catch (...) { std::printf("through other\n"); }
  }
  for (int k = 0; k < 4; k++) {
    try { std::printf("other throws %d\n", other_throw(k)); }
    catch (int i) { std::printf("from other %d\n", i); }
    catch (std::exception &e) { std::printf("from other %s\n", e.what()); }
    catch (const char *s) { std::printf("from other %s\n", s); }
    std::printf("other catches %d\n", other_catch(callback_int, k));
  }
  try { Thrower t; } catch (int i) { std::printf("destructor threw %d\n", i); }
  for (int k = 0; k < 6; k++) std::printf("wide %ld\n", wide_results(k));
  std::printf("pairs %g\n", pairs(3));
  for (int k = 0; k < 5; k++) std::printf("-> %d\n", current(k));
  std::printf("depth %d\n", depth);
  std::set_terminate(on_terminate);
  never(11);
  never(argc);
  return 1;
}
