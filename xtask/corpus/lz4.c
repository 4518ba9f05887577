/* Round trips through lz4: fast blocks, the high-compression modes, dictionaries and frames. */
#include "generate.h"
#include "lz4.h"
#include "lz4frame.h"
#include "lz4hc.h"
#include "xxhash.h"

static void block(const char *what, int kind, int level, unsigned char *data, size_t size) {
    int room = LZ4_compressBound((int)size), packed_size;
    char *packed = malloc((size_t)room), *after = malloc(size);
    if (what[0] == 'h')
        packed_size = LZ4_compress_HC((char *)data, packed, (int)size, room, level);
    else
        packed_size = LZ4_compress_fast((char *)data, packed, (int)size, room, level);
    must(packed_size > 0, "compress");
    int after_size = LZ4_decompress_safe(packed, after, packed_size, (int)size);
    must(after_size >= 0, "decompress");
    report(what, kind, level, (unsigned char *)packed, (size_t)packed_size, data, size, (unsigned char *)after,
           (size_t)after_size);
    /* One byte of room too few must be refused. */
    must(LZ4_decompress_safe(packed, after, packed_size, (int)size - 1) < 0, "short buffer");
    free(packed);
    free(after);
}

/* Blocks that refer to earlier ones. */
static void chained(int kind, unsigned char *data, size_t size) {
    enum { STEP = 5000 };
    size_t packed_size = 0, after_size = 0;
    char *packed = malloc(size * 2 + 4096), *after = malloc(size);
    LZ4_stream_t *writer = LZ4_createStream();
    LZ4_streamDecode_t *reader = LZ4_createStreamDecode();
    for (size_t at = 0; at < size; at += STEP) {
        int step = (int)(size - at < STEP ? size - at : STEP);
        int made = LZ4_compress_fast_continue(writer, (char *)data + at, packed + packed_size, step,
                                              LZ4_compressBound(step), 2);
        must(made > 0, "compress_fast_continue");
        int back = LZ4_decompress_safe_continue(reader, packed + packed_size, after + after_size, made, step);
        must(back == step, "decompress_safe_continue");
        packed_size += (size_t)made;
        after_size += (size_t)back;
    }
    LZ4_freeStream(writer);
    LZ4_freeStreamDecode(reader);
    report("chained", kind, 2, (unsigned char *)packed, packed_size, data, size, (unsigned char *)after, after_size);
    free(packed);
    free(after);
}

static void frame(int kind, int level, unsigned char *data, size_t size) {
    LZ4F_preferences_t preferences;
    memset(&preferences, 0, sizeof preferences);
    preferences.compressionLevel = level;
    preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    preferences.frameInfo.blockMode = level & 1 ? LZ4F_blockLinked : LZ4F_blockIndependent;
    preferences.frameInfo.contentSize = size;
    size_t room = LZ4F_compressFrameBound(size, &preferences), after_size = 0, used = 0;
    unsigned char *packed = malloc(room), *after = malloc(size + 2000);
    size_t packed_size = LZ4F_compressFrame(packed, room, data, size, &preferences);
    must(!LZ4F_isError(packed_size), "compressFrame");
    LZ4F_dctx *context;
    must(!LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)), "context");
    size_t hint = 1;
    while (hint) {
        size_t in = packed_size - used < 700 ? packed_size - used : 700, out = 1500;
        hint = LZ4F_decompress(context, after + after_size, &out, packed + used, &in, NULL);
        must(!LZ4F_isError(hint), LZ4F_getErrorName(hint));
        used += in;
        after_size += out;
    }
    LZ4F_freeDecompressionContext(context);
    report("frame", kind, level, packed, packed_size, data, size, after, after_size);
    free(packed);
    free(after);
}

/* Levels from 3 on are those of the high-compression mode. */
static size_t pack(int level, const unsigned char *data, size_t size, unsigned char *result, size_t room) {
    int made = level < 3 ? LZ4_compress_default((char *)data, (char *)result, (int)size, (int)room)
                         : LZ4_compress_HC((char *)data, (char *)result, (int)size, (int)room, level);
    must(made > 0, "compress");
    return (size_t)made;
}

static size_t unpack(int level, const unsigned char *data, size_t size, unsigned char *result, size_t room) {
    int made = LZ4_decompress_safe((char *)data, (char *)result, (int)size, (int)room);
    must(made >= 0, "decompress");
    return (size_t)made;
}

int main(int argc, char **argv) {
    if (one_way(argc, argv, pack, unpack)) return 0;
    size_t size = size_argument(argc, argv);
    for (int repeat = 0; repeat < 3; repeat++) {
        for (int kind = 0; kind < KIND_COUNT; kind++) {
            unsigned char *data = generate(kind, size);
            printf("xxh32 %08x xxh64 %016llx\n", XXH32(data, size, 1), (unsigned long long)XXH64(data, size, 2));
            for (int level = 1; level < 40; level = level * 3 + 1) block("fast", kind, level, data, size);
            for (int level = 3; level <= 12; level += 3) block("hc", kind, level, data, size);
            chained(kind, data, size);
            for (int level = 0; level <= 9; level += 3) frame(kind, level, data, size);
            free(data);
        }
    }
    return 0;
}
