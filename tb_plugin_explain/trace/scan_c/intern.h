/* Each distinct spelling once: pieces of text -> what Python says that they mean.
 *
 * A spelling is two pieces and a number. It is found by hash and then compared byte by byte: equal hashes
 * alone mean nothing. The text is kept, as the chunk that it comes from goes.
 */
#ifndef TB_EXPLAIN_INTERN_H
#define TB_EXPLAIN_INTERN_H

#include "json.h"

typedef struct {
    Slice a, b;
    int32_t context;
} Spelling;

typedef struct {
    size_t offset; /* of its text, the two pieces in a row */
    uint32_t size_a, size_b, hash;
    int32_t context, meaning;
} Interned;

typedef struct {
    uint32_t *slots; /* index into items, plus 1; 0 is free */
    uint32_t slot_count, count, item_capacity, last;
    Interned *items;
    uint8_t *text;
    size_t text_size, text_capacity;
} Interner;

enum { INTERN_NEW = -1, INTERN_CROWDED = -2 };

/* Index of a spelling, INTERN_NEW (then `hash` is what intern_add needs), or INTERN_CROWDED: too many
 * others share its place, as only a file does that is made for that. */
int64_t intern_find(Interner *interner, const Spelling *spelling, uint32_t *hash);

/* Adds a spelling that was not found; 0, or -1 without memory. */
int intern_add(Interner *interner, const Spelling *spelling, uint32_t hash, int32_t meaning);

void intern_free(Interner *interner);

#endif
