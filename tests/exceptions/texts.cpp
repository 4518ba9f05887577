// Exceptions beside assembly of unknown length: entries of tables are where the calls are, whatever stands between.
#include <cstdio>
struct Guard { int i; ~Guard() { std::printf("~%d ", i); } };
__attribute__((noinline)) int thrower(int k) {
  int copy;
  __asm__ volatile(".skip 90, 0x90\n\tmovl %1, %0" : "=r"(copy) : "r"(k));
  if (copy > 1) throw copy;
  return copy;
}
__attribute__((noinline)) int catches(int k) {
  int sum = 0;
  for (int i = 0; i < k; i++) {
    try {
      Guard a{i};
      __asm__ volatile(".skip 200, 0x90");
      sum += thrower(i);
      __asm__ volatile(".skip 70, 0x90" ::: "rbx", "r12");
      Guard b{i + 10};
      sum += thrower(i + 1);
    } catch (int v) {
      __asm__ volatile(".skip 130, 0x90");
      sum += v * 100;
    }
  }
  return sum;
}
int main() { for (int k = 0; k < 5; k++) std::printf("%d\n", catches(k)); }
