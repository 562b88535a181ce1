/* One entry of traceEvents: the fields and arguments that are read, still as they are spelt. */
#ifndef TB_EXPLAIN_EVENT_H
#define TB_EXPLAIN_EVENT_H

#include "json.h"

/* Arguments that are whole numbers: entries.Args has their names. */
enum {
    CORRELATION,
    EXTERNAL_ID,
    EXTERNAL_ID_2021,
    DEVICE,
    FROM_DEVICE,
    IN_DEVICE,
    BYTES,
    SIZE,
    ELEMENTS_IN,
    ELEMENTS_OUT,
    SEQUENCE,
    MEMORY_BYTES,
    ALLOCATED,
    RESERVED,
    DEVICE_TYPE,
    DEVICE_ID,
    NUMBERS,
    /* Arguments of any type, kept as they are spelt. */
    STREAM = NUMBERS,
    SYCL_QUEUE,
    QUEUE,
    L0_QUEUE,
    HSA_QUEUE,
    COLLECTIVE,
    DTYPE,
    ARGUMENT_NAME,
    ANY_END,
    /* Arguments of which the text counts. */
    DIMS = ANY_END,
    DIMS_2021,
    GRID,
    BLOCK,
    OCCUPANCY,
    ADDRESS,
    ARGUMENTS
};

/* Fields that are kept as they are spelt. */
enum { PHASE, CATEGORY, NAME, PROCESS, THREAD, SPELT };

typedef struct {
    Slice spelt[SPELT];
    int64_t start_ns, duration_ns;
    int has_start;
    uint32_t given; /* a bit for each argument */
    uint32_t odd;   /* a bit for each number that is given and is none */
    int64_t number[NUMBERS];
    Slice text[ARGUMENTS - NUMBERS];
} Event;

INLINE int is_given(const Event *event, int argument) {
    return event->given >> argument & 1;
}

INLINE Slice text_of(const Event *event, int argument) {
    return event->text[argument - NUMBERS];
}

/* An argument as a number: `absent` if it is missing, `odd` if it is no number (numbers.whole_number). */
INLINE int64_t number_of(const Event *event, int argument, int64_t absent, int64_t odd) {
    if (!is_given(event, argument))
        return absent;
    return event->odd >> argument & 1 ? odd : event->number[argument];
}

/* Reads the entry at p into `event`. Behind it, or NULL: see json.h. */
const uint8_t *event_read(Text *text, const uint8_t *p, Event *event);

/* Times beyond it are no times: numbers.LATEST_NS. */
#define LATEST_NS 3000000000000000000

#endif
