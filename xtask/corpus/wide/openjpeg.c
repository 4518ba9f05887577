/* Packs made-up pictures as JPEG 2000, with and without loss, and unpacks them. */
#include "openjpeg.h"
#include "../generate.h"

enum { WIDTH = 133, HEIGHT = 87, ROOM = 1 << 20 };

struct memory {
    unsigned char bytes[ROOM];
    size_t at, end;
};

static OPJ_SIZE_T take(void *to, OPJ_SIZE_T size, void *data) {
    struct memory *memory = data;
    size_t left = memory->end - memory->at;
    if (left == 0) return (OPJ_SIZE_T)-1;
    if (size > left) size = left;
    memcpy(to, memory->bytes + memory->at, size);
    memory->at += size;
    return size;
}

static OPJ_SIZE_T put(void *from, OPJ_SIZE_T size, void *data) {
    struct memory *memory = data;
    must(memory->at + size <= ROOM, "room");
    memcpy(memory->bytes + memory->at, from, size);
    memory->at += size;
    if (memory->at > memory->end) memory->end = memory->at;
    return size;
}

static OPJ_BOOL seek(OPJ_OFF_T place, void *data) {
    ((struct memory *)data)->at = (size_t)place;
    return OPJ_TRUE;
}

static OPJ_OFF_T skip(OPJ_OFF_T size, void *data) {
    ((struct memory *)data)->at += (size_t)size;
    return size;
}

static opj_stream_t *stream_of(struct memory *memory, OPJ_BOOL reads) {
    opj_stream_t *stream = opj_stream_create(4096, reads);
    memory->at = 0;
    opj_stream_set_read_function(stream, take);
    opj_stream_set_write_function(stream, put);
    opj_stream_set_seek_function(stream, seek);
    opj_stream_set_skip_function(stream, skip);
    opj_stream_set_user_data(stream, memory, NULL);
    opj_stream_set_user_data_length(stream, memory->end);
    return stream;
}

static opj_image_t *picture(void) {
    opj_image_cmptparm_t parts[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        parts[i].dx = parts[i].dy = 1;
        parts[i].w = WIDTH, parts[i].h = HEIGHT;
        parts[i].prec = 8;
    }
    opj_image_t *image = opj_image_create(3, parts, OPJ_CLRSPC_SRGB);
    must(image != NULL, "the picture");
    image->x1 = WIDTH, image->y1 = HEIGHT;
    random_state = 5;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int at = y * WIDTH + x;
            image->comps[0].data[at] = (x * y / 30 + (int)(random_next() & 7)) & 255;
            image->comps[1].data[at] = ((x - 60) * (x - 60) / 40 + y) & 255;
            image->comps[2].data[at] = (x / 16 * 40 ^ y / 16 * 24) & 255;
        }
    return image;
}

static void round_trip(int lossy, int levels, OPJ_CODEC_FORMAT format) {
    static struct memory memory;
    memory.end = 0;
    opj_cparameters_t options;
    opj_set_default_encoder_parameters(&options);
    options.tcp_numlayers = 1;
    options.cp_disto_alloc = 1;
    options.tcp_rates[0] = lossy ? 12 : 0;
    options.irreversible = lossy;
    options.numresolution = levels;
    options.tcp_mct = 1;
    opj_image_t *image = picture();
    opj_codec_t *encoder = opj_create_compress(format);
    opj_stream_t *stream = stream_of(&memory, OPJ_FALSE);
    must(opj_setup_encoder(encoder, &options, image), "setting up");
    must(opj_start_compress(encoder, image, stream) && opj_encode(encoder, stream), "packing");
    must(opj_end_compress(encoder, stream), "ending");
    opj_stream_destroy(stream);
    opj_destroy_codec(encoder);
    opj_image_destroy(image);
    printf("lossy %d levels %d: %zu bytes %016llx", lossy, levels, memory.end,
           (unsigned long long)checksum(memory.bytes, memory.end));

    opj_dparameters_t wishes;
    opj_set_default_decoder_parameters(&wishes);
    opj_codec_t *decoder = opj_create_decompress(format);
    stream = stream_of(&memory, OPJ_TRUE);
    must(opj_setup_decoder(decoder, &wishes) && opj_read_header(stream, decoder, &image), "the header");
    must(opj_decode(decoder, stream, image), "unpacking");
    for (int i = 0; i < 3; i++)
        printf(" %016llx", (unsigned long long)checksum((const unsigned char *)image->comps[i].data,
                                                        4 * (size_t)WIDTH * HEIGHT));
    printf("\n");
    opj_stream_destroy(stream);
    opj_destroy_codec(decoder);
    opj_image_destroy(image);
}

int main(void) {
    for (int lossy = 0; lossy < 2; lossy++)
        for (int levels = 1; levels <= 6; levels++) round_trip(lossy, levels, levels % 2 ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    return 0;
}
