/* Growing columns of numbers, and the rows of events that go into them. */
#ifndef TB_EXPLAIN_TABLE_H
#define TB_EXPLAIN_TABLE_H

#include "event.h"
#include "intern.h"

/* What Python is asked, once for each distinct spelling. native.py answers; the order is shared. */
enum { ASK_KIND, ASK_CATEGORY, ASK_NAME, ASK_LANE, ASK_DEVICE, ASK_STREAM, ASK_DIMS, ASK_LAUNCH, ASK_ADDRESS,
       ASK_COLLECTIVE, ASK_ELEMENT_BYTES, ASK_THREAD_NAME, ASK_THREAD, QUESTIONS };

/* categories.Category and categories.Kind. */
enum { KIND_CPU_OP = 1, KIND_KERNEL = 6, KIND_MEMCPY = 7, KIND_MEMSET = 8, KIND_INSTANT = 12, KIND_BY_NAME = 16,
       KIND_BEGIN = 32, KIND_END = 33, KIND_METADATA = 34, KIND_MALFORMED = 36 };

/* Columns by group: a group's columns have one element a row of it. */
#define COLUMN_LIST(_)                  \
    _(EVENTS, start_ns, int64_t)        \
    _(EVENTS, duration_ns, int64_t)     \
    _(EVENTS, name, int32_t)            \
    _(EVENTS, category, uint8_t)        \
    _(EVENTS, lane, int32_t)            \
    _(EVENTS, correlation, int64_t)     \
    _(EVENTS, external_id, int64_t)     \
    _(EVENTS, device, int32_t)          \
    _(EVENTS, stream, int32_t)          \
    _(EVENTS, size_bytes, int64_t)      \
    _(EVENTS, collective, uint8_t)      \
    _(EVENTS, ordinal, int64_t)         \
    _(OPERATORS, operator_row, int64_t) \
    _(OPERATORS, operator_sequence, int64_t) \
    _(OPERATORS, operator_shape, int32_t) \
    _(KERNELS, kernel_row, int64_t)     \
    _(KERNELS, kernel_shape, int32_t)   \
    _(KERNELS, kernel_occupancy, float) \
    _(MEMORY, memory_row, int64_t)      \
    _(MEMORY, memory_address, int32_t)  \
    _(MEMORY, memory_size, int64_t)     \
    _(MEMORY, memory_allocated, int64_t) \
    _(MEMORY, memory_reserved, int64_t) \
    _(MEMORY, memory_device_type, int32_t) \
    _(MEMORY, memory_device, int32_t)   \
    _(COMMUNICATION, communication_row, int64_t) \
    _(COMMUNICATION, communication_collective, int32_t) \
    _(COMMUNICATION, communication_bytes, int64_t)

enum { EVENTS, OPERATORS, KERNELS, MEMORY, COMMUNICATION, GROUPS };

typedef struct {
#define DECLARE(group, name, type) type *name;
    COLUMN_LIST(DECLARE)
#undef DECLARE
    size_t count[GROUPS], capacity[GROUPS];
} Table;

/* Answers a question about a spelling; negative (with a Python error set) if that fails. */
typedef int32_t (*Answer)(void *who, int question, const Spelling *spelling);

typedef struct {
    Table table;
    Interner interners[QUESTIONS];
    Answer answer;
    void *who;
    int64_t malformed;
} Rows;

typedef enum { ROW_ADDED, ROW_NONE, ROW_ASIDE, ROW_UNCLEAR, ROW_FAILED, ROW_NO_MEMORY } RowOutcome;

/* Adds what the columns hold of an event. ROW_ASIDE: it is for Python, but gives no row (yet), as the begin
 * or end of a pair; ROW_UNCLEAR: nothing was added. */
RowOutcome rows_add(Rows *rows, const Event *event, int64_t ordinal);

void rows_free(Rows *rows);

#endif
