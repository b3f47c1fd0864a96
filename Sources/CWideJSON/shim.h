#ifndef UNMASK_WIDE_JSON_H
#define UNMASK_WIDE_JSON_H

#include <stddef.h>
#include <stdint.h>

// What Swift's vectors cannot say of JSON (RFC 8259) and CSV (RFC 4180): the shuffling of bytes by a table, which SSSE3 has, and the lanes of a
// vector as the bits of a number.

/// How far it got.
struct unmask_json_progress {
    /// Bytes of the source that were taken.
    size_t taken;
    /// Bytes of the target that hold them.
    size_t written;
};

#if defined(__x86_64__)
#include <immintrin.h>

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

/// Which of sixteen bytes end the plain text of a JSON string: quotes, backslashes and controls, the first byte lowest.
static inline unsigned unmask_json_stops_of_16(const void *bytes) {
    const __m128i block = _mm_loadu_si128((const __m128i *)bytes);
    const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\\')));
    const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(marks, controls));
}

/// Which of sixteen bytes are not printable characters of ASCII, the first byte lowest.
static inline unsigned unmask_unprintable_of_16(const void *bytes) {
    const __m128i block = _mm_loadu_si128((const __m128i *)bytes);
    // As signed numbers, controls and everything that is not ASCII lie below the space.
    return (unsigned)_mm_movemask_epi8(
        _mm_or_si128(_mm_cmplt_epi8(block, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f))));
}

/// Where three bytes follow each other, of which the first is a quote: a byte of ones at each place of the first of sixteen.
static inline __m128i unmask_json_words_of_16(const __m128i quotes, const __m128i second, const __m128i third, char letter, char next) {
    return _mm_and_si128(quotes, _mm_and_si128(_mm_cmpeq_epi8(second, _mm_set1_epi8(letter)), _mm_cmpeq_epi8(third, _mm_set1_epi8(next))));
}

/// The marks of `unmask_json_marks` of `count` bytes, which are 18 at least.
static inline unsigned unmask_json_marks_of_many(const uint8_t *bytes, size_t count) {
    __m128i lines = _mm_setzero_si128(), ph = lines, js = lines, unprintable = lines;
    size_t place = 0;
    for (;;) {
        const __m128i first = _mm_loadu_si128((const __m128i *)(bytes + place));
        const __m128i second = _mm_loadu_si128((const __m128i *)(bytes + place + 1));
        const __m128i third = _mm_loadu_si128((const __m128i *)(bytes + place + 2));
        const __m128i quotes = _mm_cmpeq_epi8(first, _mm_set1_epi8('"'));
        ph = _mm_or_si128(ph, unmask_json_words_of_16(quotes, second, third, 'p', 'h'));
        js = _mm_or_si128(js, unmask_json_words_of_16(quotes, second, third, 'j', 's'));
        lines = _mm_or_si128(lines, _mm_cmpeq_epi8(first, _mm_set1_epi8('\n')));
        unprintable = _mm_or_si128(unprintable, _mm_or_si128(_mm_cmplt_epi8(first, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(first, _mm_set1_epi8(0x7f))));
        if (place == count - 18) break;
        // What is left of less than sixteen is looked at together with what comes before it.
        place = place + 16 < count - 18 ? place + 16 : count - 18;
    }
    // The last two bytes begin none of the words.
    const __m128i final = _mm_loadu_si128((const __m128i *)(bytes + count - 16));
    lines = _mm_or_si128(lines, _mm_cmpeq_epi8(final, _mm_set1_epi8('\n')));
    unprintable = _mm_or_si128(unprintable, _mm_or_si128(_mm_cmplt_epi8(final, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(final, _mm_set1_epi8(0x7f))));
    return (_mm_movemask_epi8(lines) != 0 ? 1u : 0u) | (_mm_movemask_epi8(ph) != 0 ? 2u : 0u) | (_mm_movemask_epi8(js) != 0 ? 4u : 0u)
        | (_mm_movemask_epi8(unprintable) == 0 ? 0u : 8u);
}

#else

static inline int unmask_json_is_wide(void) { return 0; }
static inline struct unmask_json_progress unmask_json_wide(
    const void *source, size_t count, void *target, size_t room, const uint8_t *spread, uint8_t other, uint8_t mark
) {
    (void)source, (void)count, (void)target, (void)room, (void)spread, (void)other, (void)mark;
    return (struct unmask_json_progress){0, 0};
}

static inline unsigned unmask_json_stops_of_16(const void *bytes) {
    unsigned stops = 0;
    for (unsigned place = 0; place < 16; place++) {
        const uint8_t byte = ((const uint8_t *)bytes)[place];
        if (byte == '"' || byte == '\\' || byte < ' ') stops |= 1u << place;
    }
    return stops;
}

static inline unsigned unmask_unprintable_of_16(const void *bytes) {
    unsigned found = 0;
    for (unsigned place = 0; place < 16; place++) {
        const uint8_t byte = ((const uint8_t *)bytes)[place];
        if (byte < ' ' || byte > '~') found |= 1u << place;
    }
    return found;
}

#endif

/// Which of the 64 bytes from `from` on end the plain text of a JSON string (RFC 8259, section 7): quotes, backslashes and controls, the first byte
/// lowest; so does each place from the end on. Nothing beyond `count` is read.
static inline uint64_t unmask_json_stops(const void *source, size_t count, size_t from) {
    if (from >= count) return UINT64_MAX;
    const uint8_t *bytes = (const uint8_t *)source;
    const size_t rest = count - from;
    uint64_t stops = rest < 64 ? UINT64_MAX << rest : 0;
    size_t place = 0;
    for (; place < 64 && place + 16 <= rest; place += 16) stops |= (uint64_t)unmask_json_stops_of_16(bytes + from + place) << place;
    if (place == 64 || place == rest) return stops;
    if (count >= 16) {
        // The last sixteen, without those before.
        return stops | (uint64_t)(unmask_json_stops_of_16(bytes + count - 16) >> (16 - (rest - place))) << place;
    }
    for (; place < rest; place++) {
        const uint8_t byte = bytes[from + place];
        if (byte == '"' || byte == '\\' || byte < ' ') stops |= (uint64_t)1 << place;
    }
    return stops;
}

/// How many printable characters of ASCII follow each other from `from` on. Nothing beyond `count` is read.
static inline size_t unmask_printable_count(const void *source, size_t count, size_t from) {
    const uint8_t *bytes = (const uint8_t *)source;
    size_t place = from;
    for (; place < count && count - place >= 16; place += 16) {
        const unsigned found = unmask_unprintable_of_16(bytes + place);
        if (found != 0) return place + (unsigned)__builtin_ctz(found) - from;
    }
    if (place < count && count >= 16) {
        // The last sixteen, without those before.
        const unsigned found = unmask_unprintable_of_16(bytes + count - 16) >> (16 - (count - place));
        return (found != 0 ? place + (unsigned)__builtin_ctz(found) : count) - from;
    }
    while (place < count && bytes[place] >= ' ' && bytes[place] <= '~') place++;
    return place < from ? 0 : place - from;
}

/// What is somewhere in the bytes: 1 for a line feed, 2 for `"ph`, 4 for `"js`, 8 for anything that is not a printable character of ASCII.
/// Nothing beyond `count` is read.
static inline unsigned unmask_json_marks(const void *source, size_t count) {
    const uint8_t *bytes = (const uint8_t *)source;
#if defined(__x86_64__)
    if (count >= 18) return unmask_json_marks_of_many(bytes, count);
#endif
    unsigned marks = 0;
    for (size_t place = 0; place < count; place++) {
        if (bytes[place] == '\n') marks |= 1;
        if (bytes[place] < ' ' || bytes[place] > '~') marks |= 8;
        if (bytes[place] != '"' || count - place < 3) continue;
        if (bytes[place + 1] == 'p' && bytes[place + 2] == 'h') marks |= 2;
        if (bytes[place + 1] == 'j' && bytes[place + 2] == 's') marks |= 4;
    }
    return marks;
}

#endif
