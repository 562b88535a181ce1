#include "scan.h"

#include <stdlib.h>

static int add_aside(Scan *scan, int64_t begin, int64_t end, int64_t ordinal) {
    if (scan->aside_count == scan->aside_capacity) {
        size_t wanted = scan->aside_capacity ? 2 * scan->aside_capacity : 64;
        int64_t *asides = realloc(scan->asides, 3 * wanted * sizeof *asides);
        if (!asides)
            return -1;
        scan->asides = asides;
        scan->aside_capacity = wanted;
    }
    int64_t *aside = scan->asides + 3 * scan->aside_count++;
    aside[0] = begin;
    aside[1] = end;
    aside[2] = ordinal;
    return 0;
}

/* Behind the comma after an entry, where the next begins; an entry that is the last is left to Python. */
static const uint8_t *next_entry(Text *text, const uint8_t *p) {
    p = skip_space(p, text->end);
    if (*p != ',')
        return stop_at(text, p);
    p = skip_space(p + 1, text->end);
    return *p == '{' ? p : stop_at(text, p);
}

void scan_text(Rows *rows, const uint8_t *begin, size_t size, int64_t ordinal, Scan *scan) {
    Text text = {begin + size, NULL};
    Event event;
    const uint8_t *p = begin, *end, *next;
    for (;; p = next) {
        scan->position = p;
        p = skip_space(p, text.end);
        if (!(end = event_read(&text, p, &event)) || !(next = next_entry(&text, end))) {
            scan->unclear = text.stop < text.end;
            return;
        }
        scan->outcome = rows_add(rows, &event, ordinal);
        if (scan->outcome == ROW_ASIDE && add_aside(scan, p - begin, end - begin, ordinal))
            scan->outcome = ROW_NO_MEMORY;
        if (scan->outcome >= ROW_UNCLEAR) {
            scan->unclear = 1;
            return;
        }
        scan->entries++;
        ordinal++;
    }
}
