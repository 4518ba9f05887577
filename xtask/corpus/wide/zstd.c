/* Round trips through zstd: all strategies, streams, dictionaries, and damaged input. */
#include "../generate.h"
#include "zdict.h"
#include "zstd.h"

static void good(size_t code, const char *what) {
    if (ZSTD_isError(code)) fprintf(stderr, "%s: %s\n", what, ZSTD_getErrorName(code));
    must(!ZSTD_isError(code), what);
}

static void simple(int kind, int level, unsigned char *data, size_t size) {
    size_t room = ZSTD_compressBound(size);
    unsigned char *packed = malloc(room), *after = malloc(size);
    size_t packed_size = ZSTD_compress(packed, room, data, size, level);
    good(packed_size, "compress");
    size_t after_size = ZSTD_decompress(after, size, packed, packed_size);
    good(after_size, "decompress");
    report("simple", kind, level, packed, packed_size, data, size, after, after_size);
    packed[packed_size / 2] ^= 0x10;
    size_t damaged = ZSTD_decompress(after, size, packed, packed_size);
    printf("  damaged: %s\n", ZSTD_isError(damaged) ? ZSTD_getErrorName(damaged) : "not noticed");
    free(packed);
    free(after);
}

static void streamed(int kind, int level, unsigned char *data, size_t size) {
    size_t room = ZSTD_compressBound(size) + 4096;
    unsigned char *packed = malloc(room), *after = malloc(size);
    ZSTD_CCtx *writer = ZSTD_createCCtx();
    good(ZSTD_CCtx_setParameter(writer, ZSTD_c_compressionLevel, level), "level");
    good(ZSTD_CCtx_setParameter(writer, ZSTD_c_checksumFlag, 1), "checksum");
    good(ZSTD_CCtx_setParameter(writer, ZSTD_c_enableLongDistanceMatching, level > 5), "long distance");
    ZSTD_outBuffer out = {packed, room, 0};
    for (size_t at = 0; at < size; at += 9000) {
        size_t step = size - at < 9000 ? size - at : 9000;
        ZSTD_inBuffer in = {data + at, step, 0};
        ZSTD_EndDirective end = at + step == size ? ZSTD_e_end : at % 27000 ? ZSTD_e_continue : ZSTD_e_flush;
        size_t left;
        do {
            left = ZSTD_compressStream2(writer, &out, &in, end);
            good(left, "compressStream2");
        } while (end == ZSTD_e_continue ? in.pos < in.size : left != 0);
    }
    ZSTD_freeCCtx(writer);
    ZSTD_DCtx *reader = ZSTD_createDCtx();
    ZSTD_inBuffer in = {packed, out.pos, 0};
    ZSTD_outBuffer back = {after, 0, 0};
    while (in.pos < in.size || back.pos < size) {
        back.size = back.pos + 7001 < size ? back.pos + 7001 : size;
        good(ZSTD_decompressStream(reader, &back, &in), "decompressStream");
        if (in.pos == in.size && back.pos == size) break;
    }
    ZSTD_freeDCtx(reader);
    report("streamed", kind, level, packed, out.pos, data, size, after, back.pos);
    free(packed);
    free(after);
}

static void with_dictionary(unsigned char *data, size_t size) {
    enum { SAMPLES = 64 };
    size_t sizes[SAMPLES], room = 4096;
    for (int i = 0; i < SAMPLES; i++) sizes[i] = size / SAMPLES;
    unsigned char *dictionary = malloc(room);
    size_t dictionary_size = ZDICT_trainFromBuffer(dictionary, room, data, sizes, SAMPLES);
    must(!ZDICT_isError(dictionary_size), "train");
    ZSTD_CCtx *writer = ZSTD_createCCtx();
    ZSTD_DCtx *reader = ZSTD_createDCtx();
    unsigned char packed[8192], after[4096];
    size_t part = sizes[0] < sizeof after ? sizes[0] : sizeof after;
    size_t packed_size = ZSTD_compress_usingDict(writer, packed, sizeof packed, data, part, dictionary,
                                                 dictionary_size, 6);
    good(packed_size, "compress_usingDict");
    size_t after_size =
        ZSTD_decompress_usingDict(reader, after, sizeof after, packed, packed_size, dictionary, dictionary_size);
    good(after_size, "decompress_usingDict");
    printf("dictionary of %zu bytes, checksum %016llx\n", dictionary_size,
           (unsigned long long)checksum(dictionary, dictionary_size));
    report("dict", KIND_TEXT, 6, packed, packed_size, data, part, after, after_size);
    ZSTD_freeCCtx(writer);
    ZSTD_freeDCtx(reader);
    free(dictionary);
}

int main(int argc, char **argv) {
    static const int levels[] = {-5, 1, 2, 3, 5, 7, 10, 13, 17, 19, 22};
    size_t size = size_argument(argc, argv);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        unsigned char *data = generate(kind, size);
        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
            simple(kind, levels[i], data, size);
            if (i % 3 == 0) streamed(kind, levels[i], data, size);
        }
        if (kind == KIND_TEXT) with_dictionary(data, size);
        free(data);
    }
    return 0;
}
