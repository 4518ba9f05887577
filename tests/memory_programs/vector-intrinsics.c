// The intrinsics of the headers for SSE and SSE2, each on random vectors. Prints the bytes of all results.
#include <emmintrin.h>
#include <stdio.h>
#include <string.h>
#include <stdint.h>

static uint64_t state = 0x9e3779b97f4a7c15;
static uint32_t next(void) { state = state * 6364136223846793005u + 1442695040888963407u; return state >> 33; }
static __m128i random_bits(void) { uint32_t w[4]; for (int i = 0; i < 4; i++) w[i] = next() ^ next() << 13; __m128i r; memcpy(&r, w, 16); return r; }
static __m128 random_floats(void) { float w[4]; for (int i = 0; i < 4; i++) w[i] = (int)(next() % 2001) / 8.0f - 125.0f; __m128 r; memcpy(&r, w, 16); return r; }
static __m128d random_doubles(void) { double w[2]; for (int i = 0; i < 2; i++) w[i] = (int)(next() % 200001) / 64.0 - 1000.0; __m128d r; memcpy(&r, w, 16); return r; }
static void bytes(const char *name, const void *p, int n) { const unsigned char *b = p; printf("%-24s", name); for (int i = 0; i < n; i++) printf(" %02x", b[i]); printf("\n"); }
#define I(expr) do { __m128i r = (expr); bytes(#expr, &r, 16); } while (0)
#define S(expr) do { __m128 r = (expr); bytes(#expr, &r, 16); } while (0)
#define D(expr) do { __m128d r = (expr); bytes(#expr, &r, 16); } while (0)
#define N(expr) printf("%-24s %lld\n", #expr, (long long)(expr))

static void integers(__m128i a, __m128i b) {
  I(_mm_add_epi8(a, b)); I(_mm_add_epi16(a, b)); I(_mm_add_epi32(a, b)); I(_mm_add_epi64(a, b));
  I(_mm_adds_epi8(a, b)); I(_mm_adds_epi16(a, b)); I(_mm_adds_epu8(a, b)); I(_mm_adds_epu16(a, b));
  I(_mm_avg_epu8(a, b)); I(_mm_avg_epu16(a, b)); I(_mm_madd_epi16(a, b)); I(_mm_max_epi16(a, b));
  I(_mm_max_epu8(a, b)); I(_mm_min_epi16(a, b)); I(_mm_min_epu8(a, b)); I(_mm_mulhi_epi16(a, b));
  I(_mm_mulhi_epu16(a, b)); I(_mm_mullo_epi16(a, b)); I(_mm_mul_epu32(a, b)); I(_mm_sad_epu8(a, b));
  I(_mm_sub_epi8(a, b)); I(_mm_sub_epi16(a, b)); I(_mm_sub_epi32(a, b)); I(_mm_sub_epi64(a, b));
  I(_mm_subs_epi8(a, b)); I(_mm_subs_epi16(a, b)); I(_mm_subs_epu8(a, b)); I(_mm_subs_epu16(a, b));
  I(_mm_and_si128(a, b)); I(_mm_andnot_si128(a, b)); I(_mm_or_si128(a, b)); I(_mm_xor_si128(a, b));
  I(_mm_slli_si128(a, 3)); I(_mm_srli_si128(a, 5)); I(_mm_slli_epi16(a, 3)); I(_mm_slli_epi32(a, 7)); I(_mm_slli_epi64(a, 33));
  I(_mm_srai_epi16(a, 2)); I(_mm_srai_epi32(a, 9)); I(_mm_srli_epi16(a, 5)); I(_mm_srli_epi32(a, 31)); I(_mm_srli_epi64(a, 60));
  __m128i count = _mm_cvtsi32_si128(5);
  I(_mm_sll_epi16(a, count)); I(_mm_sll_epi32(a, count)); I(_mm_sll_epi64(a, count)); I(_mm_sra_epi16(a, count));
  I(_mm_sra_epi32(a, count)); I(_mm_srl_epi16(a, count)); I(_mm_srl_epi32(a, count)); I(_mm_srl_epi64(a, count));
  I(_mm_cmpeq_epi8(a, b)); I(_mm_cmpeq_epi16(a, b)); I(_mm_cmpeq_epi32(a, b)); I(_mm_cmpgt_epi8(a, b)); I(_mm_cmpgt_epi16(a, b));
  I(_mm_cmpgt_epi32(a, b)); I(_mm_cmplt_epi8(a, b)); I(_mm_cmplt_epi16(a, b)); I(_mm_cmplt_epi32(a, b));
  I(_mm_packs_epi16(a, b)); I(_mm_packs_epi32(a, b)); I(_mm_packus_epi16(a, b));
  I(_mm_unpackhi_epi8(a, b)); I(_mm_unpackhi_epi16(a, b)); I(_mm_unpackhi_epi32(a, b)); I(_mm_unpackhi_epi64(a, b));
  I(_mm_unpacklo_epi8(a, b)); I(_mm_unpacklo_epi16(a, b)); I(_mm_unpacklo_epi32(a, b)); I(_mm_unpacklo_epi64(a, b));
  I(_mm_shuffle_epi32(a, 0x1b)); I(_mm_shufflehi_epi16(a, 0x93)); I(_mm_shufflelo_epi16(a, 0x39));
  I(_mm_insert_epi16(a, 0x1234, 5)); N(_mm_extract_epi16(a, 3)); N(_mm_movemask_epi8(a)); N(_mm_cvtsi128_si32(a)); N(_mm_cvtsi128_si64(a));
  I(_mm_move_epi64(a)); I(_mm_set_epi8(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, (char)next())); I(_mm_set_epi16(1, 2, 3, 4, 5, 6, 7, next()));
  I(_mm_set_epi32(next(), 2, 3, 4)); I(_mm_set_epi64x(next(), 7)); I(_mm_set1_epi8(next())); I(_mm_set1_epi16(next())); I(_mm_set1_epi32(next())); I(_mm_set1_epi64x(next()));
  I(_mm_setzero_si128()); I(_mm_castps_si128(_mm_cvtepi32_ps(a))); D(_mm_cvtepi32_pd(a)); S(_mm_cvtepi32_ps(a));
}

static void floats(__m128 a, __m128 b) {
  S(_mm_add_ps(a, b)); S(_mm_sub_ps(a, b)); S(_mm_mul_ps(a, b)); S(_mm_div_ps(a, b)); S(_mm_sqrt_ps(_mm_mul_ps(a, a)));
  S(_mm_add_ss(a, b)); S(_mm_sub_ss(a, b)); S(_mm_mul_ss(a, b)); S(_mm_div_ss(a, b)); S(_mm_sqrt_ss(_mm_mul_ps(a, a)));
  S(_mm_min_ps(a, b)); S(_mm_max_ps(a, b)); S(_mm_min_ss(a, b)); S(_mm_max_ss(a, b));
  S(_mm_and_ps(a, b)); S(_mm_andnot_ps(a, b)); S(_mm_or_ps(a, b)); S(_mm_xor_ps(a, b));
  S(_mm_cmpeq_ps(a, b)); S(_mm_cmplt_ps(a, b)); S(_mm_cmple_ps(a, b)); S(_mm_cmpgt_ps(a, b)); S(_mm_cmpge_ps(a, b)); S(_mm_cmpneq_ps(a, b));
  S(_mm_cmpnlt_ps(a, b)); S(_mm_cmpnle_ps(a, b)); S(_mm_cmpord_ps(a, b)); S(_mm_cmpunord_ps(a, b)); S(_mm_cmplt_ss(a, b)); S(_mm_cmpgt_ss(a, b));
  N(_mm_comieq_ss(a, b)); N(_mm_comilt_ss(a, b)); N(_mm_comile_ss(a, b)); N(_mm_comigt_ss(a, b)); N(_mm_comige_ss(a, b)); N(_mm_comineq_ss(a, b)); N(_mm_ucomilt_ss(a, b));
  N(_mm_cvtss_si32(a)); N(_mm_cvttss_si32(a)); N(_mm_cvtss_si64(a)); S(_mm_cvtsi32_ss(a, 77)); S(_mm_cvtsi64_ss(a, -5)); N(_mm_movemask_ps(a));
  S(_mm_shuffle_ps(a, b, 0x4e)); S(_mm_unpackhi_ps(a, b)); S(_mm_unpacklo_ps(a, b)); S(_mm_movehl_ps(a, b)); S(_mm_movelh_ps(a, b)); S(_mm_move_ss(a, b));
  float p[8] = {1, 2, 3, 4, 5, 6, 7, 8}; S(_mm_loadu_ps(p + 1)); S(_mm_load1_ps(p + 2)); S(_mm_load_ss(p + 3)); S(_mm_loadl_pi(a, (__m64 *)p)); S(_mm_loadh_pi(a, (__m64 *)p));
  _mm_storeu_ps(p, a); _mm_storeh_pi((__m64 *)(p + 4), b); _mm_storel_pi((__m64 *)(p + 6), b); bytes("stores", p, 32); _mm_store_ss(p, b); bytes("store_ss", p, 4);
  S(_mm_set_ps(1, 2, p[0], 4)); S(_mm_setr_ps(1, 2, p[0], 4)); S(_mm_set1_ps(p[0])); S(_mm_set_ss(p[0])); I(_mm_cvtps_epi32(a)); I(_mm_cvttps_epi32(a)); D(_mm_cvtps_pd(a));
  __m128 c = a, d = b, e = _mm_add_ps(a, b), f = _mm_sub_ps(a, b); _MM_TRANSPOSE4_PS(c, d, e, f); S(c); S(d); S(e); S(f);
}

static void doubles(__m128d a, __m128d b) {
  D(_mm_add_pd(a, b)); D(_mm_sub_pd(a, b)); D(_mm_mul_pd(a, b)); D(_mm_div_pd(a, b)); D(_mm_sqrt_pd(_mm_mul_pd(a, a))); D(_mm_add_sd(a, b)); D(_mm_sqrt_sd(a, _mm_mul_pd(b, b)));
  D(_mm_min_pd(a, b)); D(_mm_max_pd(a, b)); D(_mm_min_sd(a, b)); D(_mm_max_sd(a, b)); D(_mm_and_pd(a, b)); D(_mm_andnot_pd(a, b)); D(_mm_or_pd(a, b)); D(_mm_xor_pd(a, b));
  D(_mm_cmpeq_pd(a, b)); D(_mm_cmplt_pd(a, b)); D(_mm_cmple_pd(a, b)); D(_mm_cmpneq_pd(a, b)); D(_mm_cmpnlt_pd(a, b)); D(_mm_cmpord_pd(a, b)); D(_mm_cmplt_sd(a, b));
  N(_mm_comieq_sd(a, b)); N(_mm_comilt_sd(a, b)); N(_mm_ucomige_sd(a, b)); N(_mm_cvtsd_si32(a)); N(_mm_cvttsd_si64(a)); N(_mm_movemask_pd(a));
  D(_mm_shuffle_pd(a, b, 1)); D(_mm_unpackhi_pd(a, b)); D(_mm_unpacklo_pd(a, b)); D(_mm_move_sd(a, b)); S(_mm_cvtpd_ps(a)); I(_mm_cvtpd_epi32(a)); I(_mm_cvttpd_epi32(a));
  S(_mm_cvtsd_ss(_mm_set1_ps(1.5f), a)); D(_mm_cvtss_sd(a, _mm_set1_ps(2.5f))); D(_mm_cvtsi32_sd(a, 9)); D(_mm_cvtsi64_sd(a, -9));
  double p[2] = {3, 4}; D(_mm_loadl_pd(a, p)); D(_mm_loadh_pd(a, p)); D(_mm_loadr_pd(p)); D(_mm_load1_pd(p)); _mm_storeh_pd(p, a); _mm_storel_pd(p + 1, b); bytes("stores", p, 16);
}

int main(void) {
  for (int i = 0; i < 8; i++) {
    __m128i a = random_bits(), b = random_bits();
    if (i & 1) b = _mm_unpacklo_epi64(a, b);
    integers(a, b);
    __m128 c = random_floats(), d = random_floats();
    if (i & 1) d = _mm_move_ss(d, c);
    if (i & 2) d = _mm_castsi128_ps(_mm_set1_epi32(0x7fc12345));
    floats(c, d);
    doubles(random_doubles(), random_doubles());
  }
  return 0;
}
