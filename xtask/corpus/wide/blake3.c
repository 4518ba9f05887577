/* Hashes made-up data of many lengths, with each of the library's implementations that the processor can run. */
#include "blake3.h"
#include "../generate.h"

static void hash(const char *name, blake3_hasher *hasher, const unsigned char *data, size_t size, size_t step) {
    unsigned char out[48];
    for (size_t at = 0; at < size; at += step) blake3_hasher_update(hasher, data + at, size - at < step ? size - at : step);
    blake3_hasher_finalize_seek(hasher, 5, out, sizeof out);
    printf("%s %zu by %zu: %016llx\n", name, size, step, (unsigned long long)checksum(out, sizeof out));
}

int main(void) {
    static const size_t sizes[] = {0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 4096, 5000, 8192, 16385, 65536, 300007};
    unsigned char key[BLAKE3_KEY_LEN];
    for (int i = 0; i < BLAKE3_KEY_LEN; i++) key[i] = (unsigned char)(i * 7);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            unsigned char *data = generate(kind, sizes[i]);
            for (size_t step = 100; step < 1000000; step *= 20) {
                blake3_hasher hasher;
                blake3_hasher_init(&hasher);
                hash("plain", &hasher, data, sizes[i], step);
                blake3_hasher_init_keyed(&hasher, key);
                hash("keyed", &hasher, data, sizes[i], step);
                blake3_hasher_init_derive_key(&hasher, "frazil");
                hash("derived", &hasher, data, sizes[i], step);
            }
            free(data);
        }
    return 0;
}
