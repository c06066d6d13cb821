/* SHA-1 of as many messages as a vector has 32-bit elements.

   _sha1.h includes this once for each width of vectors, and says in macros what differs: VECTOR,
   OF (its operations), PARTS(k) (16 bytes from each of the lanes k, k + 4, ...), and the rounds'
   functions. */

#define EACH(x) OF(set1_epi32)((int)x##u)
#define ADD(x, y) OF(add_epi32)(x, y)
#define XOR(x, y) ((x) ^ (y))

__attribute__((target(TARGET)))
static void MANY(uint32_t states[5][SHA1_LANES], const unsigned char **data, int64_t blocks)
{
    const VECTOR big_endian =
        SAME_IN_ALL(_mm_set_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203));
    VECTOR a, b, c, d, e, w[16];
    memcpy(&a, states[0], sizeof(a));
    memcpy(&b, states[1], sizeof(b));
    memcpy(&c, states[2], sizeof(c));
    memcpy(&d, states[3], sizeof(d));
    memcpy(&e, states[4], sizeof(e));
    for (int64_t at = 0; blocks; blocks--, at += 64) {
        const VECTOR first_a = a, first_b = b, first_c = c, first_d = d, first_e = e;
        /* Turn rows into columns: four words of each message become four vectors. */
        for (int i = 0; i < 4; i++) {
            VECTOR row0 = OF(shuffle_epi8)(PARTS(0), big_endian);
            VECTOR row1 = OF(shuffle_epi8)(PARTS(1), big_endian);
            VECTOR row2 = OF(shuffle_epi8)(PARTS(2), big_endian);
            VECTOR row3 = OF(shuffle_epi8)(PARTS(3), big_endian);
            VECTOR low01 = OF(unpacklo_epi32)(row0, row1), low23 = OF(unpacklo_epi32)(row2, row3);
            VECTOR high01 = OF(unpackhi_epi32)(row0, row1), high23 = OF(unpackhi_epi32)(row2, row3);
            w[4 * i] = OF(unpacklo_epi64)(low01, low23);
            w[4 * i + 1] = OF(unpackhi_epi64)(low01, low23);
            w[4 * i + 2] = OF(unpacklo_epi64)(high01, high23);
            w[4 * i + 3] = OF(unpackhi_epi64)(high01, high23);
        }
        SHA1_ROUNDS
        a = ADD(a, first_a);
        b = ADD(b, first_b);
        c = ADD(c, first_c);
        d = ADD(d, first_d);
        e = ADD(e, first_e);
    }
    memcpy(states[0], &a, sizeof(a));
    memcpy(states[1], &b, sizeof(b));
    memcpy(states[2], &c, sizeof(c));
    memcpy(states[3], &d, sizeof(d));
    memcpy(states[4], &e, sizeof(e));
}

#undef MANY
#undef TARGET
#undef VECTOR
#undef OF
#undef SAME_IN_ALL
#undef PART
#undef PARTS
#undef XOR3
#undef CHOOSE
#undef MAJORITY
#undef ROL
#undef EACH
#undef ADD
#undef XOR
