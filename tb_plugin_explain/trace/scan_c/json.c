/* The rarer parts of JSON: escapes, text beyond ASCII, and nested values. */
#include "json.h"

static int hex_digit(uint8_t byte) {
    if (is_digit(byte))
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* Behind four hex digits; their value in `unit`. */
static const uint8_t *hex_end(Text *text, const uint8_t *p, unsigned *unit) {
    *unit = 0;
    for (int i = 0; i < 4; i++, p++) {
        int digit = hex_digit(*p);
        if (digit < 0)
            return stop_at(text, p);
        *unit = *unit << 4 | (unsigned)digit;
    }
    return p;
}

/* Behind the escape whose backslash is at p. Half a surrogate pair is unclear. */
static const uint8_t *escape_end(Text *text, const uint8_t *p) {
    unsigned unit;
    p++;
    if (*p == '"' || *p == '\\' || *p == '/' || *p == 'b' || *p == 'f' || *p == 'n' || *p == 'r' || *p == 't')
        return p + 1;
    if (*p != 'u')
        return stop_at(text, p);
    const uint8_t *first = p;
    if (!(p = hex_end(text, p + 1, &unit)) || unit < 0xd800 || unit > 0xdfff)
        return p;
    if (unit > 0xdbff)
        return stop_at(text, first);
    if (!(p = word_end(text, p, "\\u")) || !(p = hex_end(text, p, &unit)))
        return NULL;
    return unit >= 0xdc00 && unit <= 0xdfff ? p : stop_at(text, first);
}

/* Behind one character beyond ASCII (Unicode, table 3-7). */
static const uint8_t *utf8_end(Text *text, const uint8_t *p) {
    uint8_t lead = *p++, low = 0x80, high = 0xbf;
    int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4)
        return stop_at(text, p - 1);
    if (lead == 0xe0)
        low = 0xa0;
    else if (lead == 0xed)
        high = 0x9f;
    else if (lead == 0xf0)
        low = 0x90;
    else if (lead == 0xf4)
        high = 0x8f;
    for (; more; more--, p++, low = 0x80, high = 0xbf)
        if (*p < low || *p > high)
            return stop_at(text, p);
    return p;
}

/* string_end from the first byte on that is not plain. */
const uint8_t *json_string_special(Text *text, const uint8_t *p) {
    while (*p != '"') {
        if (*p == '\\')
            p = escape_end(text, p);
        else if (*p >= 0x80)
            p = utf8_end(text, p);
        else
            return stop_at(text, p);
        if (!p)
            return NULL;
        p = skip_plain(p, text->end);
    }
    return p + 1;
}

/* Behind the list or object that begins at p. `objects` has a bit for each open level. */
const uint8_t *json_container_end(Text *text, const uint8_t *p) {
    const uint8_t *end = text->end;
    uint64_t objects = 0;
    int depth = 0;
    Slice key;

value:
    if (*p == '[' || *p == '{') {
        if (UNLIKELY(++depth >= JSON_DEEPEST))
            return stop_at(text, p);
        objects = objects << 1 | (*p == '{');
        p = skip_space(p + 1, end);
        if (*p == (objects & 1 ? '}' : ']'))
            goto close;
        if (objects & 1)
            goto member;
        goto value;
    }
    if (!(p = scalar_end(text, p)))
        return NULL;
after_value:
    p = skip_space(p, end);
    if (*p == ',') {
        p = skip_space(p + 1, end);
        if (objects & 1)
            goto member;
        goto value;
    }
    if (UNLIKELY(*p != (objects & 1 ? '}' : ']')))
        return stop_at(text, p);
close:
    p++;
    objects >>= 1;
    if (--depth == 0)
        return p;
    goto after_value;
member:
    if (!(p = key_end(text, p, &key)))
        return NULL;
    goto value;
}
