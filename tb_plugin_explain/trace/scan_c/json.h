/* JSON text, byte by byte: where a string, a number or any value ends.
 *
 * Strict: what is accepted here is valid JSON in valid UTF-8, nested less than JSON_DEEPEST deep. All else is
 * not an error but "unclear", and left to the Python engine, which tells damage from oddities.
 *
 * Every function takes a position and returns the one behind what it took, or NULL. Then `stop` is the first
 * byte that does not fit: if that is the end of the text, more text may help. The byte at `end` must be
 * readable and NUL, which fits nowhere in JSON, so that single bytes need no check against the end.
 */
#ifndef TB_EXPLAIN_JSON_H
#define TB_EXPLAIN_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define JSON_SSE2 1
#endif
#if defined(_MSC_VER)
#include <intrin.h>
#endif

#define JSON_DEEPEST 64

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#define IS_LITTLE_ENDIAN 0
#else
#define IS_LITTLE_ENDIAN 1
#endif

#if defined(__GNUC__) || defined(__clang__)
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define INLINE static inline __attribute__((always_inline))
#else
#define LIKELY(condition) (condition)
#define UNLIKELY(condition) (condition)
#define INLINE static __forceinline
#endif

typedef struct {
    const uint8_t *end;
    const uint8_t *stop;
} Text;

/* A piece of the text: of a string with its quotes, so that 7 and "7" differ. */
typedef struct {
    const uint8_t *begin;
    size_t size;
} Slice;

INLINE const uint8_t *stop_at(Text *text, const uint8_t *position) {
    text->stop = position;
    return NULL;
}

INLINE int is_digit(uint8_t byte) {
    return (uint8_t)(byte - '0') < 10;
}

#ifdef JSON_SSE2
INLINE unsigned first_bit(unsigned mask) {
#if defined(_MSC_VER)
    unsigned long index;
    _BitScanForward(&index, mask);
    return index;
#else
    return (unsigned)__builtin_ctz(mask);
#endif
}
#endif

INLINE int is_space(uint8_t byte) {
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* Longer runs of white space: what lies between the fields of an indented file. */
static const uint8_t *skip_long_space(const uint8_t *p, const uint8_t *end) {
#ifdef JSON_SSE2
    while (end - p >= 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)p);
        __m128i space = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')),
                                                  _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))),
                                     _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r')),
                                                  _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t'))));
        unsigned other = (unsigned)_mm_movemask_epi8(space) ^ 0xffff;
        if (other)
            return p + first_bit(other);
        p += 16;
    }
#endif
    while (is_space(*p))
        p++;
    return p;
}

INLINE const uint8_t *skip_space(const uint8_t *p, const uint8_t *end) {
    if (LIKELY(*p > ' '))
        return p;
    if (*p == ' ' && LIKELY(p[1] > ' '))
        return p + 1;
    return skip_long_space(p, end);
}

/* The first byte of a string from p on that ends it or needs a closer look. */
INLINE const uint8_t *skip_plain(const uint8_t *p, const uint8_t *end) {
#ifdef JSON_SSE2
    while (LIKELY(end - p >= 16)) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)p);
        /* Compared as signed: bytes beyond ASCII are below ' ' like control bytes. */
        __m128i special = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
                                       _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')));
        unsigned mask = (unsigned)_mm_movemask_epi8(special);
        if (LIKELY(mask))
            return p + first_bit(mask);
        p += 16;
    }
#endif
    while (*p >= ' ' && *p < 0x80 && *p != '"' && *p != '\\')
        p++;
    (void)end;
    return p;
}

const uint8_t *json_string_special(Text *text, const uint8_t *p);
const uint8_t *json_container_end(Text *text, const uint8_t *p);

/* Behind the closing quote of the string whose opening quote is before p. */
INLINE const uint8_t *string_end(Text *text, const uint8_t *p) {
    p = skip_plain(p, text->end);
    if (LIKELY(*p == '"'))
        return p + 1;
    return json_string_special(text, p);
}

INLINE const uint8_t *digits_end(Text *text, const uint8_t *p) {
    if (UNLIKELY(!is_digit(*p)))
        return stop_at(text, p);
    while (is_digit(*p))
        p++;
    return p;
}

INLINE const uint8_t *number_end(Text *text, const uint8_t *p) {
    p += *p == '-';
    if (*p == '0')
        p++;
    else if (!(p = digits_end(text, p)))
        return NULL;
    if (*p == '.' && !(p = digits_end(text, p + 1)))
        return NULL;
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '+' || *p == '-';
        p = digits_end(text, p);
    }
    return p;
}

INLINE const uint8_t *word_end(Text *text, const uint8_t *p, const char *word) {
    for (; *word; word++, p++)
        if (*p != (uint8_t)*word)
            return stop_at(text, p);
    return p;
}

/* Behind a string, number or word. */
INLINE const uint8_t *scalar_end(Text *text, const uint8_t *p) {
    switch (*p) {
    case '"':
        return string_end(text, p + 1);
    case 't':
        return word_end(text, p, "true");
    case 'f':
        return word_end(text, p, "false");
    case 'n':
        return word_end(text, p, "null");
    default:
        return number_end(text, p);
    }
}

INLINE const uint8_t *value_end(Text *text, const uint8_t *p) {
    return *p == '[' || *p == '{' ? json_container_end(text, p) : scalar_end(text, p);
}

/* Behind the colon after a key, and the space around it. */
INLINE const uint8_t *colon_end(Text *text, const uint8_t *p) {
    p = skip_space(p, text->end);
    if (UNLIKELY(*p != ':'))
        return stop_at(text, p);
    return skip_space(p + 1, text->end);
}

/* The same from the opening quote of the key on. */
INLINE const uint8_t *key_end(Text *text, const uint8_t *p, Slice *key) {
    if (UNLIKELY(*p != '"'))
        return stop_at(text, p);
    const uint8_t *begin = p + 1;
    if (!(p = string_end(text, begin)))
        return NULL;
    *key = (Slice){begin, (size_t)(p - 1 - begin)};
    return colon_end(text, p);
}

#endif
