// Packs made-up pictures into texture blocks of several sizes, and unpacks them.
#include "astcenc.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static uint32_t random_state;

static uint32_t random_next() { return (random_state = random_state * 1664525 + 1013904223) >> 8; }

static unsigned long long checksum(const void *data, size_t size) {
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) sum = (sum ^ static_cast<const unsigned char *>(data)[i]) * 0x100000001b3u;
    return sum;
}

static void must_be_done(astcenc_error error, const char *what) {
    if (error == ASTCENC_SUCCESS) return;
    std::fprintf(stderr, "%s: %s\n", what, astcenc_get_error_string(error));
    std::exit(1);
}

static void round_trip(astcenc_profile profile, unsigned block, float quality) {
    const unsigned width = 61, height = 43;
    astcenc_config config;
    must_be_done(astcenc_config_init(profile, block, block, 1, quality, 0, &config), "configuring");
    astcenc_context *context = nullptr;
    must_be_done(astcenc_context_alloc(&config, 1, &context), "allocating");
    std::vector<float> pixels(4 * width * height), after(pixels.size());
    random_state = 11 + block;
    for (unsigned i = 0; i < width * height; i++) {
        unsigned x = i % width, y = i / width;
        pixels[4 * i] = float(x * y) / (width * height);
        pixels[4 * i + 1] = float((x / 8 ^ y / 8) % 8) / 7;
        pixels[4 * i + 2] = float(random_next() % 256) / 1024 + 0.25f;
        pixels[4 * i + 3] = x < 30 ? 1.0f : float(y) / height;
    }
    void *before[] = {pixels.data()}, *result[] = {after.data()};
    astcenc_image image = {width, height, 1, ASTCENC_TYPE_F32, before};
    astcenc_swizzle swizzle = {ASTCENC_SWZ_R, ASTCENC_SWZ_G, ASTCENC_SWZ_B, ASTCENC_SWZ_A};
    std::vector<uint8_t> packed((width + block - 1) / block * ((height + block - 1) / block) * 16);
    must_be_done(astcenc_compress_image(context, &image, &swizzle, packed.data(), packed.size(), 0), "packing");
    astcenc_image made = {width, height, 1, ASTCENC_TYPE_F32, result};
    must_be_done(astcenc_decompress_image(context, packed.data(), packed.size(), &made, &swizzle, 0), "unpacking");
    double error = 0;
    for (size_t i = 0; i < after.size(); i++) error += (after[i] - pixels[i]) * (after[i] - pixels[i]);
    std::printf("profile %d block %u quality %.0f: %zu bytes %016llx, %016llx, error %.6f\n", int(profile), block, quality,
                packed.size(), checksum(packed.data(), packed.size()),
                checksum(after.data(), 4 * after.size()), error);
    astcenc_context_free(context);
}

int main() {
    for (unsigned block : {4u, 5u, 6u, 8u}) {
        round_trip(ASTCENC_PRF_LDR, block, ASTCENC_PRE_FAST);
        round_trip(ASTCENC_PRF_LDR_SRGB, block, ASTCENC_PRE_MEDIUM);
        round_trip(ASTCENC_PRF_HDR, block, ASTCENC_PRE_FASTEST);
    }
}
