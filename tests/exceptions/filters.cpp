// Exception specifications as they were before C++17: landing pads with filters.
#include <cstdio>
#include <cstdlib>
#include <exception>
struct A { int i; }; struct B : A {}; struct C {};
void raise(int k) { switch (k) { case 0: throw A{1}; case 1: throw B{}; case 2: throw C(); case 3: throw 4; } }
void only_a(int k) throw(A) { raise(k); }
void a_or_int(int k) throw(A, int) { raise(k); }
void nothing(int k) throw() { raise(k); }
void with_bad(int k) throw(A, std::bad_exception) { raise(k); }
struct D { const char *n; ~D() { std::printf("~%s ", n); } };
void inner(int k) throw(A, C) { D d{"inner"}; try { D e{"try"}; a_or_int(k); } catch (C &) { std::printf("C "); throw; } }
static void to_a() { std::printf("unexpected "); throw A{9}; }
static void to_c() { std::printf("unexpected "); throw C(); }
int main() {
  std::set_unexpected(to_a);
  void (*fs[])(int) = {only_a, a_or_int, with_bad, inner};
  for (auto f : fs) for (int k = 0; k < 5; k++) {
    if (f == a_or_int || f == only_a || f == inner || f == with_bad) {
      try { f(k); std::printf("none\n"); } catch (A &a) { std::printf("A %d\n", a.i > 0 ? a.i : 0); } catch (int i) { std::printf("int %d\n", i); } catch (C &) { std::printf("C\n"); }
      catch (std::bad_exception &) { std::printf("bad\n"); }
    }
  }
  std::set_unexpected(to_c);
  try { with_bad(3); } catch (std::bad_exception &) { std::printf("bad\n"); } catch (...) { std::printf("other\n"); }
  nothing(5);
  std::set_terminate([] { std::printf("terminate\n"); std::fflush(stdout); _Exit(3); });
  nothing(1);
}
