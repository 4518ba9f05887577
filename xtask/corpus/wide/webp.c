/* Encodes made-up pictures with and without loss, decodes them, and scales what comes out. */
#include "src/webp/decode.h"
#include "src/webp/encode.h"
#include "../generate.h"

enum { WIDTH = 157, HEIGHT = 91 };

static void fill(unsigned char *pixels) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            unsigned char *pixel = pixels + 4 * (y * WIDTH + x);
            pixel[0] = (unsigned char)(x * y / 40 + (random_next() & 7));
            pixel[1] = (unsigned char)((x - 70) * (x - 70) / 50 + y);
            pixel[2] = (unsigned char)(x / 16 * 40 ^ y / 16 * 24);
            pixel[3] = (unsigned char)(x < 100 ? 255 : 2 * y);
        }
}

static void decode(const unsigned char *packed, size_t size) {
    int width = 0, height = 0;
    unsigned char *whole = WebPDecodeRGBA(packed, size, &width, &height);
    must(whole != NULL, "decoding");
    printf("  %d x %d %016llx\n", width, height, (unsigned long long)checksum(whole, 4 * (size_t)width * height));
    WebPFree(whole);
    static const WEBP_CSP_MODE modes[] = {MODE_RGB, MODE_BGRA, MODE_ARGB, MODE_RGBA_4444, MODE_RGB_565, MODE_rgbA};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        WebPDecoderConfig config;
        must(WebPInitDecoderConfig(&config), "the decoder");
        config.options.use_scaling = 1;
        config.options.scaled_width = 60 + 40 * (int)i;
        config.options.scaled_height = 77;
        config.options.no_fancy_upsampling = i % 2;
        config.output.colorspace = modes[i];
        must(WebPDecode(packed, size, &config) == VP8_STATUS_OK, "decoding");
        const WebPRGBABuffer *made = &config.output.u.RGBA;
        printf("  mode %d %016llx\n", (int)modes[i], (unsigned long long)checksum(made->rgba, made->size));
        WebPFreeDecBuffer(&config.output);
    }
}

int main(void) {
    static unsigned char pixels[4 * WIDTH * HEIGHT];
    random_state = 99;
    fill(pixels);
    for (int method = 0; method <= 6; method += 2)
        for (int loss = 0; loss <= 2; loss++) {
            WebPConfig config;
            WebPPicture picture;
            WebPMemoryWriter writer;
            must(WebPConfigInit(&config) && WebPPictureInit(&picture), "the encoder");
            config.method = method;
            config.lossless = loss == 0;
            config.quality = loss == 1 ? 30 : 85;
            config.use_sharp_yuv = method == 4;
            config.alpha_quality = 60;
            picture.use_argb = loss == 0;
            picture.width = WIDTH;
            picture.height = HEIGHT;
            WebPMemoryWriterInit(&writer);
            picture.writer = WebPMemoryWrite;
            picture.custom_ptr = &writer;
            must(WebPPictureImportRGBA(&picture, pixels, 4 * WIDTH), "importing");
            must(WebPEncode(&config, &picture), "encoding");
            printf("method %d loss %d: %zu bytes %016llx\n", method, loss, writer.size,
                   (unsigned long long)checksum(writer.mem, writer.size));
            decode(writer.mem, writer.size);
            WebPMemoryWriterClear(&writer);
            WebPPictureFree(&picture);
        }
    return 0;
}
