/* Takes noise out of made-up sound with the library's small neural network. */
#include "rnnoise.h"
#include "../generate.h"
#include <math.h>

int main(void) {
    enum { frame = 480 };
    static float sound[frame];
    DenoiseState *state = rnnoise_create(NULL);
    must(state != NULL, "the network");
    random_state = 7;
    for (int i = 0; i < 120; i++) {
        for (int j = 0; j < frame; j++) {
            double t = (double)(i * frame + j) / 48000;
            double voice = i / 20 % 2 ? 6000 * sin(900 * t) * sin(12 * t) + 2000 * sin(2700 * t) : 0;
            sound[j] = (float)(voice + (int)(random_next() % 2001) - 1000);
        }
        float speech = rnnoise_process_frame(state, sound, sound);
        double sum = 0;
        for (int j = 0; j < frame; j++) sum += fabs(sound[j]);
        printf("%d: %.5f %.3f %016llx\n", i, speech, sum,
               (unsigned long long)checksum((const unsigned char *)sound, sizeof(float) * (size_t)frame));
    }
    rnnoise_destroy(state);
    return 0;
}
