/* Hashes, ciphers, big numbers and keys of every kind. The library's random numbers are those that it has for fuzzers, so
 * that keys and signatures are the same in each run. */
#include <openssl/aead.h>
#include <openssl/aes.h>
#include <openssl/base64.h>
#include <openssl/bio.h>
#include <openssl/blake2.h>
#include <openssl/bn.h>
#include <openssl/bytestring.h>
#include <openssl/cipher.h>
#include <openssl/cmac.h>
#include <openssl/curve25519.h>
#include <openssl/digest.h>
#include <openssl/ec_key.h>
#include <openssl/ecdh.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hkdf.h>
#include <openssl/hmac.h>
#include <openssl/hrss.h>
#include <openssl/mem.h>
#include <openssl/nid.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/siphash.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* What all of it is done to. */
static uint8_t text[5000];

static void print(const char *what, const uint8_t *bytes, size_t size) {
    printf("%-24s ", what);
    for (size_t i = 0; i < size; i++) printf("%02x", bytes[i]);
    putchar('\n');
}

/* Prints long results by their hashes. */
static void print_hash(const char *what, const uint8_t *bytes, size_t size) {
    uint8_t hash[SHA256_DIGEST_LENGTH];
    SHA256(bytes, size, hash);
    printf("%6zu ", size);
    print(what, hash, sizeof hash);
}

static void must(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "failed: %s\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

static void hashes(void) {
    const EVP_MD *digests[] = {EVP_md4(),        EVP_md5(),      EVP_sha1(),     EVP_sha224(),   EVP_sha256(),
                               EVP_sha384(),     EVP_sha512(),   EVP_sha512_256(), EVP_sha3_224(), EVP_sha3_256(),
                               EVP_sha3_384(),   EVP_sha3_512(), EVP_ripemd160(), EVP_blake2b256(), EVP_md5_sha1()};
    uint8_t out[EVP_MAX_MD_SIZE];
    unsigned size;
    for (size_t i = 0; i < LENGTH(digests); i++) {
        const char *name = OBJ_nid2sn(EVP_MD_type(digests[i]));
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        must(EVP_DigestInit_ex(context, digests[i], NULL), name);
        /* In pieces that do not fit into blocks. */
        for (size_t at = 0, step = 1; at < sizeof text; at += step, step = step * 3 % 211 + 1)
            EVP_DigestUpdate(context, text + at, step < sizeof text - at ? step : sizeof text - at);
        must(EVP_DigestFinal_ex(context, out, &size), name);
        EVP_MD_CTX_free(context);
        print(name ? name : "no name", out, size);
        if (HMAC(digests[i], text, 40, text + 100, 1000, out, &size)) print("  HMAC", out, size);
        else ERR_clear_error();
    }
    uint8_t key[64];
    must(HKDF(key, sizeof key, EVP_sha256(), text, 32, text + 50, 16, text + 90, 10), "HKDF");
    print("HKDF", key, sizeof key);
    must(PKCS5_PBKDF2_HMAC("password", 8, text, 16, 50, EVP_sha512(), sizeof key, key), "PBKDF2");
    print("PBKDF2", key, sizeof key);
    must(EVP_PBE_scrypt("password", 8, text, 16, 64, 8, 2, 0, key, sizeof key), "scrypt");
    print("scrypt", key, sizeof key);
    must(AES_CMAC(key, text, 16, text, 1001), "CMAC");
    print("CMAC", key, 16);
    const uint64_t words[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
    printf("%-24s %016llx\n", "SipHash", (unsigned long long)SIPHASH_24(words, text, 77));
}

static void authenticated(const char *name, const EVP_AEAD *aead) {
    static uint8_t sealed[sizeof text + EVP_AEAD_MAX_OVERHEAD], opened[sizeof text];
    static const size_t sizes[] = {0, 1, 15, 16, 17, 64, 255, 256, 1023, 4999};
    EVP_AEAD_CTX *context = EVP_AEAD_CTX_new(aead, text + 7, EVP_AEAD_key_length(aead), EVP_AEAD_DEFAULT_TAG_LENGTH);
    must(context != NULL, name);
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        size_t size, back, nonce = EVP_AEAD_nonce_length(aead);
        must(EVP_AEAD_CTX_seal(context, sealed, &size, sizeof sealed, text + i, nonce, text, sizes[i], text + 99, 3 * i),
             name);
        print_hash(name, sealed, size);
        must(EVP_AEAD_CTX_open(context, opened, &back, sizeof opened, text + i, nonce, sealed, size, text + 99, 3 * i),
             "open");
        must(back == sizes[i] && memcmp(opened, text, back) == 0, "the text that comes back");
        sealed[size / 2] ^= 4;
        must(!EVP_AEAD_CTX_open(context, opened, &back, sizeof opened, text + i, nonce, sealed, size, text + 99, 3 * i),
             "reject");
        ERR_clear_error();
    }
    EVP_AEAD_CTX_free(context);
}

static void cipher(const char *name, const EVP_CIPHER *kind) {
    static uint8_t out[sizeof text + 64], back[sizeof text + 64];
    int size, more;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    must(EVP_EncryptInit_ex(context, kind, NULL, text + 3, text + 40), name);
    must(EVP_EncryptUpdate(context, out, &size, text, 333), name);
    must(EVP_EncryptUpdate(context, out + size, &more, text + 333, 1267), name);
    size += more;
    must(EVP_EncryptFinal_ex(context, out + size, &more), name);
    size += more;
    print_hash(name, out, (size_t)size);
    must(EVP_DecryptInit_ex(context, kind, NULL, text + 3, text + 40), name);
    must(EVP_DecryptUpdate(context, back, &more, out, size), name);
    must(EVP_DecryptFinal_ex(context, back + more, &size), name);
    must(more + size == 1600 && memcmp(back, text, 1600) == 0, "the text that comes back");
    EVP_CIPHER_CTX_free(context);
}

static void ciphers(void) {
    authenticated("AES-128-GCM", EVP_aead_aes_128_gcm());
    authenticated("AES-256-GCM", EVP_aead_aes_256_gcm());
    authenticated("AES-256-GCM-SIV", EVP_aead_aes_256_gcm_siv());
    authenticated("AES-128-CCM", EVP_aead_aes_128_ccm_bluetooth());
    authenticated("AES-128-CTR-HMAC", EVP_aead_aes_128_ctr_hmac_sha256());
    authenticated("ChaCha20-Poly1305", EVP_aead_chacha20_poly1305());
    authenticated("XChaCha20-Poly1305", EVP_aead_xchacha20_poly1305());
    cipher("AES-128-CBC", EVP_aes_128_cbc());
    cipher("AES-192-CTR", EVP_aes_192_ctr());
    cipher("AES-256-OFB", EVP_aes_256_ofb());
    cipher("AES-256-CFB", EVP_aes_256_cfb128());
    cipher("DES-EDE3-CBC", EVP_des_ede3_cbc());
    cipher("RC4", EVP_rc4());
    cipher("BF-CBC", EVP_bf_cbc());
    cipher("CAST5-CBC", EVP_cast5_cbc());
    AES_KEY key;
    uint8_t out[72];
    must(AES_set_encrypt_key(text, 256, &key) == 0 && AES_wrap_key(&key, NULL, out, text + 9, 64) == 72, "wrap");
    print("AES key wrap", out, sizeof out);
}

static void print_number(const char *what, const BIGNUM *number) {
    char *digits = BN_bn2dec(number);
    must(digits != NULL, what);
    printf("%-24s %s\n", what, digits);
    OPENSSL_free(digits);
}

static void numbers(void) {
    BN_CTX *context = BN_CTX_new();
    BIGNUM *a = BN_bin2bn(text + 11, 150, NULL), *b = BN_bin2bn(text + 200, 67, NULL), *prime = BN_new();
    BIGNUM *result = BN_new(), *rest = BN_new();
    must(BN_mul(result, a, b, context), "mul");
    print_number("product", result);
    must(BN_sqr(result, a, context), "sqr");
    print_number("square", result);
    must(BN_div(result, rest, a, b, context), "div");
    print_number("quotient", result);
    print_number("remainder", rest);
    must(BN_gcd(result, a, b, context), "gcd");
    print_number("gcd", result);
    must(BN_generate_prime_ex(prime, 256, 0, NULL, NULL, NULL), "generate_prime");
    print_number("prime", prime);
    must(BN_is_prime_ex(prime, BN_prime_checks, context, NULL) == 1, "is_prime");
    must(BN_mod_exp(result, b, a, prime, context), "mod_exp");
    print_number("power", result);
    must(BN_mod_inverse(rest, result, prime, context) != NULL, "mod_inverse");
    print_number("inverse", rest);
    must(BN_mod_mul(rest, rest, result, prime, context) && BN_is_one(rest), "the product with the inverse");
    must(BN_mod_sqr(rest, b, prime, context) && BN_mod_sqrt(result, rest, prime, context) != NULL, "mod_sqrt");
    must(BN_mod_sqr(result, result, prime, context) && BN_cmp(result, rest) == 0, "the square of the root");
    must(BN_sqrt(result, a, context) || ERR_GET_REASON(ERR_get_error()) == BN_R_NOT_A_SQUARE, "sqrt");
    ERR_clear_error();
    for (int shift = 0; shift < 200; shift += 63) {
        must(BN_lshift(result, a, shift) && BN_rshift(rest, result, 2 * shift) && BN_sub(result, rest, b), "shift");
        print_number("shifted", result);
    }
    BN_free(a), BN_free(b), BN_free(prime), BN_free(result), BN_free(rest), BN_CTX_free(context);
}

/* A signature by the key, and what it is as text, with its password and without. */
static void use_key(const char *name, EVP_PKEY *key, const EVP_MD *digest, int padding) {
    static uint8_t signature[8192];
    size_t size = sizeof signature;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *options;
    must(EVP_DigestSignInit(context, &options, digest, NULL, key), name);
    if (padding) must(EVP_PKEY_CTX_set_rsa_padding(options, padding), "padding");
    must(EVP_DigestSign(context, signature, &size, text, 3000), name);
    print_hash(name, signature, size);
    EVP_MD_CTX_free(context);

    for (int damage = 0; damage < 2; damage++) {
        context = EVP_MD_CTX_new();
        must(EVP_DigestVerifyInit(context, &options, digest, NULL, key), name);
        if (padding) must(EVP_PKEY_CTX_set_rsa_padding(options, padding), "padding");
        must(EVP_DigestVerify(context, signature, size, text, (size_t)(3000 + damage)) == !damage, "verify");
        EVP_MD_CTX_free(context);
        ERR_clear_error();
    }

    BIO *out = BIO_new(BIO_s_mem());
    char password[] = "password";
    const uint8_t *bytes;
    must(PEM_write_bio_PKCS8PrivateKey(out, key, NULL, NULL, 0, NULL, NULL) && PEM_write_bio_PUBKEY(out, key) &&
             PEM_write_bio_PKCS8PrivateKey(out, key, EVP_aes_256_cbc(), password, 8, NULL, NULL),
         "PEM");
    must(BIO_mem_contents(out, &bytes, &size), "BIO");
    print_hash("  PEM", bytes, size);
    EVP_PKEY *clear = PEM_read_bio_PrivateKey(out, NULL, NULL, NULL), *public = PEM_read_bio_PUBKEY(out, NULL, NULL, NULL);
    EVP_PKEY *hidden = PEM_read_bio_PrivateKey(out, NULL, NULL, password);
    must(clear && public && hidden, "PEM that is read");
    must(EVP_PKEY_cmp(clear, key) == 1 && EVP_PKEY_cmp(public, key) == 1 && EVP_PKEY_cmp(hidden, key) == 1, "the same key");
    EVP_PKEY_free(clear), EVP_PKEY_free(public), EVP_PKEY_free(hidden), BIO_free(out);
}

static EVP_PKEY *make_key(int kind, int (*set)(EVP_PKEY_CTX *, int), int option) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(kind, NULL);
    must(context && EVP_PKEY_keygen_init(context), "keygen_init");
    if (set) must(set(context, option), "keygen option");
    must(EVP_PKEY_keygen(context, &key), "keygen");
    EVP_PKEY_CTX_free(context);
    return key;
}

/* A certificate that a key signs for itself, as people read it. */
static void certificate(EVP_PKEY *key) {
    X509 *made = X509_new();
    X509_NAME *name = X509_get_subject_name(made);
    must(X509_set_version(made, X509_VERSION_3) && ASN1_INTEGER_set_int64(X509_get_serialNumber(made), 123456789), "X509");
    must(ASN1_TIME_set_string_X509(X509_getm_notBefore(made), "20260101000000Z") &&
             ASN1_TIME_set_string_X509(X509_getm_notAfter(made), "20560101000000Z"),
         "times");
    must(X509_NAME_add_entry_by_txt(name, "C", MBSTRING_ASC, (const uint8_t *)"DE", -1, -1, 0) &&
             X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const uint8_t *)"K\xc3\xb6nig", -1, -1, 0),
         "name");
    must(X509_set_issuer_name(made, name) && X509_set_pubkey(made, key) && X509_sign(made, key, EVP_sha256()), "sign");
    must(X509_verify(made, key) == 1, "X509_verify");
    BIO *out = BIO_new(BIO_s_mem());
    const uint8_t *bytes;
    size_t size;
    must(X509_print(out, made) && PEM_write_bio_X509(out, made) && BIO_mem_contents(out, &bytes, &size), "X509_print");
    fwrite(bytes, 1, size, stdout);
    BIO_free(out), X509_free(made);
}

static void keys(void) {
    EVP_PKEY *rsa = make_key(EVP_PKEY_RSA, EVP_PKEY_CTX_set_rsa_keygen_bits, 2048);
    use_key("RSA-2048 PKCS1", rsa, EVP_sha256(), RSA_PKCS1_PADDING);
    use_key("RSA-2048 PSS", rsa, EVP_sha512(), RSA_PKCS1_PSS_PADDING);
    uint8_t sealed[256], opened[256];
    size_t size;
    must(RSA_encrypt(EVP_PKEY_get0_RSA(rsa), &size, sealed, sizeof sealed, text, 100, RSA_PKCS1_OAEP_PADDING), "OAEP");
    print_hash("RSA-2048 OAEP", sealed, size);
    must(RSA_decrypt(EVP_PKEY_get0_RSA(rsa), &size, opened, sizeof opened, sealed, size, RSA_PKCS1_OAEP_PADDING), "OAEP");
    must(size == 100 && memcmp(opened, text, 100) == 0, "the text that comes back");
    certificate(rsa);
    EVP_PKEY_free(rsa);

    static const int curves[] = {NID_secp224r1, NID_X9_62_prime256v1, NID_secp384r1, NID_secp521r1, NID_secp256k1};
    for (size_t i = 0; i < LENGTH(curves); i++) {
        EVP_PKEY *key = make_key(EVP_PKEY_EC, EVP_PKEY_CTX_set_ec_paramgen_curve_nid, curves[i]);
        EVP_PKEY *other = make_key(EVP_PKEY_EC, EVP_PKEY_CTX_set_ec_paramgen_curve_nid, curves[i]);
        use_key(OBJ_nid2sn(curves[i]), key, EVP_sha384(), 0);
        uint8_t secret[66];
        int length = ECDH_compute_key(secret, sizeof secret, EC_KEY_get0_public_key(EVP_PKEY_get0_EC_KEY(other)),
                                      EVP_PKEY_get0_EC_KEY(key), NULL);
        must(length > 0, "ECDH");
        print("  ECDH", secret, (size_t)length);
        if (curves[i] == NID_secp384r1) certificate(key);
        EVP_PKEY_free(key), EVP_PKEY_free(other);
    }

    EVP_PKEY *edwards = make_key(EVP_PKEY_ED25519, NULL, 0);
    use_key("Ed25519", edwards, NULL, 0);
    EVP_PKEY_free(edwards);
    uint8_t public[32], private[32], shared[32];
    X25519_keypair(public, private);
    private[3] ^= 1;
    must(X25519(shared, private, public), "X25519");
    print("X25519", shared, sizeof shared);
}

/* Keys that quantum computers do not break. */
static void lattices(void) {
    static const int signing[] = {NID_MLDSA44, NID_MLDSA65, NID_MLDSA87}, sharing[] = {NID_MLKEM512, NID_MLKEM768, NID_MLKEM1024};
    for (size_t i = 0; i < LENGTH(signing); i++) {
        EVP_PKEY *key = make_key(EVP_PKEY_PQDSA, EVP_PKEY_CTX_pqdsa_set_params, signing[i]);
        use_key(OBJ_nid2sn(signing[i]), key, NULL, 0);
        EVP_PKEY_free(key);
    }
    for (size_t i = 0; i < LENGTH(sharing); i++) {
        EVP_PKEY *key = make_key(EVP_PKEY_KEM, EVP_PKEY_CTX_kem_set_params, sharing[i]);
        EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
        uint8_t sealed[2000], secret[64], back[64];
        size_t size = sizeof sealed, length = sizeof secret, other = sizeof back;
        must(EVP_PKEY_encapsulate(context, sealed, &size, secret, &length), "encapsulate");
        print_hash(OBJ_nid2sn(sharing[i]), sealed, size);
        print("  secret", secret, length);
        must(EVP_PKEY_decapsulate(context, back, &other, sealed, size), "decapsulate");
        must(other == length && memcmp(back, secret, length) == 0, "the secret that comes back");
        EVP_PKEY_CTX_free(context), EVP_PKEY_free(key);
    }
    struct HRSS_public_key public;
    struct HRSS_private_key private;
    uint8_t sealed[HRSS_CIPHERTEXT_BYTES], secret[HRSS_KEY_BYTES], back[HRSS_KEY_BYTES];
    must(HRSS_generate_key(&public, &private, text) && HRSS_encap(sealed, secret, &public, text + 1500), "HRSS");
    print_hash("HRSS", sealed, sizeof sealed);
    must(HRSS_decap(back, &private, sealed, sizeof sealed) && memcmp(back, secret, sizeof secret) == 0, "HRSS_decap");
}

int main(void) {
    for (size_t i = 0; i < sizeof text; i++) text[i] = (uint8_t)(i * i * 7 + i * 13 + (i >> 8));
    uint8_t random[40];
    must(RAND_bytes(random, sizeof random), "RAND_bytes");
    print("random", random, sizeof random);
    hashes();
    ciphers();
    numbers();
    keys();
    lattices();
    uint8_t encoded[200];
    size_t size = EVP_EncodeBlock(encoded, text, 100);
    printf("%.*s\n", (int)size, (const char *)encoded);
    return 0;
}
