/* Packs made-up sound at all levels, and unpacks it. */
#include "FLAC/stream_decoder.h"
#include "FLAC/stream_encoder.h"
#include "../generate.h"
#include <math.h>

enum { SAMPLES = 30000, ROOM = 1 << 20 };

static unsigned char packed[ROOM];
static size_t end, at;
static FLAC__int32 after[2 * SAMPLES];
static size_t got;

static FLAC__StreamEncoderWriteStatus write(const FLAC__StreamEncoder *encoder, const FLAC__byte bytes[], size_t size,
                                            uint32_t samples, uint32_t frame, void *data) {
    must(end + size <= ROOM, "room");
    memcpy(packed + end, bytes, size);
    end += size;
    return FLAC__STREAM_ENCODER_WRITE_STATUS_OK;
}

static FLAC__StreamDecoderReadStatus read(const FLAC__StreamDecoder *decoder, FLAC__byte bytes[], size_t *size,
                                          void *data) {
    if (*size > end - at) *size = end - at;
    if (*size == 0) return FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
    memcpy(bytes, packed + at, *size);
    at += *size;
    return FLAC__STREAM_DECODER_READ_STATUS_CONTINUE;
}

static FLAC__StreamDecoderWriteStatus store(const FLAC__StreamDecoder *decoder, const FLAC__Frame *frame,
                                            const FLAC__int32 *const buffer[], void *data) {
    for (uint32_t i = 0; i < frame->header.blocksize; i++)
        for (uint32_t c = 0; c < frame->header.channels; c++) after[got++] = buffer[c][i];
    return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
}

static void complain(const FLAC__StreamDecoder *decoder, FLAC__StreamDecoderErrorStatus status, void *data) {
    must(0, "decoding");
}

static void round_trip(const FLAC__int32 *sound, int bits, int level) {
    end = at = got = 0;
    FLAC__StreamEncoder *encoder = FLAC__stream_encoder_new();
    must(encoder != NULL, "the encoder");
    FLAC__stream_encoder_set_channels(encoder, 2);
    FLAC__stream_encoder_set_bits_per_sample(encoder, (uint32_t)bits);
    FLAC__stream_encoder_set_sample_rate(encoder, 44100);
    FLAC__stream_encoder_set_compression_level(encoder, (uint32_t)level);
    must(FLAC__stream_encoder_init_stream(encoder, write, NULL, NULL, NULL, NULL) == 0, "the stream");
    must(FLAC__stream_encoder_process_interleaved(encoder, sound, SAMPLES) && FLAC__stream_encoder_finish(encoder),
         "encoding");
    FLAC__stream_encoder_delete(encoder);
    FLAC__StreamDecoder *decoder = FLAC__stream_decoder_new();
    FLAC__stream_decoder_set_md5_checking(decoder, 1);
    must(FLAC__stream_decoder_init_stream(decoder, read, NULL, NULL, NULL, NULL, store, NULL, complain, NULL) == 0,
         "the decoder");
    must(FLAC__stream_decoder_process_until_end_of_stream(decoder) && FLAC__stream_decoder_finish(decoder), "unpacking");
    FLAC__stream_decoder_delete(decoder);
    printf("%d bits level %d: %zu bytes %016llx, %s\n", bits, level, end, (unsigned long long)checksum(packed, end),
           got == 2 * SAMPLES && memcmp(sound, after, sizeof after) == 0 ? "same" : "DIFFERENT");
}

int main(void) {
    static FLAC__int32 sound[2 * SAMPLES];
    for (int bits = 8; bits <= 24; bits += 8) {
        random_state = (uint64_t)bits;
        double most = (1 << (bits - 1)) * 0.7;
        for (int i = 0; i < SAMPLES; i++) {
            double t = i / 44100.0, noise = (random_next() % 2001 - 1000.0) / 30000;
            sound[2 * i] = (FLAC__int32)(most * (0.6 * sin(2764 * t) + 0.3 * sin(917 * t * (1 + t)) + noise));
            sound[2 * i + 1] = i / 5000 % 2 ? sound[2 * i] / 2 : (FLAC__int32)(most * sin(3000 * t * t));
        }
        for (int level = 0; level <= 8; level++) round_trip(sound, bits, level);
    }
    return 0;
}
