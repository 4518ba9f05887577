// Functions that are called with a stack pointer that is aligned otherwise than usual. WANTED is an attribute of each.
#include "realigned.h"
#include <stdarg.h>

#ifndef WANTED
#define WANTED
#endif

extern "C" {

volatile int seed = 3;

WANTED void spills(void *) {
  V v[20];
  for (int i = 0; i < 20; ++i)
    v[i] = V{(float)(seed + i), 2, 3, (float)i};
  V a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5];
  check_stack();
  a = mix(a, b), b = mix(c, d), c = mix(e, f);
  check_stack();
  V all = a * b + c - d + e * f;
  for (int i = 0; i < 20; ++i)
    all += v[i];
  note("spills", (long)(all[0] + all[1] + all[2] + all[3]));
}

WANTED void dynamic(void *) {
  for (int i = 1; i < 40; i += 7) {
    char bytes[i * seed];
    alignas(64) char over[i + seed];
    V v = V{(float)i, 1, 2, 3};
    for (int k = 0; k < i * seed; ++k)
      bytes[k] = (char)k;
    over[i] = 5;
    check_stack();
    aligned_to(over, 64);
    v = mix(v, v);
    check_stack_arguments(1, 2, 3, 4, 5, 6, v, v, v, v, v, v, v, v, v, i, i * 2.0L);
    note("dynamic", bytes[i * seed - 1] + over[i] + (long)v[0]);
  }
}

WANTED static __attribute__((noinline)) long take(Block b, long x, V v) {
  check_stack();
  return b.words[4] + x + (long)v[1];
}

// Other registers are saved: vector registers, beside integer ones.
WANTED __attribute__((noinline, preserve_all)) void keeps_all(long x) {
  char bytes[seed * 3];
  bytes[seed] = 1;
  V v = mix(V{1, 2, 3, 4}, V{2, 2, 2, 2});
  note("keeps", x + (long)v[3] + bytes[seed]);
}

WANTED __attribute__((noinline, ms_abi)) long windows(long a, double b, long c, long d, long e, double f) {
  check_stack();
  V v = mix(V{1, 2, 3, 4}, V{(float)b, 2, 2, (float)f});
  return a + (long)b * 10 + c * 100 + d * 1000 + e * 10000 + (long)f * 100000 + (long)v[3] * 1000000;
}

WANTED void keeps(void *) {
  V v[7];
  double x[7];
  for (int i = 0; i < 7; ++i) {
    v[i] = V{(float)(seed + i), 2, 3, (float)i};
    x[i] = i * seed;
  }
  V a = v[0], b = v[1], c = v[2], d = v[seed];
  double e = x[seed], f = x[4], g = x[5];
  keeps_all(9);
  note("windows", windows(1, 2, 3, 4, seed, 6));
  V all = a * b + c - d;
  note("kept", (long)(all[0] + all[3]) + (long)(e * f + g));
}

WANTED void calls_with_memory(void *) {
  Block b = {{1, 2, 3, 4, seed}};
  V v = {1, (float)seed, 2, 3};
  note("memory", take(b, 17, v));
  check_stack_arguments(1, 2, 3, 4, 5, 6, v, v, v, v, v, v, v, v, v + v, 77, 0.5L);
}

WANTED static __attribute__((noinline)) double add(int count, ...) {
  va_list list;
  va_start(list, count);
  double all = 0;
  V v = {0, 0, 0, 0};
  for (int i = 0; i < count; ++i) {
    all += va_arg(list, double);
    all += va_arg(list, long);
    v = mix(v, v);
  }
  va_end(list);
  check_stack();
  return all + v[0];
}

WANTED void variable(void *) {
  note("variable", (long)add(6, 1.0, 2L, 3.0, 4L, 5.0, 6L, 7.0, 8L, 9.0, 10L, 11.0, 12L));
  note("variable", (long)sum_of(10, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0));
}

struct Guard {
  long number;
  WANTED ~Guard() {
    check_stack();
    note("cleanup", number);
  }
};

WANTED void unwinds(void *number) {
  Guard guard{(long)(size_t)number + seed};
  char bytes[seed * 9];
  bytes[seed] = 1;
  V v = mix(V{1, 2, 3, 4}, V{2, 2, 2, 2});
  throw_number((long)(size_t)number + bytes[seed]);
  note("not reached", (long)v[0]);
}

WANTED void catches(void *) {
  V before = mix(V{1, 2, 3, (float)seed}, V{2, 2, 2, 2});
  for (long i = 0; i < 3; ++i) {
    Guard outer{100 + i};
    alignas(32) long kept[3] = {i, i, seed};
    try {
      unwinds((void *)i);
    } catch (long number) {
      check_stack();
      aligned_to(kept, 32);
      V after = mix(before, before);
      note("caught", number + (long)after[3] + kept[2]);
    }
  }
}

WANTED void walks(void *) {
  V v = mix(V{1, 2, 3, 4}, V{2, 2, 2, 2});
  char bytes[seed * 5];
  bytes[seed] = 2;
  note("frames", frames_up_to_main());
  note("of it", (long)v[2] + bytes[seed]);
  note("returns", __builtin_return_address(0) != nullptr);
  note("frame", ((size_t)__builtin_frame_address(0) & 7) + bytes[seed]);
}

WANTED void tail(void *pointer) {
  V v = mix(V{1, 2, 3, 4}, V{2, 2, 2, 2});
  note("tail", (long)v[0]);
  return spills(pointer);
}

WANTED void leaf(void *pointer) {
  *(long *)pointer += seed;
}

WANTED void over_aligned(void *) {
  alignas(16) volatile char a[3];
  alignas(32) volatile char b[3];
  alignas(64) volatile char c[3];
  alignas(256) volatile char d[3];
  a[0] = b[1] = c[2] = d[0] = (char)seed;
  aligned_to((void *)a, 16);
  aligned_to((void *)b, 32);
  aligned_to((void *)c, 64);
  aligned_to((void *)d, 256);
  note("over", a[0] + b[1] + c[2] + d[0]);
}

WANTED long on_the_stack(long, long, long, long, long, long last, long a, long double x, V, V, V, V, V, V, V, V v7, V v8,
                         Block b) {
  check_stack();
  V v = mix(v7, v8);
  return last + a * 3 + (long)x + (long)(v[0] + v[3]) + b.words[4];
}

WANTED long musttail(long p, long q, long r, long s, long t, long u, long a, long double x, V v0, V v1, V v2, V v3, V v4,
                     V v5, V v6, V v7, V v8, Block b) {
  check_stack();
  [[clang::musttail]] return on_the_stack(q, p, r, s, t, u + a, a + 1, x * 2, v1, v0, v2, v3, v4, v5, v6, v8, v7 + v8, b);
}
}
