/* Round trips through zlib: one call, streams with small buffers, raw streams, and gzip files in memory. */
#include "generate.h"
#include "zlib.h"

static void one_call(int kind, int level, unsigned char *data, size_t size) {
    uLongf packed_size = compressBound((uLong)size), after_size = (uLongf)size;
    unsigned char *packed = malloc(packed_size), *after = malloc(size);
    must(compress2(packed, &packed_size, data, (uLong)size, level) == Z_OK, "compress2");
    must(uncompress(after, &after_size, packed, packed_size) == Z_OK, "uncompress");
    report("call", kind, level, packed, packed_size, data, size, after, after_size);
    free(packed);
    free(after);
}

/* `window_bits` chooses the format: negative raw, above 15 gzip. The buffers force many partial calls. */
static void stream(const char *what, int kind, int level, int window_bits, int strategy, unsigned char *data, size_t size) {
    size_t room = size + size / 8 + 1024, packed_size = 0, after_size = 0;
    unsigned char *packed = malloc(room), *after = malloc(room);
    z_stream z;
    memset(&z, 0, sizeof z);
    must(deflateInit2(&z, level, Z_DEFLATED, window_bits, 8, strategy) == Z_OK, "deflateInit2");
    z.next_in = data;
    int status = Z_OK;
    while (status != Z_STREAM_END) {
        size_t used = (size_t)(z.next_in - data);
        if (z.avail_in == 0) z.avail_in = (uInt)(size - used < 3001 ? size - used : 3001);
        z.next_out = packed + packed_size;
        z.avail_out = 777;
        status = deflate(&z, used + z.avail_in == size ? Z_FINISH : Z_NO_FLUSH);
        must(status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR, "deflate");
        packed_size = (size_t)(z.next_out - packed);
    }
    must(deflateEnd(&z) == Z_OK, "deflateEnd");

    memset(&z, 0, sizeof z);
    must(inflateInit2(&z, window_bits) == Z_OK, "inflateInit2");
    z.next_in = packed;
    status = Z_OK;
    while (status != Z_STREAM_END) {
        size_t used = (size_t)(z.next_in - packed);
        if (z.avail_in == 0) z.avail_in = (uInt)(packed_size - used < 501 ? packed_size - used : 501);
        z.next_out = after + after_size;
        z.avail_out = 1013;
        status = inflate(&z, Z_SYNC_FLUSH);
        must(status == Z_OK || status == Z_STREAM_END, "inflate");
        after_size = (size_t)(z.next_out - after);
    }
    must(inflateEnd(&z) == Z_OK, "inflateEnd");
    report(what, kind, level, packed, packed_size, data, size, after, after_size);
    free(packed);
    free(after);
}

/* What must be refused, and how. */
static void damaged(void) {
    unsigned char packed[200], after[400];
    uLongf packed_size = sizeof packed, after_size;
    unsigned char *data = generate(KIND_TEXT, 300);
    must(compress(packed, &packed_size, data, 300) == Z_OK, "compress");
    for (int at = 0; at < (int)packed_size; at += 13) {
        packed[at] ^= 0x55;
        after_size = sizeof after;
        printf("byte %d changed: %d\n", at, uncompress(after, &after_size, packed, packed_size));
        packed[at] ^= 0x55;
    }
    printf("%s\n", zError(Z_DATA_ERROR));
    free(data);
}

static size_t pack(int level, const unsigned char *data, size_t size, unsigned char *result, size_t room) {
    uLongf made = (uLongf)room;
    must(compress2(result, &made, data, (uLong)size, level) == Z_OK, "compress2");
    return made;
}

static size_t unpack(int level, const unsigned char *data, size_t size, unsigned char *result, size_t room) {
    uLongf made = (uLongf)room;
    must(uncompress(result, &made, data, (uLong)size) == Z_OK, "uncompress");
    return made;
}

int main(int argc, char **argv) {
    if (one_way(argc, argv, pack, unpack)) return 0;
    static const int levels[] = {0, 1, 4, 6, 9};
    size_t size = size_argument(argc, argv);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        unsigned char *data = generate(kind, size);
        printf("crc32 %08lx adler32 %08lx\n", crc32(0, data, (uInt)size), adler32(1, data, (uInt)size));
        for (int i = 0; i < 5; i++) one_call(kind, levels[i], data, size);
        stream("zlib", kind, 5, 15, Z_DEFAULT_STRATEGY, data, size);
        stream("raw", kind, 3, -12, Z_FILTERED, data, size);
        stream("gzip", kind, 7, 31, Z_RLE, data, size);
        stream("huffman", kind, 6, 15, Z_HUFFMAN_ONLY, data, size);
        stream("fixed", kind, 6, 15, Z_FIXED, data, size);
        free(data);
    }
    damaged();
    return 0;
}
