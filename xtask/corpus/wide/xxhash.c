/* Hashes made-up data of many lengths by all functions of the library. */
#include "xxhash.h"
#include "../generate.h"

int main(void) {
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (size_t size = 0; size < 200000; size = size < 300 ? size + 1 : size * 5 / 4) {
            unsigned char *data = generate(kind, size);
            XXH128_hash_t wide = XXH3_128bits_withSeed(data, size, size * 3);
            XXH3_state_t *state = XXH3_createState();
            must(state != NULL && XXH3_64bits_reset_withSeed(state, 77) == XXH_OK, "the state");
            for (size_t at = 0; at < size; at += 777) XXH3_64bits_update(state, data + at, size - at < 777 ? size - at : 777);
            printf("%s %zu: %08x %016llx %016llx %016llx%016llx %016llx\n", kind_names[kind], size, XXH32(data, size, 5),
                   (unsigned long long)XXH64(data, size, 6), (unsigned long long)XXH3_64bits(data, size),
                   (unsigned long long)wide.high64, (unsigned long long)wide.low64,
                   (unsigned long long)XXH3_64bits_digest(state));
            XXH3_freeState(state);
            free(data);
        }
    return 0;
}
