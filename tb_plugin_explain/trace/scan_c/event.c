#include "event.h"

#define MOST_DIGITS 18 /* always fit int64 */
#define LONGEST_NUMBER 40
#define MOST_MICROSECOND_DIGITS 16

enum { TIME = SPELT, DURATION, ARGS };

#define IS(text, found) \
    if (!memcmp(name.begin, text, sizeof(text) - 1)) \
    return found

/* The field or, below, the argument of this name; -1 if it is none that is read. */
INLINE int find_field(Slice name) {
    switch (name.size) {
    case 2:
        IS("ph", PHASE);
        IS("ts", TIME);
        break;
    case 3:
        IS("pid", PROCESS);
        IS("tid", THREAD);
        IS("cat", CATEGORY);
        IS("dur", DURATION);
        break;
    case 4:
        IS("name", NAME);
        IS("args", ARGS);
        break;
    }
    return -1;
}

INLINE int find_argument(Slice name) {
    switch (name.size) {
    case 4:
        IS("grid", GRID);
        IS("name", ARGUMENT_NAME);
        IS("size", SIZE);
        IS("Addr", ADDRESS);
        break;
    case 5:
        IS("bytes", BYTES);
        IS("block", BLOCK);
        IS("Bytes", MEMORY_BYTES);
        IS("queue", QUEUE);
        IS("dtype", DTYPE);
        break;
    case 6:
        IS("device", DEVICE);
        IS("stream", STREAM);
        break;
    case 8:
        IS("inDevice", IN_DEVICE);
        IS("l0 queue", L0_QUEUE);
        break;
    case 9:
        IS("hsa_queue", HSA_QUEUE);
        IS("Device Id", DEVICE_ID);
        break;
    case 10:
        IS("Input Dims", DIMS);
        IS("Input dims", DIMS_2021);
        IS("fromDevice", FROM_DEVICE);
        IS("sycl queue", SYCL_QUEUE);
        break;
    case 11:
        IS("External id", EXTERNAL_ID);
        IS("correlation", CORRELATION);
        IS("external id", EXTERNAL_ID_2021);
        IS("Device Type", DEVICE_TYPE);
        break;
    case 13:
        IS("In msg nelems", ELEMENTS_IN);
        break;
    case 14:
        IS("Out msg nelems", ELEMENTS_OUT);
        IS("Total Reserved", RESERVED);
        break;
    case 15:
        IS("Sequence number", SEQUENCE);
        IS("Collective name", COLLECTIVE);
        IS("Total Allocated", ALLOCATED);
        break;
    case 25:
        IS("est. achieved occupancy %", OCCUPANCY);
        break;
    }
    return -1;
}

/* A key with an escape may be one of those in disguise. */
INLINE int is_disguised(Slice key) {
    return UNLIKELY(memchr(key.begin, '\\', key.size) != NULL);
}

INLINE const uint8_t *read_digits(const uint8_t *p, uint64_t *value) {
    uint64_t number = 0;
    for (; is_digit(*p); p++)
        number = number * 10 + (uint64_t)(*p - '0');
    *value = number;
    return p;
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
    uint64_t value;
    p = read_digits(first, &value);
    if (UNLIKELY(p == first))
        return stop_at(text, p);
    if (UNLIKELY(p - first > MOST_MICROSECOND_DIGITS || (*first == '0' && p - first > 1)))
        return stop_at(text, first);
    if (*p != '.')
        value *= 1000;
    else if (!(p = read_decimals(text, p + 1, &value)))
        return NULL;
    if (UNLIKELY(*p == 'e' || *p == 'E' || value >= LATEST_NS))
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
    uint64_t digits;
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
    uint64_t digits;
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

INLINE const uint8_t *read_argument(Text *text, const uint8_t *p, Slice key, Event *event) {
    int argument = find_argument(key);
    if (argument < 0)
        return is_disguised(key) ? stop_at(text, key.begin) : value_end(text, p);
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
    Slice key;
    int closed = 0;
    if (*p == 'n')
        return word_end(text, p, "null");
    if (UNLIKELY(*p != '{'))
        return stop_at(text, p);
    p = skip_space(p + 1, text->end);
    if (*p == '}')
        return p + 1;
    while (!closed) {
        if (!(p = key_end(text, p, &key)) || !(p = read_argument(text, p, key, event)) ||
            !(p = next_member(text, p, &closed)))
            return NULL;
    }
    return p;
}

INLINE const uint8_t *read_field(Text *text, const uint8_t *p, Slice key, Event *event, int *has_args) {
    int field = find_field(key);
    switch (field) {
    case TIME:
        event->has_start = 1;
        return read_time(text, p, &event->start_ns);
    case DURATION:
        return read_time(text, p, &event->duration_ns);
    case ARGS:
        /* The later of two counts, as a whole: rare, and nothing for here. */
        if (UNLIKELY((*has_args)++))
            return stop_at(text, key.begin);
        return read_arguments(text, p, event);
    case -1:
        return is_disguised(key) ? stop_at(text, key.begin) : value_end(text, p);
    default:
        return read_any(text, p, &event->spelt[field]);
    }
}

const uint8_t *event_read(Text *text, const uint8_t *p, Event *event) {
    static const Slice missing = {(const uint8_t *)"null", 4};
    Slice key;
    int closed = 0, has_args = 0;
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
        if (!(p = key_end(text, p, &key)) || !(p = read_field(text, p, key, event, &has_args)) ||
            !(p = next_member(text, p, &closed)))
            return NULL;
    }
    return p;
}
