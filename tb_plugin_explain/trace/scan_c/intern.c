#include "intern.h"

#include <stdlib.h>

#define MOST_PROBES 64
#define FIRST_SLOTS 256
#define MOST_ITEMS (1u << 30)

INLINE uint64_t load8(const uint8_t *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

INLINE uint64_t load4(const uint8_t *p) {
    uint32_t word;
    memcpy(&word, p, 4);
    return word;
}

INLINE uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

INLINE uint64_t hash_piece(uint64_t hash, Slice piece) {
    const uint8_t *p = piece.begin;
    size_t size = piece.size;
    hash = mix(hash, size);
    if (size >= 8) {
        for (; size > 8; p += 8, size -= 8)
            hash = mix(hash, load8(p));
        return mix(hash, load8(p + size - 8));
    }
    if (size >= 4)
        return mix(hash, load4(p) | load4(p + size - 4) << 32);
    if (size)
        return mix(hash, p[0] | (uint64_t)p[size / 2] << 8 | (uint64_t)p[size - 1] << 16);
    return hash;
}

/* The last characters of a spelling differ most often, and lie in the highest bits. */
INLINE uint32_t spread(uint64_t hash) {
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
    return (uint32_t)(hash >> 32);
}

INLINE int is_same(const Interner *interner, const Interned *item, const Spelling *spelling) {
    const uint8_t *kept = interner->text + item->offset;
    return item->size_a == spelling->a.size && item->size_b == spelling->b.size &&
           item->context == spelling->context && !memcmp(kept, spelling->a.begin, spelling->a.size) &&
           !memcmp(kept + spelling->a.size, spelling->b.begin, spelling->b.size);
}

int64_t intern_find(Interner *interner, const Spelling *spelling, uint32_t *hash) {
    if (interner->count && is_same(interner, &interner->items[interner->last], spelling))
        return interner->last; /* neighbours are often alike */
    uint64_t wide = hash_piece(mix((uint32_t)spelling->context, 1), spelling->a);
    if (spelling->b.size)
        wide = hash_piece(wide, spelling->b);
    *hash = spread(wide);
    if (UNLIKELY(!interner->slot_count))
        return INTERN_NEW;
    uint32_t mask = interner->slot_count - 1, place = *hash & mask;
    for (int probes = 0; probes < MOST_PROBES; probes++, place = (place + 1) & mask) {
        uint32_t slot = interner->slots[place];
        if (!slot)
            return INTERN_NEW;
        const Interned *item = &interner->items[slot - 1];
        if (item->hash == *hash && is_same(interner, item, spelling)) {
            interner->last = slot - 1;
            return slot - 1;
        }
    }
    return INTERN_CROWDED;
}

static void place_item(Interner *interner, uint32_t index) {
    uint32_t mask = interner->slot_count - 1, place = interner->items[index].hash & mask;
    while (interner->slots[place])
        place = (place + 1) & mask;
    interner->slots[place] = index + 1;
}

/* Keeps at least half of the slots free. */
static int grow_slots(Interner *interner) {
    uint32_t wanted = interner->slot_count ? 2 * interner->slot_count : FIRST_SLOTS;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (!slots)
        return -1;
    free(interner->slots);
    interner->slots = slots;
    interner->slot_count = wanted;
    for (uint32_t i = 0; i < interner->count; i++)
        place_item(interner, i);
    return 0;
}

static int grow_items(Interner *interner) {
    uint32_t wanted = interner->item_capacity ? 2 * interner->item_capacity : FIRST_SLOTS;
    Interned *items = realloc(interner->items, wanted * sizeof *items);
    if (!items)
        return -1;
    interner->items = items;
    interner->item_capacity = wanted;
    return 0;
}

static int grow_text(Interner *interner, size_t more) {
    size_t wanted = interner->text_capacity ? 2 * interner->text_capacity : 1 << 14;
    while (wanted - interner->text_size < more)
        wanted *= 2;
    uint8_t *text = realloc(interner->text, wanted);
    if (!text)
        return -1;
    interner->text = text;
    interner->text_capacity = wanted;
    return 0;
}

int intern_add(Interner *interner, const Spelling *spelling, uint32_t hash, int32_t meaning) {
    size_t size = spelling->a.size + spelling->b.size;
    if (interner->count >= MOST_ITEMS)
        return -1;
    if (2 * (interner->count + 1) > interner->slot_count && grow_slots(interner))
        return -1;
    if (interner->count == interner->item_capacity && grow_items(interner))
        return -1;
    if (interner->text_capacity - interner->text_size < size + 1 && grow_text(interner, size + 1))
        return -1;
    uint8_t *kept = interner->text + interner->text_size;
    memcpy(kept, spelling->a.begin, spelling->a.size);
    if (spelling->b.size)
        memcpy(kept + spelling->a.size, spelling->b.begin, spelling->b.size);
    interner->items[interner->count] = (Interned){interner->text_size, (uint32_t)spelling->a.size,
                                                  (uint32_t)spelling->b.size, hash, spelling->context, meaning};
    interner->text_size += size;
    interner->last = interner->count;
    place_item(interner, interner->count++);
    return 0;
}

void intern_free(Interner *interner) {
    free(interner->slots);
    free(interner->items);
    free(interner->text);
    memset(interner, 0, sizeof *interner);
}
