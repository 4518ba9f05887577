// Passes vectors and prints what comes back; see vector-calls.h.
#include "vector-calls.h"
#include <stdio.h>
static void put(const char *n, const void *p, int c) { const unsigned char *b = p; printf("%s", n); for (int i = 0; i < c; i++) printf(" %02x", b[i]); printf("\n"); }
#define P(e, c) do { __typeof__(e) result_ = (e); put(#e, &result_, c); } while (0)
int main(int argc, char **argv) {
  float k = argc;
  struct pair a = {k, 2}, b = {3, 5 * k}; struct quad q = {1, k, 3, 4}, r = {5, 6, k, 8}; struct mixed m = {1, k, 3}, n = {k, 5, 7};
  P(add_pair(a, b), 8); P(add_quad(q, r, 3), 16); P(add_mixed(m, n), 16);
  __m128 v = _mm_set_ps(1, 2, 3, k), w = _mm_set_ps(k, 7, 9, 11); __m128i i = _mm_set_epi32(argc, 5, 6, 7); __m128d d = _mm_set_pd(k, 8);
  P(many(v, 3, i, 2.5, d, w, v, w, v, w, 1.5f, i, 4, _mm_add_ps(v, w), 5, 6, 7, 8, 9, _mm_sub_ps(v, w)), 16);
  float2 f2 = {k, 2}; float3 f3 = {1, k, 3}; int2 i2 = {argc, 9}; int3 i3 = {argc, 4, 5}; char8 c8 = {1, 2, 3, 4, 5, 6, 7, (char)argc}; short4 s4 = {argc, 200, 300, 400}; char2 c2 = {argc, 7}; char4 c4 = {argc, 3, 4, 5};
  P(odd(f2, f3, i2, i3, c8, s4, c2, c4), 16); P(three(f3, 2), 12); P(ithree(i3, 3), 12); P(eight(c8, c8), 8); P(four(s4), 8); P(two(c2), 2); P(cfour(c4), 4); P(ftwo(f2, f2 + 1), 8); P(itwo(i2), 8);
  P(sum(5, v, 1.0, 2, w, 3.0, 4, v, 5.0, 6, w, 7.0, 8, v, 0.5, 9), 16);
  P(mmx(_mm_set_pi16(1, 2, 3, argc), _mm_set_pi16(5, 6, 7, 300)), 8);
}
