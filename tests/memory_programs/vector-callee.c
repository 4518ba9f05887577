// Takes and returns vectors; see vector-calls.h.
#include "vector-calls.h"
struct pair add_pair(struct pair a, struct pair b) { return (struct pair){a.x + b.x, a.y - b.y}; }
struct quad add_quad(struct quad a, struct quad b, int n) { return (struct quad){a.x + b.x * n, a.y - b.y, a.z * b.z, a.w + n}; }
struct mixed add_mixed(struct mixed a, struct mixed b) { return (struct mixed){a.x + b.x, a.y - b.y, a.z * b.z}; }
__m128 many(__m128 a, int i, __m128i b, double d, __m128d c, __m128 e, __m128 f, __m128 g, __m128 h, __m128 j, float s, __m128i k, long l, __m128 m, long l2, long l3, long l4, long l5, long l6, __m128 n) {
  __m128 r = _mm_add_ps(_mm_add_ps(a, _mm_mul_ps(e, f)), _mm_add_ps(g, _mm_mul_ps(h, j)));
  r = _mm_add_ps(r, _mm_mul_ps(m, n)); r = _mm_add_ps(r, _mm_set1_ps(s + i + d + l + 2 * l2 + 3 * l3 + 4 * l4 + 5 * l5 + 6 * l6));
  r = _mm_add_ps(r, _mm_cvtepi32_ps(_mm_add_epi32(b, k))); return _mm_add_ps(r, _mm_cvtpd_ps(c)); }
__m128i odd(float2 a, float3 b, int2 c, int3 d, char8 e, short4 f, char2 g, char4 h) {
  return _mm_set_epi32(a.x + b.z * a.y, c.y + d.z, e[7] + f[3] + e[0], g.y * h.w + h.x); }
float3 three(float3 a, float s) { return a * s; } int3 ithree(int3 a, int s) { return a * s; } char8 eight(char8 a, char8 b) { return a + b; } short4 four(short4 a) { return a * a; } char2 two(char2 a) { return a + a; } char4 cfour(char4 a) { return a - 1; } float2 ftwo(float2 a, float2 b) { return a / b; } int2 itwo(int2 a) { return a << 3; }
__m128 sum(int n, ...) { va_list l; va_start(l, n); __m128 r = _mm_setzero_ps(); for (int i = 0; i < n; i++) r = _mm_add_ps(r, _mm_mul_ps(va_arg(l, __m128), _mm_set1_ps(va_arg(l, double) + va_arg(l, int)))); va_end(l); return r; }
__m64 mmx(__m64 a, __m64 b) { return _mm_add_pi16(a, _mm_mullo_pi16(b, b)); }
