/* Operands of texts in vector registers of all widths, in those that only AVX-512 has, and in mask registers. */
#include <immintrin.h>
#include <stdio.h>

#define WIDE __attribute__((noinline, target("avx,avx2,avx512f,avx512bw,avx512dq,avx512vl"), min_vector_width(512)))

WIDE static __m256 sums(__m256 a, __m256 b) {
  __m256 r;
  __asm__("vaddps %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
  return r;
}

WIDE static __m512 widest_sums(__m512 a, __m512 b) {
  __m512 r;
  __asm__("vaddps %2, %1, %0" : "=v"(r) : "v"(a), "v"(b));
  return r;
}

WIDE static __m512 sums_under_mask(__m512 a, __m512 b, __mmask16 k) {
  __asm__("vaddps %1, %0, %0 %{%2%}%{z%}" : "+v"(a) : "v"(b), "Yk"(k));
  return a;
}

WIDE static __m512 in_upper_register(__m512 a) {
  register __m512 r __asm__("zmm17") = a;
  __asm__("vaddps %0, %0, %0" : "+v"(r));
  return r;
}

WIDE static __m256i tied(__m256i a, __m256i *p) {
  __asm__("vpaddd %1, %0, %0" : "+x"(a) : "m"(*p));
  return a;
}

WIDE static __m128 upper_half(__m256 a) {
  __m128 r;
  __asm__("vextractf128 $1, %t1, %x0" : "=x"(r) : "x"(a));
  return r;
}

WIDE static __mmask16 both(__mmask16 a, __mmask16 b) {
  __mmask16 r;
  __asm__("kandw %2, %1, %0" : "=k"(r) : "k"(a), "k"(b));
  return r;
}

/* Twenty values at a time, over a text that overwrites registers for some. */
WIDE static double overwritten(double a) {
  double values[20], sum = 0;
  for (int i = 0; i < 20; i++) values[i] = a = a * 1.5;
  __asm__ volatile("vpxord %%zmm16, %%zmm16, %%zmm16\n\tvpxor %%xmm7, %%xmm7, %%xmm7\n\tkxorw %%k3, %%k3, %%k3"
                   : : : "zmm16", "ymm7", "k3");
  for (int i = 0; i < 20; i++) sum = sum * 0.5 + values[i];
  return sum;
}

WIDE static void print(const float *values, int count) {
  for (int i = 0; i < count; i++) printf("%g ", values[i]);
  puts("");
}

WIDE static void run(void) {
  float a[16], b[16], out[16];
  int ints[8];
  for (int i = 0; i < 16; i++) {
    a[i] = i + 1;
    b[i] = 100 * i;
  }
  _mm256_storeu_ps(out, sums(_mm256_loadu_ps(a), _mm256_loadu_ps(b)));
  print(out, 8);
  _mm512_storeu_ps(out, widest_sums(_mm512_loadu_ps(a), _mm512_loadu_ps(b)));
  print(out, 16);
  _mm512_storeu_ps(out, sums_under_mask(_mm512_loadu_ps(a), _mm512_loadu_ps(b), 0x8421));
  print(out, 16);
  _mm512_storeu_ps(out, in_upper_register(_mm512_loadu_ps(a)));
  print(out, 16);
  __m256i seven = _mm256_set1_epi32(7);
  _mm256_storeu_si256((__m256i *)ints, tied(_mm256_set1_epi32(5), &seven));
  for (int i = 0; i < 8; i++) printf("%d ", ints[i]);
  _mm_storeu_ps(out, upper_half(_mm256_loadu_ps(a)));
  print(out, 4);
  printf("%x %g\n", both(0x5a0f, 0xf0ff), overwritten(1.25));
}

int main(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    run();
  return 0;
}
