/* SHA-1's compression function (FIPS 180-4, section 6.1.2), of one message and of many at once.

   Inside a message each of the 80 rounds waits for the one before it. Messages side by side, one in
   each element of a vector, do not wait for each other (Gueron and Krasnov, "Simultaneous hashing
   of multiple messages", 2012). Measured on one core of a Xeon of 2023 (Sapphire Rapids), GB/s:

       plain C 0.8    SHA instructions 1.7    8 lanes of AVX2 3.0    16 lanes of AVX-512 7.1

   OpenSSL has 1.7 there, and two messages through the SHA instructions alternately no more than that.

   Each kernel is compiled for its own instructions by an attribute, whatever the rest is compiled
   for, and chosen when the program runs. All take whole blocks of 64 bytes. */

#ifndef FASTIO_SHA1_H
#define FASTIO_SHA1_H

#include <stdint.h>
#include <string.h>

#define SHA1_LANES 16 /* of the widest kernel */

typedef struct {
    const char *name;
    int lanes; /* 1: there is no `many` */
    void (*one)(uint32_t state[5], const unsigned char *data, int64_t blocks);
    /* Word i of lane k's state is states[i][k]; lane k's blocks begin at data[k]. */
    void (*many)(uint32_t states[5][SHA1_LANES], const unsigned char **data, int64_t blocks);
} Sha1Kernel;

/* The rounds, with the operations left open: they are macros of the kernel that says SHA1_ROUNDS.
   The schedule's words overwrite the block's; instead of moving a to e, rounds rename them. */
#define SHA1_ROUND(i, a, b, c, d, e, MIX, K)                                                 \
    if ((i) >= 16)                                                                           \
        w[(i) & 15] = ROL(XOR(XOR3(w[((i) + 13) & 15], w[((i) + 8) & 15], w[((i) + 2) & 15]), \
                              w[(i) & 15]), 1);                                              \
    e = ADD(ADD(e, ROL(a, 5)), ADD(MIX(b, c, d), ADD(w[(i) & 15], K)));                       \
    b = ROL(b, 30);
#define SHA1_ROUNDS_5(i, MIX, K)           \
    SHA1_ROUND(i, a, b, c, d, e, MIX, K)     \
    SHA1_ROUND(i + 1, e, a, b, c, d, MIX, K) \
    SHA1_ROUND(i + 2, d, e, a, b, c, MIX, K) \
    SHA1_ROUND(i + 3, c, d, e, a, b, MIX, K) \
    SHA1_ROUND(i + 4, b, c, d, e, a, MIX, K)
#define SHA1_ROUNDS_20(i, MIX, K) \
    SHA1_ROUNDS_5(i, MIX, K)      \
    SHA1_ROUNDS_5(i + 5, MIX, K)  \
    SHA1_ROUNDS_5(i + 10, MIX, K) \
    SHA1_ROUNDS_5(i + 15, MIX, K)
#define SHA1_ROUNDS                              \
    SHA1_ROUNDS_20(0, CHOOSE, EACH(0x5A827999))  \
    SHA1_ROUNDS_20(20, XOR3, EACH(0x6ED9EBA1))   \
    SHA1_ROUNDS_20(40, MAJORITY, EACH(0x8F1BBCDC)) \
    SHA1_ROUNDS_20(60, XOR3, EACH(0xCA62C1D6))

#define EACH(x) x##u
#define ADD(x, y) ((x) + (y))
#define XOR(x, y) ((x) ^ (y))
#define XOR3(x, y, z) ((x) ^ (y) ^ (z))
#define CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
#define ROL(x, n) ((x) << (n) | (x) >> (32 - (n)))

static void sha1_plain(uint32_t state[5], const unsigned char *data, int64_t blocks)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], w[16];
    for (; blocks; blocks--, data += 64) {
        for (int i = 0; i < 16; i++)
            w[i] = (uint32_t)data[4 * i] << 24 | data[4 * i + 1] << 16 | data[4 * i + 2] << 8
                 | data[4 * i + 3];
        SHA1_ROUNDS
        a = state[0] += a;
        b = state[1] += b;
        c = state[2] += c;
        d = state[3] += d;
        e = state[4] += e;
    }
}

#undef EACH
#undef ADD
#undef XOR
#undef XOR3
#undef CHOOSE
#undef MAJORITY
#undef ROL

#ifdef __x86_64__

#include <cpuid.h>
#include <immintrin.h>

/* Four rounds are one instruction. It takes the four words of the schedule with e added to the
   first; the next e is the a of four rounds ago, rotated, which sha1nexte adds to the next words. */
#define FOUR_ROUNDS(i, part)                                                                  \
    if ((i) >= 4)                                                                             \
        w[(i) & 3] = _mm_sha1msg2_epu32(                                                      \
            _mm_xor_si128(_mm_sha1msg1_epu32(w[(i) & 3], w[((i) + 1) & 3]), w[((i) + 2) & 3]), \
            w[((i) + 3) & 3]);                                                                \
    e = (i) ? _mm_sha1nexte_epu32(before, w[(i) & 3]) : _mm_add_epi32(e, w[0]);               \
    before = abcd;                                                                            \
    abcd = _mm_sha1rnds4_epu32(abcd, e, part);
#define TWENTY_ROUNDS(i, part) \
    FOUR_ROUNDS(i, part)       \
    FOUR_ROUNDS(i + 1, part)   \
    FOUR_ROUNDS(i + 2, part)   \
    FOUR_ROUNDS(i + 3, part)   \
    FOUR_ROUNDS(i + 4, part)

__attribute__((target("sha,sse4.1")))
static void sha1_ni(uint32_t state[5], const unsigned char *data, int64_t blocks)
{
    /* The instructions want the first word highest. */
    const __m128i turned = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0x1B);
    __m128i e = _mm_set_epi32((int)state[4], 0, 0, 0);
    for (; blocks; blocks--, data += 64) {
        __m128i w[4], first = abcd, first_e = e, before = abcd;
        for (int i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)data + i), turned);
        TWENTY_ROUNDS(0, 0)
        TWENTY_ROUNDS(5, 1)
        TWENTY_ROUNDS(10, 2)
        TWENTY_ROUNDS(15, 3)
        e = _mm_sha1nexte_epu32(before, first_e);
        abcd = _mm_add_epi32(abcd, first);
    }
    _mm_storeu_si128((__m128i *)state, _mm_shuffle_epi32(abcd, 0x1B));
    state[4] = (uint32_t)_mm_extract_epi32(e, 3);
}

#undef FOUR_ROUNDS
#undef TWENTY_ROUNDS

#define MANY sha1_avx2
#define TARGET "avx2"
#define VECTOR __m256i
#define OF(operation) _mm256_##operation
#define SAME_IN_ALL(x) _mm256_broadcastsi128_si256(x)
#define PART(k) _mm_loadu_si128((const __m128i *)(data[k] + at) + i)
#define PARTS(k) \
    _mm256_inserti128_si256(_mm256_castsi128_si256(PART(k)), PART(k + 4), 1)
#define XOR3(x, y, z) ((x) ^ (y) ^ (z))
#define CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
#define ROL(x, n) (_mm256_slli_epi32(x, n) | _mm256_srli_epi32(x, 32 - (n)))
#include "_sha1_lanes.h"

#define MANY sha1_avx512
#define TARGET "avx512f,avx512bw"
#define VECTOR __m512i
#define OF(operation) _mm512_##operation
#define SAME_IN_ALL(x) _mm512_broadcast_i32x4(x)
#define PART(k) _mm_loadu_si128((const __m128i *)(data[k] + at) + i)
#define WITH(parts, k, n) _mm512_inserti32x4(parts, PART(k), n)
#define PARTS(k) \
    WITH(WITH(WITH(_mm512_castsi128_si512(PART(k)), k + 4, 1), k + 8, 2), k + 12, 3)
/* One instruction for any function of three bits; the number is its table. */
#define XOR3(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0x96)
#define CHOOSE(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xCA)
#define MAJORITY(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xE8)
#define ROL(x, n) _mm512_rol_epi32(x, n)
#include "_sha1_lanes.h"
#undef WITH

static int sha1_has_instructions(void)
{
    unsigned int eax, ebx, ecx, edx;
    /* Not __builtin_cpu_supports: older compilers do not know its "sha". */
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_SHA)
        && __builtin_cpu_supports("sse4.1");
}

#endif

/* Fill in the kernels that this processor can run, slowest first; return how many. */
static int sha1_kernels(Sha1Kernel kernels[4])
{
    int count = 0;
    kernels[count++] = (Sha1Kernel){"plain", 1, sha1_plain, NULL};
#ifdef __x86_64__
    __builtin_cpu_init();
    if (sha1_has_instructions())
        kernels[count++] = (Sha1Kernel){"sha", 1, sha1_ni, NULL};
    void (*one)(uint32_t *, const unsigned char *, int64_t) = kernels[count - 1].one;
    if (__builtin_cpu_supports("avx2"))
        kernels[count++] = (Sha1Kernel){"avx2", 8, one, sha1_avx2};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        kernels[count++] = (Sha1Kernel){"avx512", 16, one, sha1_avx512};
#endif
    return count;
}

#endif
