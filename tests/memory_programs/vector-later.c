// Intrinsics of what came after SSE2, up to SSE4.2, AES and carry-less multiplication, where this machine has them.
#include <nmmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wmmintrin.h>

static uint64_t state = 7;

static uint32_t next(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 33;
}

static __m128i random_bits(void) {
  uint32_t words[4];
  for (int i = 0; i < 4; i++)
    words[i] = next() ^ next() << 13;
  __m128i vector;
  memcpy(&vector, words, 16);
  return vector;
}

static __m128 random_floats(void) {
  float numbers[4];
  for (int i = 0; i < 4; i++)
    numbers[i] = (int)(next() % 2001) / 8.0f - 125.0f;
  return _mm_loadu_ps(numbers);
}

static void put(const char *name, const void *value, int size) {
  const unsigned char *bytes = value;
  printf("%s:", name);
  for (int i = 0; i < size; i++)
    printf(" %02x", bytes[i]);
  printf("\n");
}

#define I(expr) do { __m128i result_ = (expr); put(#expr, &result_, 16); } while (0)
#define S(expr) do { __m128 result_ = (expr); put(#expr, &result_, 16); } while (0)
#define D(expr) do { __m128d result_ = (expr); put(#expr, &result_, 16); } while (0)
#define N(expr) printf("%s: %lld\n", #expr, (long long)(expr))

static void third(__m128 a, __m128 b, __m128d c, __m128d d, __m128i e, __m128i f) {
  S(_mm_addsub_ps(a, b)); D(_mm_addsub_pd(c, d)); S(_mm_hadd_ps(a, b)); D(_mm_hadd_pd(c, d));
  S(_mm_hsub_ps(a, b)); D(_mm_hsub_pd(c, d)); S(_mm_movehdup_ps(a)); S(_mm_moveldup_ps(a));
  D(_mm_movedup_pd(c)); I(_mm_lddqu_si128(&e));
  I(_mm_abs_epi8(e)); I(_mm_abs_epi16(e)); I(_mm_abs_epi32(e)); I(_mm_alignr_epi8(e, f, 5)); I(_mm_alignr_epi8(e, f, 20));
  I(_mm_hadd_epi16(e, f)); I(_mm_hadd_epi32(e, f)); I(_mm_hadds_epi16(e, f)); I(_mm_hsub_epi16(e, f));
  I(_mm_hsub_epi32(e, f)); I(_mm_hsubs_epi16(e, f)); I(_mm_maddubs_epi16(e, f)); I(_mm_mulhrs_epi16(e, f));
  I(_mm_shuffle_epi8(e, f)); I(_mm_sign_epi8(e, f)); I(_mm_sign_epi16(e, f)); I(_mm_sign_epi32(e, f));
}

static void fourth(__m128 a, __m128 b, __m128d c, __m128d d, __m128i e, __m128i f) {
  I(_mm_blend_epi16(e, f, 0x5a)); S(_mm_blend_ps(a, b, 5)); D(_mm_blend_pd(c, d, 2)); I(_mm_blendv_epi8(e, f, _mm_add_epi8(e, f)));
  S(_mm_blendv_ps(a, b, _mm_mul_ps(a, b))); D(_mm_blendv_pd(c, d, _mm_mul_pd(c, d))); S(_mm_dp_ps(a, b, 0x73)); D(_mm_dp_pd(c, d, 0x31));
  S(_mm_insert_ps(a, b, 0x91)); I(_mm_mpsadbw_epu8(e, f, 3)); I(_mm_packus_epi32(e, f)); I(_mm_minpos_epu16(e));
  N(_mm_testz_si128(e, f)); N(_mm_testc_si128(e, e)); N(_mm_testnzc_si128(e, f)); N(_mm_test_all_ones(e));
  S(_mm_round_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)); D(_mm_ceil_pd(c)); S(_mm_floor_ss(a, b)); D(_mm_round_sd(c, d, _MM_FROUND_TO_ZERO));
  I(_mm_cmpeq_epi64(e, f)); I(_mm_cmpgt_epi64(e, f)); I(_mm_mullo_epi32(e, f)); I(_mm_mul_epi32(e, f));
  I(_mm_max_epi8(e, f)); I(_mm_max_epi32(e, f)); I(_mm_max_epu16(e, f)); I(_mm_max_epu32(e, f));
  I(_mm_min_epi8(e, f)); I(_mm_min_epi32(e, f)); I(_mm_min_epu16(e, f)); I(_mm_min_epu32(e, f));
  I(_mm_cvtepi8_epi16(e)); I(_mm_cvtepi8_epi32(e)); I(_mm_cvtepi8_epi64(e)); I(_mm_cvtepi16_epi32(e)); I(_mm_cvtepi16_epi64(e)); I(_mm_cvtepi32_epi64(e));
  I(_mm_cvtepu8_epi16(e)); I(_mm_cvtepu8_epi32(e)); I(_mm_cvtepu8_epi64(e)); I(_mm_cvtepu16_epi32(e)); I(_mm_cvtepu16_epi64(e)); I(_mm_cvtepu32_epi64(e));
  N(_mm_extract_epi8(e, 7)); N(_mm_extract_epi32(e, 2)); N(_mm_extract_epi64(e, 1)); N(_mm_extract_ps(a, 3));
  I(_mm_insert_epi8(e, 99, 9)); I(_mm_insert_epi32(e, 99, 2)); I(_mm_insert_epi64(e, 99, 1)); I(_mm_stream_load_si128(&e));
}

static void strings(__m128i e, __m128i f) {
  e = _mm_and_si128(e, _mm_set1_epi8(7)); f = _mm_and_si128(f, _mm_set1_epi8(7));
  N(_mm_cmpistri(e, f, _SIDD_CMP_EQUAL_ANY)); N(_mm_cmpestri(e, 5, f, 16, _SIDD_CMP_RANGES)); I(_mm_cmpistrm(e, f, _SIDD_CMP_EQUAL_EACH));
  I(_mm_cmpestrm(e, 16, f, 9, _SIDD_CMP_EQUAL_ANY | _SIDD_UNIT_MASK)); N(_mm_cmpistra(e, f, 0)); N(_mm_cmpistrc(e, f, 0)); N(_mm_cmpistro(e, f, 0));
  N(_mm_cmpistrs(e, f, 0)); N(_mm_cmpistrz(e, f, 0)); N(_mm_cmpestrc(e, 3, f, 12, _SIDD_CMP_EQUAL_ORDERED));
  N(_mm_crc32_u8(1, next())); N(_mm_crc32_u16(2, next())); N(_mm_crc32_u32(3, next())); N(_mm_crc32_u64(4, 5 * (uint64_t)next()));
}

static void ciphers(__m128i e, __m128i f) {
  I(_mm_aesenc_si128(e, f)); I(_mm_aesenclast_si128(e, f)); I(_mm_aesdec_si128(e, f)); I(_mm_aesdeclast_si128(e, f));
  I(_mm_aesimc_si128(e)); I(_mm_aeskeygenassist_si128(e, 0x36)); I(_mm_clmulepi64_si128(e, f, 0x10));
}

int main(void) {
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("aes") || !__builtin_cpu_supports("pclmul"))
    return 0;
  for (int round = 0; round < 4; round++) {
    __m128 a = random_floats(), b = random_floats();
    __m128d c = _mm_cvtps_pd(a), d = _mm_cvtps_pd(b);
    __m128i e = random_bits(), f = random_bits();
    if (round == 1)
      f = _mm_blend_epi16(e, f, 0xf0);
    third(a, b, c, d, e, f);
    fourth(a, b, c, d, e, f);
    strings(e, f);
    ciphers(e, f);
  }
  return 0;
}
