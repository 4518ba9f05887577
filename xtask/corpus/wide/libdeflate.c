/* Packs and unpacks made-up data in all formats, and computes both checksums. */
#include "libdeflate.h"
#include "../generate.h"

int main(void) {
    size_t size = 200 * 1024 + 7, room = 2 * size;
    unsigned char *packed = malloc(room), *after = malloc(size);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        unsigned char *data = generate(kind, size);
        for (size_t part = 1; part <= size; part = part * 3 + 1)
            printf("%s %zu: %08x %08x\n", kind_names[kind], part, libdeflate_crc32(7, data, part),
                   libdeflate_adler32(1, data, part));
        for (int level = 0; level <= 12; level += 3) {
            struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
            struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
            must(compressor && decompressor, "allocating");
            size_t got = 0, length = libdeflate_deflate_compress(compressor, data, size, packed, room);
            must(libdeflate_deflate_decompress(decompressor, packed, length, after, size, &got) == 0, "deflate");
            report("deflate", kind, level, packed, length, data, size, after, got);
            length = libdeflate_zlib_compress(compressor, data, size, packed, room);
            must(libdeflate_zlib_decompress(decompressor, packed, length, after, size, &got) == 0, "zlib");
            report("zlib", kind, level, packed, length, data, size, after, got);
            length = libdeflate_gzip_compress(compressor, data, size, packed, room);
            must(libdeflate_gzip_decompress(decompressor, packed, length, after, size, &got) == 0, "gzip");
            report("gzip", kind, level, packed, length, data, size, after, got);
            libdeflate_free_compressor(compressor);
            libdeflate_free_decompressor(decompressor);
        }
        free(data);
    }
    return 0;
}
