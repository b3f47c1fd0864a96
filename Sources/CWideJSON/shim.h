#ifndef UNMASK_WIDE_JSON_H
#define UNMASK_WIDE_JSON_H

#include <stddef.h>
#include <stdint.h>

// The one step of escaping JSON (RFC 8259, section 7) and of quoting CSV (RFC 4180) that Swift's vectors cannot say: the shuffling of bytes by a
// table, which SSSE3 has.

/// How far it got.
struct unmask_json_progress {
    /// Bytes of the source that were taken.
    size_t taken;
    /// Bytes of the target that hold them.
    size_t written;
};

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

/// Whether this processor has what `unmask_json_wide` needs.
static inline int unmask_json_is_wide(void) {
    return __builtin_cpu_supports("ssse3") != 0 && __builtin_cpu_supports("popcnt") != 0;
}

/// Writes printable ASCII with a mark before each quote and each `other` byte, sixteen bytes a round, up to the end or to the first sixteen
/// in which there is anything that is not printable ASCII, of which none are taken.
///
/// `spread` has 256 rows of sixteen bytes, one for each set of places among eight bytes that want a mark: which byte comes at each
/// place, 128 for the mark. Nothing beyond `count` is read; a round begins while `room` has 64 bytes, and writes no more than those.
__attribute__((target("ssse3,popcnt"), noinline, unused))
static struct unmask_json_progress unmask_json_wide(
    const void *source, size_t count, void *target, size_t room, const uint8_t *spread, uint8_t other, uint8_t mark
) {
    const uint8_t *from = (const uint8_t *)source;
    uint8_t *to = (uint8_t *)target;
    const __m128i quotes = _mm_set1_epi8('"'), others = _mm_set1_epi8((char)other), marks = _mm_set1_epi8((char)mark);
    size_t done = 0, put = 0;
    while (done < count && room - put >= 64) {
        size_t length = count - done;
        __m128i bytes;
        if (length >= 16) {
            length = 16;
            bytes = _mm_loadu_si128((const __m128i *)(from + done));
        } else if (count >= 16) {
            // The last sixteen, of which those that were taken before are left out below.
            bytes = _mm_loadu_si128((const __m128i *)(from + count - 16));
            uint8_t last[32];
            memset(last + 16, ' ', 16);
            _mm_storeu_si128((__m128i *)last, bytes);
            bytes = _mm_loadu_si128((const __m128i *)(last + 16 - length));
        } else {
            uint8_t last[16];
            memset(last, ' ', 16);
            memcpy(last, from + done, length);
            bytes = _mm_loadu_si128((const __m128i *)last);
        }
        // As signed numbers, controls and everything that is not ASCII lie below the space.
        const __m128i unprintable = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7f)));
        if (_mm_movemask_epi8(unprintable) != 0) break;
        const unsigned found = (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), _mm_cmpeq_epi8(bytes, others)));
        if (found == 0) {
            _mm_storeu_si128((__m128i *)(to + put), bytes);
        } else {
            const unsigned low = found & 0xff, high = found >> 8;
            const __m128i first = _mm_shuffle_epi8(bytes, _mm_loadu_si128((const __m128i *)(spread + low * 16)));
            const __m128i second =
                _mm_shuffle_epi8(_mm_srli_si128(bytes, 8), _mm_loadu_si128((const __m128i *)(spread + high * 16)));
            // No byte is 0 but where a mark belongs.
            const __m128i zero = _mm_setzero_si128();
            _mm_storeu_si128((__m128i *)(to + put), _mm_or_si128(first, _mm_and_si128(_mm_cmpeq_epi8(first, zero), marks)));
            _mm_storeu_si128(
                (__m128i *)(to + put + 8 + (unsigned)__builtin_popcount(low)),
                _mm_or_si128(second, _mm_and_si128(_mm_cmpeq_epi8(second, zero), marks)));
        }
        done += length;
        put += length + (unsigned)__builtin_popcount(found);
    }
    return (struct unmask_json_progress){done, put};
}

#else

static inline int unmask_json_is_wide(void) { return 0; }
static inline struct unmask_json_progress unmask_json_wide(
    const void *source, size_t count, void *target, size_t room, const uint8_t *spread, uint8_t other, uint8_t mark
) {
    (void)source, (void)count, (void)target, (void)room, (void)spread, (void)other, (void)mark;
    return (struct unmask_json_progress){0, 0};
}

#endif
#endif
