/* Keys, signatures of both kinds, recovery and shared secrets. */
#include "secp256k1.h"
#include "secp256k1_ecdh.h"
#include "secp256k1_extrakeys.h"
#include "secp256k1_preallocated.h"
#include "secp256k1_recovery.h"
#include "secp256k1_schnorrsig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The package renames all symbols, so that two versions can be linked. */
#define NAME(name) rustsecp256k1_v0_14_##name

static void print(const char *what, const unsigned char *bytes, size_t size) {
    printf("%-10s ", what);
    for (size_t i = 0; i < size; i++) printf("%02x", bytes[i]);
    putchar('\n');
}

static void must(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}

static void use_key(const NAME(context) *context, unsigned char number) {
    unsigned char secret[32], message[32], bytes[65];
    for (int i = 0; i < 32; i++) {
        secret[i] = (unsigned char)(i * 7 + number);
        message[i] = (unsigned char)(i * i + 3 * number);
    }
    NAME(pubkey) key, recovered;
    size_t size = 33;
    must(NAME(ec_pubkey_create)(context, &key, secret), "pubkey_create");
    NAME(ec_pubkey_serialize)(context, bytes, &size, &key, SECP256K1_EC_COMPRESSED);
    print("key", bytes, size);

    NAME(ecdsa_signature) signature;
    must(NAME(ecdsa_sign)(context, &signature, message, secret, NULL, NULL), "sign");
    NAME(ecdsa_signature_serialize_compact)(context, bytes, &signature);
    print("ecdsa", bytes, 64);
    must(NAME(ecdsa_verify)(context, &signature, message, &key), "verify");
    message[5] ^= 1;
    must(!NAME(ecdsa_verify)(context, &signature, message, &key), "verify another message");

    NAME(ecdsa_recoverable_signature) recoverable;
    int id;
    must(NAME(ecdsa_sign_recoverable)(context, &recoverable, message, secret, NULL, NULL), "sign_recoverable");
    NAME(ecdsa_recoverable_signature_serialize_compact)(context, bytes, &id, &recoverable);
    must(NAME(ecdsa_recover)(context, &recovered, &recoverable, message), "recover");
    must(NAME(ec_pubkey_cmp)(context, &key, &recovered) == 0, "the recovered key");
    printf("recovery   %d\n", id);

    NAME(keypair) pair;
    NAME(xonly_pubkey) short_key;
    must(NAME(keypair_create)(context, &pair, secret), "keypair_create");
    must(NAME(keypair_xonly_pub)(context, &short_key, NULL, &pair), "xonly_pub");
    must(NAME(schnorrsig_sign32)(context, bytes, message, &pair, NULL), "schnorrsig_sign32");
    print("schnorr", bytes, 64);
    must(NAME(schnorrsig_verify)(context, bytes, message, 32, &short_key), "schnorrsig_verify");

    unsigned char other[32] = {1, 2, 3, number};
    must(NAME(ecdh)(context, bytes, &key, other, NULL, NULL), "ecdh");
    print("ecdh", bytes, 32);
    must(NAME(ec_pubkey_tweak_mul)(context, &key, other), "tweak_mul");
    size = 65;
    NAME(ec_pubkey_serialize)(context, bytes, &size, &key, SECP256K1_EC_UNCOMPRESSED);
    print("tweaked", bytes, size);
}

int main(void) {
    NAME(context) *context =
        malloc(NAME(context_preallocated_size)(SECP256K1_CONTEXT_NONE));
    must(context != NULL, "malloc");
    context = NAME(context_preallocated_create)(context, SECP256K1_CONTEXT_NONE);
    unsigned char seed[32] = {42};
    must(NAME(context_randomize)(context, seed), "randomize");
    for (unsigned char number = 1; number < 8; number++) use_key(context, number);
    unsigned char zero[32] = {0};
    printf("zero is %s key\n", NAME(ec_seckey_verify)(context, zero) ? "a" : "no");
    NAME(context_preallocated_destroy)(context);
    free(context);
    return 0;
}
