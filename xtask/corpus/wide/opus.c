/* Encodes and decodes made-up sound in all modes of the codec. */
#include "opus.h"
#include "opus_multistream.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RATE = 48000, FRAMES = 25, MAX_PACKET = 4000 };

static uint64_t sum_of(const void *data, size_t size) {
    const unsigned char *bytes = data;
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

static void make_sound(opus_int16 *sound, int samples, int channels) {
    uint32_t noise = 12345;
    for (int i = 0; i < samples; i++) {
        for (int c = 0; c < channels; c++) {
            double t = (double)i / RATE, pitch = 110.0 * (1 + c) * (1 + i / (RATE / 8));
            noise = noise * 1664525 + 1013904223;
            double value = 9000 * sin(6.283185307179586 * pitch * t) + 3000 * sin(20 * pitch * t);
            if (i / 4800 % 3 == 2) value += (int)(noise >> 20) - 2048;
            sound[i * channels + c] = (opus_int16)value;
        }
    }
}

static int round_trip(int application, int channels, int bitrate, int frame, int complexity, int loss) {
    int error;
    OpusEncoder *encoder = opus_encoder_create(RATE, channels, application, &error);
    if (error != OPUS_OK) return 1;
    OpusDecoder *decoder = opus_decoder_create(RATE, channels, &error);
    if (error != OPUS_OK) return 1;
    opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bitrate));
    opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity));
    opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC(loss > 0));
    opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC(loss));
    opus_int16 *sound = malloc(sizeof *sound * FRAMES * frame * channels);
    opus_int16 *back = malloc(sizeof *back * frame * channels);
    unsigned char packet[MAX_PACKET];
    make_sound(sound, FRAMES * frame, channels);
    uint64_t packets = 0, samples = 0;
    int bytes = 0;
    for (int i = 0; i < FRAMES; i++) {
        int size = opus_encode(encoder, sound + i * frame * channels, frame, packet, MAX_PACKET);
        if (size < 0) return 1;
        bytes += size;
        packets = packets * 31 + sum_of(packet, (size_t)size);
        int lost = loss && i % 7 == 3;
        int got = opus_decode(decoder, lost ? NULL : packet, lost ? 0 : size, back, frame, 0);
        if (got != frame) return 1;
        samples = samples * 31 + sum_of(back, sizeof *back * (size_t)(frame * channels));
    }
    printf("mode %d, %d channels, %6d bit/s, frames of %4d, complexity %2d, loss %2d: %5d bytes %016llx %016llx\n",
           application, channels, bitrate, frame, complexity, loss, bytes, (unsigned long long)packets,
           (unsigned long long)samples);
    opus_encoder_destroy(encoder);
    opus_decoder_destroy(decoder);
    free(sound);
    free(back);
    return 0;
}

int main(void) {
    static const int applications[] = {OPUS_APPLICATION_VOIP, OPUS_APPLICATION_AUDIO,
                                       OPUS_APPLICATION_RESTRICTED_LOWDELAY};
    static const int bitrates[] = {8000, 24000, 64000, 160000};
    int failed = 0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 4; b++)
            failed += round_trip(applications[a], 1 + (a + b) % 2, bitrates[b], b == 2 ? 480 : 960, 3 * b + 1,
                                 b == 1 ? 15 : 0);
    failed += round_trip(OPUS_APPLICATION_AUDIO, 2, 96000, 2880, 10, 0);
    failed += round_trip(OPUS_APPLICATION_RESTRICTED_LOWDELAY, 2, 128000, 120, 5, 0);
    return failed != 0;
}
