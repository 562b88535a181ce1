#include "event.h"

#define MOST_DIGITS 18 /* always fit int64 */
#define LONGEST_NUMBER 40
#define MOST_MICROSECOND_DIGITS 16

/* Keys are compared where they stand, before their ends are looked for: the processor then need not wait. */
#define KEY(text, found)                                         \
    if (!memcmp(p, "\"" text "\"", sizeof(text) + 1)) {          \
        *end = p + sizeof(text) + 1;                             \
        return found;                                            \
    }
#define LONGEST_KEY 32

enum { TIME = SPELT, DURATION, ARGS };
enum { UNKNOWN = -1, IGNORED = -2 };

/* The field of the key at p, and the byte after the key; UNKNOWN if it is none that is read. */
INLINE int find_field(const uint8_t *p, const uint8_t **end) {
    switch (p[1]) {
    case 'a':
        KEY("args", ARGS)
        break;
    case 'c':
        KEY("cat", CATEGORY)
        break;
    case 'd':
        KEY("dur", DURATION)
        break;
    case 'n':
        KEY("name", NAME)
        break;
    case 'p':
        KEY("ph", PHASE)
        KEY("pid", PROCESS)
        break;
    case 't':
        KEY("tid", THREAD)
        KEY("ts", TIME)
        break;
    }
    return UNKNOWN;
}

/* The argument of the key at p. IGNORED are frequent ones that are not read. */
INLINE int find_argument(const uint8_t *p, const uint8_t **end) {
    switch (p[1]) {
    case 'A':
        KEY("Addr", ADDRESS)
        break;
    case 'B':
        KEY("Bytes", MEMORY_BYTES)
        break;
    case 'C':
        KEY("Concrete Inputs", IGNORED)
        KEY("Collective name", COLLECTIVE)
        break;
    case 'D':
        KEY("Device Id", DEVICE_ID)
        KEY("Device Type", DEVICE_TYPE)
        break;
    case 'E':
        KEY("External id", EXTERNAL_ID)
        KEY("Ev Idx", IGNORED)
        break;
    case 'I':
        KEY("Input Dims", DIMS)
        KEY("Input type", IGNORED)
        KEY("Input Strides", IGNORED)
        KEY("In msg nelems", ELEMENTS_IN)
        KEY("Input dims", DIMS_2021)
        break;
    case 'O':
        KEY("Out msg nelems", ELEMENTS_OUT)
        break;
    case 'P':
        KEY("Python id", IGNORED)
        KEY("Python parent id", IGNORED)
        break;
    case 'R':
        KEY("Record function id", IGNORED)
        break;
    case 'S':
        KEY("Sequence number", SEQUENCE)
        break;
    case 'T':
        KEY("Total Reserved", RESERVED)
        KEY("Total Allocated", ALLOCATED)
        break;
    case 'b':
        KEY("block", BLOCK)
        KEY("bytes", BYTES)
        break;
    case 'c':
        KEY("correlation", CORRELATION)
        KEY("cbid", IGNORED)
        break;
    case 'd':
        KEY("device", DEVICE)
        KEY("dtype", DTYPE)
        break;
    case 'e':
        KEY("est. achieved occupancy %", OCCUPANCY)
        KEY("external id", EXTERNAL_ID_2021)
        break;
    case 'f':
        KEY("fromDevice", FROM_DEVICE)
        break;
    case 'g':
        KEY("grid", GRID)
        break;
    case 'h':
        KEY("hsa_queue", HSA_QUEUE)
        break;
    case 'i':
        KEY("inDevice", IN_DEVICE)
        break;
    case 'l':
        KEY("l0 queue", L0_QUEUE)
        break;
    case 'n':
        KEY("name", ARGUMENT_NAME)
        break;
    case 'q':
        KEY("queue", QUEUE)
        break;
    case 's':
        KEY("stream", STREAM)
        KEY("size", SIZE)
        KEY("sycl queue", SYCL_QUEUE)
        break;
    }
    return UNKNOWN;
}

/* Behind the key at p, the colon and the space around it. */
INLINE const uint8_t *read_key(Text *text, const uint8_t *p, int is_argument, int *found) {
    const uint8_t *end;
    Slice key;
    if (UNLIKELY(text->end - p < LONGEST_KEY))
        return stop_at(text, text->end);
    *found = is_argument ? find_argument(p, &end) : find_field(p, &end);
    if (*found != UNKNOWN)
        return colon_end(text, end);
    if (!(end = key_end(text, p, &key)))
        return NULL;
    /* With an escape it may be one of those above in disguise. */
    return UNLIKELY(memchr(key.begin, '\\', key.size) != NULL) ? stop_at(text, p) : end;
}

INLINE const uint8_t *read_digits(const uint8_t *p, uint64_t *value) {
    uint64_t number = *value;
    for (; is_digit(*p); p++)
        number = number * 10 + (uint64_t)(*p - '0');
    *value = number;
    return p;
}

/* Eight digits at once, the first in the lowest byte: to pairs, to fours, to a number. */
INLINE uint64_t eight_digits(uint64_t word) {
    word = (word & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
    word = (word & 0x00ff00ff00ff00ff) * 6553601 >> 16;
    return (word & 0x0000ffff0000ffff) * 42949672960001 >> 32;
}

INLINE int are_eight_digits(uint64_t word) {
    return IS_LITTLE_ENDIAN && (word & 0xf0f0f0f0f0f0f0f0) == 0x3030303030303030 &&
           ((word + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) == 0x3030303030303030;
}

/* The same for the many digits of a time. */
INLINE const uint8_t *read_long_digits(const Text *text, const uint8_t *p, uint64_t *value) {
    uint64_t word;
    for (; text->end - p >= 8; p += 8) {
        memcpy(&word, p, 8);
        if (!are_eight_digits(word))
            break;
        *value = *value * 100000000 + eight_digits(word);
    }
    return read_digits(p, value);
}

/* Behind the point at p: rounds microseconds and their decimals half to even, to nanoseconds. */
INLINE const uint8_t *read_decimals(Text *text, const uint8_t *p, uint64_t *value) {
    int decimals = 0;
    for (; decimals < 3 && is_digit(*p); decimals++)
        *value = *value * 10 + (uint64_t)(*p++ - '0');
    if (UNLIKELY(!decimals))
        return stop_at(text, p);
    for (; decimals < 3; decimals++)
        *value *= 10;
    if (LIKELY(!is_digit(*p)))
        return p;
    int next = *p++ - '0', beyond = 0;
    for (; is_digit(*p); p++)
        beyond |= *p != '0';
    *value += next > 5 || (next == 5 && (beyond || *value & 1));
    return p;
}

/* Behind the plain number of microseconds at p; other spellings of times are unclear. */
INLINE const uint8_t *read_time(Text *text, const uint8_t *p, int64_t *time_ns) {
    int negative = *p == '-';
    const uint8_t *first = p + negative;
    uint64_t value = 0;
    p = read_long_digits(text, first, &value);
    if (UNLIKELY(p == first))
        return stop_at(text, p);
    if (UNLIKELY(p - first > MOST_MICROSECOND_DIGITS || (*first == '0' && p - first > 1)))
        return stop_at(text, first);
    if (*p != '.')
        value *= 1000;
    else if (!(p = read_decimals(text, p + 1, &value)))
        return NULL;
    if (UNLIKELY(*p == 'e' || *p == 'E' || value >= LATEST_NS || p - first + negative > LONGEST_NUMBER))
        return stop_at(text, first);
    *time_ns = negative ? -(int64_t)value : (int64_t)value;
    return p;
}

/* What numbers.whole_number makes of a value that is not plain: 7.0, "7" and " 7 " in quotes are 7 too. */
static int read_odd_number(Slice value, int64_t *number) {
    const uint8_t *p = value.begin, *end = p + value.size;
    p += *p == '"';
    while (p < end && *p == ' ')
        p++;
    int negative = *p == '-';
    const uint8_t *first = p += negative;
    uint64_t digits = 0;
    p = read_digits(p, &digits);
    if (p == first || p - first > MOST_DIGITS + 1 || digits > INT64_MAX)
        return 0;
    if (*p == '.')
        for (p++; *p == '0';)
            p++;
    while (p < end && *p == ' ')
        p++;
    p += p < end && *p == '"';
    *number = negative ? -(int64_t)digits : (int64_t)digits;
    return p == end;
}

INLINE const uint8_t *read_number(Text *text, const uint8_t *p, Event *event, int argument) {
    const uint8_t *begin = p, *first = p + (*p == '-');
    uint64_t digits = 0;
    p = read_digits(first, &digits);
    event->odd &= ~(1u << argument);
    if (LIKELY(p > first && p - first <= MOST_DIGITS && (*first != '0' || p == first + 1) && *p != '.' &&
               *p != 'e' && *p != 'E')) {
        event->number[argument] = first > begin ? -(int64_t)digits : (int64_t)digits;
        return p;
    }
    if (!(p = value_end(text, begin)))
        return NULL;
    if (!read_odd_number((Slice){begin, (size_t)(p - begin)}, &event->number[argument]))
        event->odd |= 1u << argument;
    return p;
}

/* A value that Python takes of any type. Lists, objects and numbers that may be out of range are unclear. */
INLINE const uint8_t *read_any(Text *text, const uint8_t *p, Slice *spelt) {
    const uint8_t *end = UNLIKELY(*p == '[' || *p == '{') ? stop_at(text, p) : scalar_end(text, p);
    if (UNLIKELY(!end))
        return NULL;
    *spelt = (Slice){p, (size_t)(end - p)};
    int is_number = is_digit(*p) || *p == '-';
    if (is_number && UNLIKELY(end - p > LONGEST_NUMBER || memchr(p, 'e', spelt->size) || memchr(p, 'E', spelt->size)))
        return stop_at(text, p);
    return end;
}

INLINE const uint8_t *read_spelt(Text *text, const uint8_t *p, Slice *spelt) {
    const uint8_t *end = value_end(text, p);
    if (end)
        *spelt = (Slice){p, (size_t)(end - p)};
    return end;
}

INLINE const uint8_t *read_argument(Text *text, const uint8_t *p, int argument, Event *event) {
    if (argument < 0)
        return value_end(text, p);
    event->given |= 1u << argument;
    if (argument < NUMBERS)
        return read_number(text, p, event, argument);
    Slice *spelt = &event->text[argument - NUMBERS];
    return argument < ANY_END ? read_any(text, p, spelt) : read_spelt(text, p, spelt);
}

/* Behind the comma or the closing brace after a member of an object, and the space around it. */
INLINE const uint8_t *next_member(Text *text, const uint8_t *p, int *closed) {
    p = skip_space(p, text->end);
    *closed = *p == '}';
    if (LIKELY(*p == ','))
        return skip_space(p + 1, text->end);
    return *closed ? p + 1 : stop_at(text, p);
}

INLINE const uint8_t *read_arguments(Text *text, const uint8_t *p, Event *event) {
    int closed = 0, argument;
    if (*p == 'n')
        return word_end(text, p, "null");
    if (UNLIKELY(*p != '{'))
        return stop_at(text, p);
    p = skip_space(p + 1, text->end);
    if (*p == '}')
        return p + 1;
    while (!closed) {
        if (!(p = read_key(text, p, 1, &argument)) || !(p = read_argument(text, p, argument, event)) ||
            !(p = next_member(text, p, &closed)))
            return NULL;
    }
    return p;
}

INLINE const uint8_t *read_field(Text *text, const uint8_t *p, int field, Event *event, int *has_args) {
    switch (field) {
    case TIME:
        event->has_start = 1;
        return read_time(text, p, &event->start_ns);
    case DURATION:
        return read_time(text, p, &event->duration_ns);
    case ARGS:
        /* The later of two counts, as a whole: rare, and nothing for here. */
        if (UNLIKELY((*has_args)++))
            return stop_at(text, p);
        return read_arguments(text, p, event);
    case UNKNOWN:
        return value_end(text, p);
    default:
        return read_any(text, p, &event->spelt[field]);
    }
}

const uint8_t *event_read(Text *text, const uint8_t *p, Event *event) {
    static const Slice missing = {(const uint8_t *)"null", 4};
    int closed = 0, has_args = 0, field;
    for (int i = 0; i < SPELT; i++)
        event->spelt[i] = missing;
    event->duration_ns = 0;
    event->has_start = 0;
    event->given = event->odd = 0;
    if (UNLIKELY(*p != '{'))
        return stop_at(text, p);
    p = skip_space(p + 1, text->end);
    if (UNLIKELY(*p == '}'))
        return p + 1;
    while (!closed) {
        if (!(p = read_key(text, p, 0, &field)) || !(p = read_field(text, p, field, event, &has_args)) ||
            !(p = next_member(text, p, &closed)))
            return NULL;
    }
    return p;
}
