// What another compiler compiles; see shapes.cpp.
#include <cstdio>
#include <stdexcept>
struct Note { int i; ~Note() { std::printf("~note%d ", i); } };
extern "C" __attribute__((noinline)) void other_call(void (*f)(void *), void *data) { Note n{1}; f(data); }
extern "C" __attribute__((noinline)) int other_throw(int kind) {
  Note n{kind};
  if (kind == 0) throw 5;
  if (kind == 1) throw std::logic_error("logic");
  if (kind == 2) throw "chars";
  return kind;
}
extern "C" __attribute__((noinline)) int other_catch(int (*f)(int), int x) {
  Note n{x};
  try { return f(x); } catch (int i) { return i + 1000; } catch (...) { return 2000; }
}
