/* The loop over the entries of a text; knows nothing of Python, so that it can be tested without. */
#ifndef TB_EXPLAIN_SCAN_H
#define TB_EXPLAIN_SCAN_H

#include "table.h"

/* What a scan came to. `asides`: begin and end in the text, and ordinal, of entries that Python reads. */
typedef struct {
    const uint8_t *position; /* behind the last entry that was taken, and its comma */
    int64_t entries;
    int unclear;
    int64_t *asides;
    size_t aside_count, aside_capacity;
    RowOutcome outcome;
} Scan;

/* Takes entries from `begin` on, until one is unclear or not whole. A NUL byte has to follow the text. */
void scan_text(Rows *rows, const uint8_t *begin, size_t size, int64_t ordinal, Scan *scan);

#endif
