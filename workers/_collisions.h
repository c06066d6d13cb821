/* Blocks of SHA-1 that are half of a collision: found in one message, without the other one.

   All known attacks build near-collisions on one of a few dozen disturbance vectors, which tell how
   the message words of both halves differ. So a block is hashed once more for each vector with the
   words that its other half would have, from the middle, where the states of both are equal: back to
   the state that it would begin with, and on to its end. If it ends as the block itself does, the
   block is such a half (Stevens, "Counter-cryptanalysis", 2013).

   A vector allows for an attack only where certain bits of the expanded message agree or differ.
   Nearly all blocks break such a condition for each vector, and are done (Stevens and Shumow,
   "Speeding up detection of SHA-1 collision attacks using unavoidable attack conditions", 2017).

   The vectors are those of that paper, and so are the conditions: its authors published them in a
   library (sha1collisiondetection) under the MIT license, Copyright (c) 2017 Marc Stevens, Cryptology
   Group, Centrum Wiskunde & Informatica, and Dan Shumow, Microsoft Research. The code is our own. */

#ifndef FASTIO_COLLISIONS_H
#define FASTIO_COLLISIONS_H

#include "_sha1.h"

#define VECTORS 32
#define STEPS 80
#define ABREAST 16
#define EARLY 58 /* the step where states are equal, of vectors that end early... */
#define LATE 65  /* ... and of those from 50 on */

/* Type, and which of the steps and bits it disturbs last, as in the papers' I(43, 0). */
static const struct { unsigned char type, step, bit; } sha1_vectors[VECTORS] = {
    {1, 43, 0}, {1, 44, 0}, {1, 45, 0}, {1, 46, 0}, {1, 46, 2}, {1, 47, 0}, {1, 47, 2}, {1, 48, 0},
    {1, 48, 2}, {1, 49, 0}, {1, 49, 2}, {1, 50, 0}, {1, 50, 2}, {1, 51, 0}, {1, 51, 2}, {1, 52, 0},
    {2, 45, 0}, {2, 46, 0}, {2, 46, 2}, {2, 47, 0}, {2, 48, 0}, {2, 49, 0}, {2, 49, 2}, {2, 50, 0},
    {2, 50, 2}, {2, 51, 0}, {2, 51, 2}, {2, 52, 0}, {2, 53, 0}, {2, 54, 0}, {2, 55, 0}, {2, 56, 0},
};

/* Bit `p` of word `a` and bit `q` of word `b` are to be equal (0) or not (1); if not so, none of
   `vectors` can be. */
static const struct { unsigned char a, p, b, q, differ; uint32_t vectors; } sha1_conditions[] = {
    {44, 29, 45, 29, 0, 0x0283A080}, {46, 29, 47, 29, 0, 0x18180801},
    {45, 4, 48, 29, 0, 0x20202224}, {49, 29, 50, 29, 0, 0xC2810008},
    {44, 4, 47, 29, 0, 0x1010088A}, {43, 4, 46, 29, 0, 0x08080225}, {45, 6, 47, 6, 0, 0x00004440},
    {44, 6, 46, 6, 0, 0x00001110}, {48, 29, 49, 29, 0, 0x60A08004}, {41, 1, 42, 6, 1, 0x04040100},
    {40, 29, 41, 29, 0, 0x800A00A2}, {40, 1, 41, 6, 1, 0x01004040}, {39, 1, 40, 6, 1, 0x00401010},
    {47, 29, 48, 29, 0, 0x30302002}, {45, 29, 46, 29, 0, 0x0A0A8200},
    {46, 4, 49, 29, 0, 0x40808888}, {47, 4, 50, 29, 0, 0x82012220}, {36, 1, 37, 6, 1, 0x00041040},
    {47, 6, 49, 6, 0, 0x00004400}, {47, 1, 46, 6, 0, 0x01000010}, {43, 1, 42, 6, 0, 0x04040000},
    {41, 4, 44, 29, 0, 0x00812025}, {53, 29, 54, 29, 0, 0x60220800},
    {44, 1, 45, 6, 1, 0x00404000}, {42, 4, 45, 29, 0, 0x0202808A},
    {52, 29, 53, 29, 0, 0x30110200}, {40, 4, 43, 29, 0, 0x8020080A},
    {48, 1, 47, 6, 0, 0x04000040}, {46, 6, 48, 6, 0, 0x00001100}, {35, 1, 36, 6, 1, 0x00000410},
    {39, 4, 42, 29, 0, 0x40100205}, {42, 1, 41, 6, 0, 0x01004000}, {41, 1, 40, 6, 0, 0x00401000},
    {50, 29, 51, 29, 0, 0x8A020020}, {51, 29, 52, 29, 0, 0x18080080},
    {61, 2, 62, 7, 1, 0x00040010}, {43, 6, 45, 6, 0, 0x00000440}, {43, 29, 44, 29, 0, 0x00A12820},
    {42, 6, 44, 6, 0, 0x00000110}, {37, 4, 40, 29, 0, 0x50020021}, {38, 4, 41, 29, 0, 0xA0080082},
    {53, 6, 54, 1, 0, 0x00400000}, {54, 6, 55, 1, 0, 0x01000000}, {55, 6, 56, 1, 0, 0x04000000},
    {42, 29, 43, 29, 0, 0x00300A08}, {51, 1, 50, 6, 0, 0x00041000}, {37, 1, 38, 6, 1, 0x00004100},
    {48, 4, 51, 29, 0, 0x08028880}, {54, 29, 55, 29, 0, 0xC0882000},
    {39, 4, 41, 4, 1, 0x40000005}, {49, 6, 50, 1, 0, 0x00000400}, {51, 6, 53, 6, 0, 0x00400000},
    {52, 6, 54, 6, 0, 0x01000000}, {53, 6, 55, 6, 0, 0x04000000}, {50, 4, 53, 29, 0, 0x20128800},
    {49, 4, 52, 29, 0, 0x10092200}, {48, 6, 50, 6, 0, 0x00041000},
    {55, 29, 56, 29, 0, 0x82108000}, {45, 29, 47, 29, 1, 0x0000008A},
    {44, 29, 46, 29, 1, 0x00000025}, {62, 2, 63, 7, 1, 0x00000040}, {63, 2, 64, 7, 1, 0x00000100},
    {42, 1, 50, 1, 1, 0x00000400}, {50, 1, 54, 1, 1, 0x00400000}, {51, 1, 55, 1, 1, 0x01000000},
    {52, 1, 56, 1, 1, 0x04000000}, {36, 4, 40, 29, 0, 0x00110208}, {56, 4, 59, 29, 0, 0x28000000},
    {51, 4, 54, 29, 0, 0x40282000}, {52, 4, 55, 29, 0, 0x80908000}, {37, 4, 39, 4, 1, 0x50000001},
    {56, 29, 59, 29, 1, 0x0A000000}, {40, 6, 42, 6, 0, 0x00000010}, {47, 1, 51, 1, 1, 0x00040000},
    {41, 6, 43, 6, 0, 0x00000040}, {48, 6, 49, 1, 0, 0x00000100}, {39, 6, 40, 1, 0, 0x00000400},
    {51, 6, 52, 1, 0, 0x00004000}, {45, 6, 46, 1, 0, 0x00400000}, {45, 1, 47, 1, 1, 0x01000000},
    {46, 1, 48, 1, 1, 0x04000000}, {41, 29, 42, 29, 0, 0x00180284}, {40, 4, 42, 4, 1, 0x8000000A},
    {38, 4, 40, 4, 1, 0xA0000002}, {63, 1, 64, 6, 1, 0x00010004}, {57, 29, 58, 29, 0, 0x10800000},
    {56, 29, 57, 29, 0, 0x08200000}, {43, 1, 51, 1, 1, 0x00001000}, {38, 1, 40, 1, 1, 0x00000400},
    {49, 6, 51, 6, 0, 0x00004000}, {37, 5, 41, 30, 0, 0x00400000}, {38, 5, 42, 30, 0, 0x01000000},
    {39, 5, 43, 30, 0, 0x04000000}, {58, 29, 59, 29, 0, 0x22000000},
    {51, 29, 54, 29, 1, 0x000A0800}, {50, 29, 52, 29, 1, 0x00012200},
    {53, 29, 56, 29, 1, 0x00308000}, {46, 29, 48, 29, 1, 0x00000224},
    {47, 29, 49, 29, 1, 0x00000888}, {55, 4, 58, 29, 0, 0x12000000},
    {54, 4, 57, 29, 0, 0x08800000}, {61, 1, 62, 6, 1, 0x00000001}, {37, 1, 37, 6, 0, 0x00004000},
    {36, 0, 41, 30, 1, 0x00400000}, {37, 0, 42, 30, 1, 0x01000000},
    {38, 0, 43, 30, 1, 0x04000000}, {48, 29, 50, 29, 1, 0x00002220},
    {49, 29, 51, 29, 1, 0x00008880}, {61, 0, 62, 5, 1, 0x00020008}, {60, 0, 61, 5, 1, 0x00010004},
    {53, 4, 56, 29, 0, 0x02200000}, {36, 4, 38, 4, 1, 0x28000000}, {59, 5, 63, 30, 0, 0x00000001},
    {62, 1, 63, 6, 1, 0x00000002}, {35, 5, 39, 30, 0, 0x00004000}, {38, 4, 42, 29, 0, 0x00802000},
    {35, 4, 39, 29, 0, 0x00080084}, {39, 4, 43, 29, 0, 0x02008000},
    {58, 0, 63, 30, 1, 0x00000001}, {60, 5, 64, 30, 0, 0x00000002},
    {58, 29, 61, 29, 1, 0x10000000}, {59, 4, 63, 29, 0, 0x40000000},
    {62, 0, 63, 5, 1, 0x00080020}, {37, 4, 41, 29, 0, 0x00200800},
    {48, 29, 55, 29, 1, 0x0000A000}, {59, 0, 64, 30, 1, 0x00000002},
    {55, 29, 58, 29, 1, 0x00800000}, {59, 29, 60, 29, 0, 0x08000000},
    {57, 4, 61, 29, 0, 0x10000000}, {58, 4, 62, 29, 0, 0x20000000},
    {57, 4, 59, 29, 0, 0x40000000}, {60, 4, 64, 29, 0, 0x80000000}, {63, 0, 64, 5, 1, 0x00100080},
    {35, 3, 39, 28, 0, 0x00082000}, {37, 3, 41, 28, 0, 0x00200000},
    {38, 3, 42, 28, 0, 0x00800000}, {39, 3, 43, 28, 0, 0x02000000},
    {40, 3, 44, 28, 0, 0x08000000}, {41, 3, 45, 28, 0, 0x10000000},
    {42, 3, 46, 28, 0, 0x20000000}, {43, 3, 47, 28, 0, 0x40000000},
    {44, 3, 48, 28, 0, 0x80000000}, {36, 4, 37, 4, 1, 0x00000800}, {38, 4, 39, 4, 1, 0x00008000},
    {36, 3, 40, 28, 0, 0x00100000}, {36, 30, 41, 28, 1, 0x00200000},
    {37, 30, 42, 28, 1, 0x00800000}, {38, 30, 43, 28, 1, 0x02000000},
    {40, 4, 44, 29, 0, 0x08000000}, {41, 4, 45, 29, 0, 0x10000000},
    {42, 4, 46, 29, 0, 0x20000000}, {43, 4, 47, 29, 0, 0x40000000},
    {44, 4, 48, 29, 0, 0x80000000}, {37, 4, 38, 4, 1, 0x00002000},
    {35, 30, 40, 28, 1, 0x00100000}, {39, 30, 44, 28, 1, 0x08000000},
};
#define CONDITIONS ((int)(sizeof(sha1_conditions) / sizeof(sha1_conditions[0])))

static uint32_t sha1_differences[VECTORS][STEPS]; /* of the message words; made once */

static inline uint32_t sha1_rol(uint32_t x, int n) { return x << n | x >> (32 - n); }

static void sha1_make_differences(void)
{
    for (int v = 0; v < VECTORS; v++) {
        /* Sixteen words say all; the rest follows from them as in any expanded message. Five more
           come before the first, for what they disturb comes after it. */
        uint32_t all[5 + STEPS] = {0}, *d = all + 5;
        int step = sha1_vectors[v].step;
        uint32_t bit = (uint32_t)1 << sha1_vectors[v].bit;
        d[step + 15] = bit;
        if (sha1_vectors[v].type == 2)
            d[step + 1] = d[step + 3] = sha1_rol(bit, 31);
        for (int t = step + 16; t < STEPS; t++)
            d[t] = sha1_rol(d[t - 3] ^ d[t - 8] ^ d[t - 14] ^ d[t - 16], 1);
        for (int t = step - 1; t >= -5; t--)
            d[t] = sha1_rol(d[t + 16], 31) ^ d[t + 13] ^ d[t + 8] ^ d[t + 2];
        for (int t = 0; t < STEPS; t++) /* a disturbance, and five corrections */
            sha1_differences[v][t] = d[t] ^ sha1_rol(d[t - 1], 5) ^ d[t - 2]
                ^ sha1_rol(d[t - 3] ^ d[t - 4] ^ d[t - 5], 30);
    }
}

static inline uint32_t sha1_mix(int t, uint32_t b, uint32_t c, uint32_t d)
{
    if (t < 20)
        return (d ^ (b & (c ^ d))) + 0x5A827999u;
    if (t < 40)
        return (b ^ c ^ d) + 0x6ED9EBA1u;
    if (t < 60)
        return ((b & c) | (d & (b | c))) + 0x8F1BBCDCu;
    return (b ^ c ^ d) + 0xCA62C1D6u;
}

static void sha1_forth(uint32_t s[5], const uint32_t *w, int from, int to)
{
    for (int t = from; t < to; t++) {
        uint32_t a = sha1_rol(s[0], 5) + sha1_mix(t, s[1], s[2], s[3]) + s[4] + w[t];
        s[4] = s[3];
        s[3] = s[2];
        s[2] = sha1_rol(s[1], 30);
        s[1] = s[0];
        s[0] = a;
    }
}

static void sha1_back(uint32_t s[5], const uint32_t *w, int from)
{
    for (int t = from - 1; t >= 0; t--) {
        uint32_t a = s[1], b = sha1_rol(s[2], 2), c = s[3], d = s[4];
        s[4] = s[0] - sha1_rol(a, 5) - sha1_mix(t, b, c, d) - w[t];
        s[0] = a;
        s[1] = b;
        s[2] = c;
        s[3] = d;
    }
}

/* For whatever vectors of numbers there are when the program runs. */
#if defined(__x86_64__) && defined(__linux__)
#define EACH_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define EACH_WIDTH
#endif

static inline uint32_t sha1_word(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

/* Which vectors each of ABREAST blocks allows for. The last of `count` blocks stands for the rest. */
EACH_WIDTH
static void sha1_possible(const unsigned char *data, int count, uint32_t possible[ABREAST])
{
    uint32_t w[STEPS][ABREAST];
    for (int k = 0; k < ABREAST; k++)
        for (int i = 0; i < 16; i++)
            w[i][k] = sha1_word(data + 64 * (k < count ? k : count - 1) + 4 * i);
    for (int t = 16; t < STEPS; t++)
        for (int k = 0; k < ABREAST; k++)
            w[t][k] = sha1_rol(w[t - 3][k] ^ w[t - 8][k] ^ w[t - 14][k] ^ w[t - 16][k], 1);
    for (int k = 0; k < ABREAST; k++)
        possible[k] = 0xFFFFFFFFu;
    for (int i = 0; i < CONDITIONS; i++) {
        const uint32_t *a = w[sha1_conditions[i].a], *b = w[sha1_conditions[i].b];
        int p = sha1_conditions[i].p, q = sha1_conditions[i].q;
        uint32_t differ = sha1_conditions[i].differ, others = ~sha1_conditions[i].vectors;
        for (int k = 0; k < ABREAST; k++)
            possible[k] &= others | ((((a[k] >> p ^ b[k] >> q) & 1) ^ differ) - 1);
    }
}

static int sha1_is_half(const uint32_t begin[5], const uint32_t w[STEPS], int v)
{
    int middle = sha1_vectors[v].step < 50 ? EARLY : LATE;
    uint32_t end[5], first[5], last[5], other[STEPS];
    memcpy(end, begin, sizeof(end));
    sha1_forth(end, w, 0, middle);
    memcpy(first, end, sizeof(end));
    memcpy(last, end, sizeof(end));
    sha1_forth(end, w, middle, STEPS);
    for (int t = 0; t < STEPS; t++)
        other[t] = w[t] ^ sha1_differences[v][t];
    sha1_back(first, other, middle);
    sha1_forth(last, other, middle, STEPS);
    for (int i = 0; i < 5; i++)
        if (begin[i] + end[i] != first[i] + last[i])
            return 0;
    return 1;
}

/* Whether a block, hashed from state `begin` on, is half of a collision by one of these vectors. */
static int sha1_collides(const uint32_t begin[5], const unsigned char *data, uint32_t possible)
{
    uint32_t w[STEPS];
    for (int i = 0; i < 16; i++)
        w[i] = sha1_word(data + 4 * i);
    for (int t = 16; t < STEPS; t++)
        w[t] = sha1_rol(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    for (int v = 0; possible; v++, possible >>= 1)
        if ((possible & 1) && sha1_is_half(begin, w, v))
            return 1;
    return 0;
}

#endif
