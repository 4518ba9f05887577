// What the two halves of a program pass to each other: vectors of all lengths, and structures that are passed as such.
#include <emmintrin.h>
#include <stdarg.h>
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float3 __attribute__((ext_vector_type(3)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int3 __attribute__((ext_vector_type(3)));
typedef char char8 __attribute__((vector_size(8)));
typedef short short4 __attribute__((vector_size(8)));
typedef char char2 __attribute__((ext_vector_type(2)));
typedef char char4 __attribute__((ext_vector_type(4)));
struct pair { float x, y; };
struct quad { float x, y, z, w; };
struct mixed { float x, y; double z; };
struct pair add_pair(struct pair a, struct pair b);
struct quad add_quad(struct quad a, struct quad b, int n);
struct mixed add_mixed(struct mixed a, struct mixed b);
__m128 many(__m128 a, int i, __m128i b, double d, __m128d c, __m128 e, __m128 f, __m128 g, __m128 h, __m128 j, float s, __m128i k, long l, __m128 m, long l2, long l3, long l4, long l5, long l6, __m128 n);
__m128i odd(float2 a, float3 b, int2 c, int3 d, char8 e, short4 f, char2 g, char4 h);
float3 three(float3 a, float s); int3 ithree(int3 a, int s); char8 eight(char8 a, char8 b); short4 four(short4 a); char2 two(char2 a); char4 cfour(char4 a); float2 ftwo(float2 a, float2 b); int2 itwo(int2 a);
__m128 sum(int n, ...);
__m64 mmx(__m64 a, __m64 b);
