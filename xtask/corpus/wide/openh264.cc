// Encodes a short made-up film.
#include "codec_api.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static const int width = 176, height = 144;

static void must(bool holds, const char *what) {
    if (holds) return;
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

static unsigned long long checksum(const unsigned char *data, size_t size) {
    unsigned long long sum = 1;
    for (size_t i = 0; i < size; i++) sum = (sum ^ data[i]) * 0x100000001b3u;
    return sum;
}

static void draw(std::vector<unsigned char> &picture, int frame) {
    uint32_t noise = 77 + frame;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            noise = noise * 1664525 + 1013904223;
            int dx = x - 40 - 3 * frame, dy = y - 60 - frame;
            int ball = dx * dx + dy * dy < 500 ? 120 : 0;
            picture[y * width + x] = (unsigned char)((x / 12 ^ y / 9) * 9 % 100 + ball + (noise >> 29));
        }
    for (int i = 0; i < width * height / 4; i++) {
        picture[width * height + i] = (unsigned char)(100 + i % (width / 2) / 4 + frame);
        picture[width * height * 5 / 4 + i] = (unsigned char)(160 - i / width);
    }
}

static void film(RC_MODES control, int bitrate) {
    ISVCEncoder *encoder = nullptr;
    must(WelsCreateSVCEncoder(&encoder) == 0, "creating");
    int level = WELS_LOG_QUIET;
    encoder->SetOption(ENCODER_OPTION_TRACE_LEVEL, &level);
    SEncParamBase options;
    std::memset(&options, 0, sizeof options);
    options.iUsageType = CAMERA_VIDEO_REAL_TIME;
    options.iPicWidth = width, options.iPicHeight = height;
    options.iTargetBitrate = bitrate;
    options.iRCMode = control;
    options.fMaxFrameRate = 25;
    must(encoder->Initialize(&options) == 0, "the encoder");
    std::vector<unsigned char> picture(width * height * 3 / 2);
    for (int frame = 0; frame < 20; frame++) {
        draw(picture, frame);
        SSourcePicture source;
        std::memset(&source, 0, sizeof source);
        source.iPicWidth = width, source.iPicHeight = height;
        source.iColorFormat = videoFormatI420;
        source.iStride[0] = width, source.iStride[1] = source.iStride[2] = width / 2;
        source.pData[0] = picture.data();
        source.pData[1] = source.pData[0] + width * height;
        source.pData[2] = source.pData[1] + width * height / 4;
        source.uiTimeStamp = 40 * frame;
        SFrameBSInfo made;
        std::memset(&made, 0, sizeof made);
        must(encoder->EncodeFrame(&source, &made) == 0, "encoding");
        std::vector<unsigned char> packed;
        for (int layer = 0; layer < made.iLayerNum; layer++) {
            const SLayerBSInfo &info = made.sLayerInfo[layer];
            int size = 0;
            for (int i = 0; i < info.iNalCount; i++) size += info.pNalLengthInByte[i];
            packed.insert(packed.end(), info.pBsBuf, info.pBsBuf + size);
        }
        std::printf("%d %d: %zu bytes %016llx\n", int(control), frame, packed.size(),
                    checksum(packed.data(), packed.size()));
    }
    encoder->Uninitialize();
    WelsDestroySVCEncoder(encoder);
}

int main() {
    film(RC_OFF_MODE, 200000);
    film(RC_QUALITY_MODE, 90000);
}
