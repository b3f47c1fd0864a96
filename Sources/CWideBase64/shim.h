#ifndef UNMASK_WIDE_BASE64_H
#define UNMASK_WIDE_BASE64_H

#include <stddef.h>
#include <stdint.h>

// The one step of base64 (RFC 4648, section 4) that Swift's vectors cannot say: the shuffling of bytes by a table, which AVX2 has.
// 24 bytes become 32 letters a round: after Muła and Lemire, "Faster Base64 Encoding and Decoding using AVX2 Instructions" (2018).

#if defined(__x86_64__)
#include <immintrin.h>

/// Whether this processor has what `unmask_base64_wide` needs.
static inline int unmask_base64_is_wide(void) { return __builtin_cpu_supports("avx2") != 0; }

/// Writes the letters of whole rounds; returns how many bytes of `source` those took. Nothing beyond `count` is read, and nothing
/// beyond four letters for three of the bytes that were taken is written.
__attribute__((target("avx2"), noinline, unused))
static size_t unmask_base64_wide(const void *source, size_t count, void *target) {
    const uint8_t *from = (const uint8_t *)source;
    uint8_t *to = (uint8_t *)target;
    // Each half is four groups of three bytes: every group becomes the four bytes 1 0 2 1, in which each sextet lies whole.
    const __m256i spread = _mm256_setr_epi8(
        1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10, 1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
    // What is added to a sextet of each kind: a-z, ten digits, +, /, A-Z.
    const __m256i shifts = _mm256_setr_epi8(
        'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '+' - 62,
        '/' - 63, 'A', 0, 0,
        'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '+' - 62,
        '/' - 63, 'A', 0, 0);
    size_t done = 0;
    // The second half is read from byte 12, and reads sixteen.
    while (count - done >= 28) {
        __m256i bytes = _mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(from + done))),
            _mm_loadu_si128((const __m128i *)(from + done + 12)), 1);
        bytes = _mm256_shuffle_epi8(bytes, spread);
        // Multiplications stand for shifts that differ from word to word.
        const __m256i odd = _mm256_mulhi_epu16(_mm256_and_si256(bytes, _mm256_set1_epi32(0x0fc0fc00)), _mm256_set1_epi32(0x04000040));
        const __m256i even = _mm256_mullo_epi16(_mm256_and_si256(bytes, _mm256_set1_epi32(0x003f03f0)), _mm256_set1_epi32(0x01000010));
        const __m256i sextets = _mm256_or_si256(odd, even);
        const __m256i isCapital = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), sextets);
        const __m256i kinds = _mm256_or_si256(
            _mm256_subs_epu8(sextets, _mm256_set1_epi8(51)), _mm256_and_si256(isCapital, _mm256_set1_epi8(13)));
        _mm256_storeu_si256((__m256i *)to, _mm256_add_epi8(_mm256_shuffle_epi8(shifts, kinds), sextets));
        done += 24;
        to += 32;
    }
    return done;
}

#else

static inline int unmask_base64_is_wide(void) { return 0; }
static inline size_t unmask_base64_wide(const void *source, size_t count, void *target) {
    (void)source, (void)count, (void)target;
    return 0;
}

#endif
#endif
