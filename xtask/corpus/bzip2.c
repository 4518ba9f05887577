/* Round trips through bzip2: one call at several block sizes, and streams with small buffers. */
#include "bzlib.h"
#include "generate.h"

static void one_call(int kind, int level, int work_factor, unsigned char *data, size_t size) {
    unsigned packed_size = (unsigned)(size + size / 50 + 700), after_size = (unsigned)size;
    char *packed = malloc(packed_size), *after = malloc(size);
    must(BZ2_bzBuffToBuffCompress(packed, &packed_size, (char *)data, (unsigned)size, level, 0, work_factor) == BZ_OK,
         "compress");
    must(BZ2_bzBuffToBuffDecompress(after, &after_size, packed, packed_size, level & 1, 0) == BZ_OK, "decompress");
    report("call", kind, level, (unsigned char *)packed, packed_size, data, size, (unsigned char *)after, after_size);
    free(packed);
    free(after);
}

static void stream(int kind, unsigned char *data, size_t size) {
    size_t room = size + size / 50 + 4096, packed_size = 0, after_size = 0;
    unsigned char *packed = malloc(room), *after = malloc(size + 4096);
    bz_stream z;
    memset(&z, 0, sizeof z);
    must(BZ2_bzCompressInit(&z, 2, 0, 0) == BZ_OK, "BZ2_bzCompressInit");
    size_t used = 0;
    int status = BZ_RUN_OK;
    while (status != BZ_STREAM_END) {
        unsigned step = (unsigned)(size - used < 2500 ? size - used : 2500);
        z.next_in = (char *)data + used;
        z.avail_in = step;
        z.next_out = (char *)packed + packed_size;
        z.avail_out = 999;
        status = BZ2_bzCompress(&z, used + step == size ? BZ_FINISH : BZ_RUN);
        must(status > 0, "BZ2_bzCompress");
        used += step - z.avail_in;
        packed_size += 999 - z.avail_out;
    }
    must(BZ2_bzCompressEnd(&z) == BZ_OK, "BZ2_bzCompressEnd");

    memset(&z, 0, sizeof z);
    must(BZ2_bzDecompressInit(&z, 0, 0) == BZ_OK, "BZ2_bzDecompressInit");
    used = 0;
    status = BZ_OK;
    while (status != BZ_STREAM_END) {
        unsigned step = (unsigned)(packed_size - used < 300 ? packed_size - used : 300);
        z.next_in = (char *)packed + used;
        z.avail_in = step;
        z.next_out = (char *)after + after_size;
        z.avail_out = 1234;
        status = BZ2_bzDecompress(&z);
        must(status >= 0, "BZ2_bzDecompress");
        used += step - z.avail_in;
        after_size += 1234 - z.avail_out;
    }
    must(BZ2_bzDecompressEnd(&z) == BZ_OK, "BZ2_bzDecompressEnd");
    report("stream", kind, 2, packed, packed_size, data, size, after, after_size);
    free(packed);
    free(after);
}

/* What must be refused, and how. */
static void damaged(void) {
    char packed[800], after[400];
    unsigned packed_size = sizeof packed, after_size;
    unsigned char *data = generate(KIND_TEXT, 300);
    must(BZ2_bzBuffToBuffCompress(packed, &packed_size, (char *)data, 300, 1, 0, 0) == BZ_OK, "compress");
    for (unsigned at = 0; at < packed_size; at += 17) {
        packed[at] ^= 0x55;
        after_size = sizeof after;
        printf("byte %u changed: %d\n", at, BZ2_bzBuffToBuffDecompress(after, &after_size, packed, packed_size, 0, 0));
        packed[at] ^= 0x55;
    }
    free(data);
}

static size_t pack(int level, const unsigned char *data, size_t size, unsigned char *result, size_t room) {
    unsigned made = (unsigned)room;
    must(BZ2_bzBuffToBuffCompress((char *)result, &made, (char *)data, (unsigned)size, level, 0, 0) == BZ_OK, "compress");
    return made;
}

static size_t unpack(int level, const unsigned char *data, size_t size, unsigned char *result, size_t room) {
    unsigned made = (unsigned)room;
    must(BZ2_bzBuffToBuffDecompress((char *)result, &made, (char *)data, (unsigned)size, 0, 0) == BZ_OK, "decompress");
    return made;
}

int main(int argc, char **argv) {
    if (one_way(argc, argv, pack, unpack)) return 0;
    size_t size = size_argument(argc, argv);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        unsigned char *data = generate(kind, size);
        one_call(kind, 1, 0, data, size);
        one_call(kind, 4, 1, data, size);
        one_call(kind, 9, 250, data, size);
        stream(kind, data, size);
        free(data);
    }
    damaged();
    return 0;
}
