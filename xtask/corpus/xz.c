/* Round trips through liblzma: presets, filter chains, integrity checks, and the old .lzma format. */
#include "generate.h"
#include "lzma.h"

/* Feeds `stream` in small steps until it ends; returns the number of bytes written to `out`. */
static size_t pump(lzma_stream *stream, const unsigned char *in, size_t in_size, unsigned char *out, size_t out_size,
                   size_t step_in, size_t step_out) {
    lzma_ret status = LZMA_OK;
    stream->next_in = in;
    stream->next_out = out;
    while (status != LZMA_STREAM_END) {
        size_t left = in_size - (size_t)(stream->next_in - in), room = out_size - (size_t)(stream->next_out - out);
        stream->avail_in = left < step_in ? left : step_in;
        stream->avail_out = room < step_out ? room : step_out;
        status = lzma_code(stream, left <= step_in ? LZMA_FINISH : LZMA_RUN);
        if (status != LZMA_OK && status != LZMA_STREAM_END) {
            fprintf(stderr, "lzma_code: %d\n", (int)status);
            exit(1);
        }
    }
    return (size_t)(stream->next_out - out);
}

static void unpack_and_report(const char *what, int kind, int level, const unsigned char *packed, size_t packed_size,
                              const unsigned char *data, size_t size) {
    unsigned char *after = malloc(size + 100);
    lzma_stream stream = LZMA_STREAM_INIT;
    must(lzma_auto_decoder(&stream, UINT64_MAX, 0) == LZMA_OK, "decoder");
    size_t after_size = pump(&stream, packed, packed_size, after, size + 100, 611, 1777);
    lzma_end(&stream);
    report(what, kind, level, packed, packed_size, data, size, after, after_size);
    free(after);
}

static void preset(int kind, uint32_t level, lzma_check check, const unsigned char *data, size_t size) {
    size_t room = lzma_stream_buffer_bound(size);
    unsigned char *packed = malloc(room);
    lzma_stream stream = LZMA_STREAM_INIT;
    must(lzma_easy_encoder(&stream, level, check) == LZMA_OK, "easy_encoder");
    size_t packed_size = pump(&stream, data, size, packed, room, 3333, 555);
    lzma_end(&stream);
    unpack_and_report("preset", kind, (int)(level & 15), packed, packed_size, data, size);
    free(packed);
}

static void filters(const char *what, int kind, lzma_vli first, void *options, const unsigned char *data, size_t size) {
    size_t room = lzma_stream_buffer_bound(size), packed_size = 0;
    unsigned char *packed = malloc(room);
    lzma_options_lzma lzma;
    must(!lzma_lzma_preset(&lzma, 3), "preset");
    lzma.lc = 2;
    lzma.lp = 1;
    lzma.pb = 1;
    lzma.mf = LZMA_MF_BT2;
    lzma_filter chain[] = {{first, options}, {LZMA_FILTER_LZMA2, &lzma}, {LZMA_VLI_UNKNOWN, NULL}};
    must(lzma_stream_buffer_encode(chain, LZMA_CHECK_SHA256, NULL, data, size, packed, &packed_size, room) == LZMA_OK,
         "buffer_encode");
    unpack_and_report(what, kind, 3, packed, packed_size, data, size);
    free(packed);
}

static void alone(int kind, const unsigned char *data, size_t size) {
    /* This format cannot store what does not get smaller, so noise grows. */
    size_t room = size + size / 8 + 1000;
    unsigned char *packed = malloc(room);
    lzma_options_lzma lzma;
    must(!lzma_lzma_preset(&lzma, 1), "preset");
    lzma_stream stream = LZMA_STREAM_INIT;
    must(lzma_alone_encoder(&stream, &lzma) == LZMA_OK, "alone_encoder");
    size_t packed_size = pump(&stream, data, size, packed, room, 5000, 800);
    lzma_end(&stream);
    unpack_and_report("alone", kind, 1, packed, packed_size, data, size);
    free(packed);
}

static size_t pack(int level, const unsigned char *data, size_t size, unsigned char *result, size_t room) {
    size_t made = 0;
    must(lzma_easy_buffer_encode((uint32_t)level, LZMA_CHECK_CRC64, NULL, data, size, result, &made, room) == LZMA_OK,
         "easy_buffer_encode");
    return made;
}

static size_t unpack(int level, const unsigned char *data, size_t size, unsigned char *result, size_t room) {
    uint64_t memory_limit = UINT64_MAX;
    size_t used = 0, made = 0;
    must(lzma_stream_buffer_decode(&memory_limit, 0, NULL, data, &used, size, result, &made, room) == LZMA_OK,
         "buffer_decode");
    return made;
}

int main(int argc, char **argv) {
    if (one_way(argc, argv, pack, unpack)) return 0;
    size_t size = size_argument(argc, argv);
    lzma_options_delta delta;
    memset(&delta, 0, sizeof delta);
    delta.type = LZMA_DELTA_TYPE_BYTE;
    delta.dist = 16;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        unsigned char *data = generate(kind, size);
        printf("crc32 %08x crc64 %016llx\n", (unsigned)lzma_crc32(data, size, 0),
               (unsigned long long)lzma_crc64(data, size, 0));
        preset(kind, 0, LZMA_CHECK_NONE, data, size);
        preset(kind, 2, LZMA_CHECK_CRC32, data, size);
        preset(kind, 4, LZMA_CHECK_CRC64, data, size);
        preset(kind, 6, LZMA_CHECK_SHA256, data, size);
        preset(kind, 1 | LZMA_PRESET_EXTREME, LZMA_CHECK_CRC64, data, size);
        filters("delta", kind, LZMA_FILTER_DELTA, &delta, data, size);
        filters("x86", kind, LZMA_FILTER_X86, NULL, data, size);
        filters("sparc", kind, LZMA_FILTER_SPARC, NULL, data, size);
        alone(kind, data, size);
        free(data);
    }
    return 0;
}
