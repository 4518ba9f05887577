/* Test data for the compressors' drivers: the same bytes on every machine and for every compiler. */
#ifndef GENERATE_H
#define GENERATE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_TEXT, KIND_RUNS, KIND_TABLE, KIND_NOISE, KIND_COUNT };

static const char *const kind_names[KIND_COUNT] = {"text", "runs", "table", "noise"};

static uint64_t random_state;

/* Marsaglia's xorshift with 64 bits of state. */
static uint32_t random_next(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

/* Words of a small made-up language, frequent ones more often. */
static void fill_text(unsigned char *data, size_t size) {
    static const char *const syllables[] = {"ka", "lo", "mi", "ter", "en", "us", "sha", "ri", "on", "de", "vel", "a"};
    size_t at = 0;
    while (at < size) {
        uint32_t word = random_next() % (1 + random_next() % 500);
        do {
            const char *s = syllables[word % 12];
            while (*s && at < size) data[at++] = (unsigned char)*s++;
            word /= 12;
        } while (word);
        if (at < size) data[at++] = random_next() % 12 ? ' ' : '\n';
    }
}

/* Long runs of few values. */
static void fill_runs(unsigned char *data, size_t size) {
    size_t at = 0;
    while (at < size) {
        size_t length = 1 + random_next() % 300;
        unsigned char value = (unsigned char)(random_next() % 5 * 31);
        while (length-- && at < size) data[at++] = value;
    }
}

/* Records of 16 bytes with counters, small differences and doubles. */
static void fill_table(unsigned char *data, size_t size) {
    uint32_t counter = 1000;
    double level = 1.0;
    for (size_t at = 0; at < size; at += 16) {
        unsigned char record[16];
        counter += random_next() % 3;
        level += (double)(random_next() % 2001) / 1000.0 - 1.0;
        memcpy(record, &counter, 4);
        memset(record + 4, (int)(counter >> 4 & 15), 4);
        memcpy(record + 8, &level, 8);
        memcpy(data + at, record, size - at < 16 ? size - at : 16);
    }
}

static void fill_noise(unsigned char *data, size_t size) {
    for (size_t at = 0; at < size; at++) data[at] = (unsigned char)random_next();
}

/* Allocates `size` bytes of one kind. */
static unsigned char *generate(int kind, size_t size) {
    unsigned char *data = malloc(size ? size : 1);
    if (!data) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    random_state = 0x9e3779b97f4a7c15u + (uint64_t)kind;
    switch (kind) {
    case KIND_TEXT: fill_text(data, size); break;
    case KIND_RUNS: fill_runs(data, size); break;
    case KIND_TABLE: fill_table(data, size); break;
    default: fill_noise(data, size); break;
    }
    return data;
}

/* FNV-1a, 64 bits. */
static uint64_t checksum(const unsigned char *data, size_t size) {
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t at = 0; at < size; at++) sum = (sum ^ data[at]) * 0x100000001b3u;
    return sum;
}

/* One line per case; ends the program when the data did not survive. */
static void report(const char *what, int kind, int level, const unsigned char *packed, size_t packed_size,
                   const unsigned char *before, size_t before_size, const unsigned char *after, size_t after_size) {
    int same = before_size == after_size && memcmp(before, after, after_size) == 0;
    printf("%-8s %-5s level %2d: %zu -> %zu bytes, checksum %016llx, %s\n", what, kind_names[kind], level, before_size,
           packed_size, (unsigned long long)checksum(packed, packed_size), same ? "same" : "DIFFERENT");
    if (!same) exit(1);
}

/* The size argument, in units of 1,024 bytes. */
static size_t size_argument(int argc, char **argv) {
    long units = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    if (units <= 0) {
        fprintf(stderr, "usage: %s SIZE\n", argv[0]);
        exit(2);
    }
    /* Not a round number, so that the last block is a part of one. */
    return (size_t)units * 1024 + 7;
}

/* For library calls that must succeed. */
static void must(int condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "failed: %s\n", what);
        exit(1);
    }
}

/* Packs or unpacks `size` bytes and returns the size of the result, which is at most `room`. */
typedef size_t Conversion(int level, const unsigned char *data, size_t size, unsigned char *result, size_t room);

/* One way only, for measuring: `program SIZE compress|decompress LEVEL TIMES`. Equal parts of all kinds of data are
 * packed, or were packed once and are unpacked, so many times. Returns 0 when the arguments ask for something else. */
static int one_way(int argc, char **argv, Conversion *pack, Conversion *unpack) {
    if (argc < 5) return 0;
    int packs = strcmp(argv[2], "compress") == 0, level = atoi(argv[3]), times = atoi(argv[4]);
    size_t size = size_argument(argc, argv), part = size / KIND_COUNT, room = size + size / 8 + 4096;
    unsigned char *data = malloc(part * KIND_COUNT), *packed = malloc(room), *after = malloc(part * KIND_COUNT);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        unsigned char *one = generate(kind, part);
        memcpy(data + (size_t)kind * part, one, part);
        free(one);
    }
    size = part * KIND_COUNT;
    size_t packed_size = pack(level, data, size, packed, room);
    for (int i = packs ? 1 : 0; i < times; i++) {
        if (packs)
            packed_size = pack(level, data, size, packed, room);
        else
            must(unpack(level, packed, packed_size, after, size) == size, "unpack");
    }
    printf("%s level %d: %zu -> %zu bytes, checksum %016llx\n", argv[2], level, size, packed_size,
           (unsigned long long)(packs ? checksum(packed, packed_size) : checksum(after, size)));
    free(data);
    free(packed);
    free(after);
    return 1;
}

#endif
