// Places to which indirect branches may lead, and some to which none may.
#include <csetjmp>
#include <cstdio>

extern "C" {

static jmp_buf buffer;

static int only_called(int x) { return x + 1; }
static int address_in_data(int x) { return x + 2; }
static int address_in_code(int x) { return x + 3; }
static int named_by_alias(int) __asm__("named_by_alias");
__attribute__((used)) static int named_by_alias(int x) { return x + 4; }
int other_name(int) __attribute__((alias("named_by_alias")));
int (*pointer)(int) = address_in_data;
typedef int (*Unchecked)(int) __attribute__((nocf_check));
Unchecked unchecked = (Unchecked)other_name;

__attribute__((nocf_check, noinline)) int unmarked(int x) { return only_called(x) + 5; }

__attribute__((noinline)) int call_it(int (*f)(int)) { return f(3); }
__attribute__((noinline)) int call_unchecked() { return unchecked(7); }
__attribute__((noinline)) int pass_it() { return call_it(address_in_code); }

__attribute__((noinline)) int by_table(int x) {
  switch (x) {
  case 0: puts("zero"); return 3;
  case 1: return 7;
  case 2: puts("two"); return 9;
  case 3: return 11;
  case 4: return 16;
  case 5: puts("five"); return 22;
  }
  return only_called(x);
}

__attribute__((noinline)) int twice(int x) {
  if (setjmp(buffer))
    return x + 1;
  longjmp(buffer, 1);
}

__attribute__((noinline)) int computed(int i) {
  static void *places[] = {&&a, &&b, &&c};
  int sum = 0;
  goto *places[i % 3];
a:
  sum += 1;
  goto *places[1];
b:
  sum += 20;
  goto *places[2];
c:
  return sum + 300;
}

struct Guard {
  ~Guard() { puts("left"); }
};

__attribute__((noinline)) int thrower(int x) {
  if (x)
    throw x;
  return 1;
}

__attribute__((noinline)) int catcher(int x) {
  Guard guard;
  try {
    return thrower(x) + thrower(0);
  } catch (int e) {
    return e * 2;
  } catch (...) {
    return 9;
  }
}

int main() {
  printf("%d %d %d\n", call_it(pointer), pass_it(), call_unchecked());
  printf("%d %d %d\n", unmarked(1), by_table(2), by_table(8));
  printf("%d %d %d\n", twice(1), computed(0), computed(4));
  printf("%d %d\n", catcher(0), catcher(4));
}
}
