/* From one event as it is spelt to one row of numbers: what columns.py and details.py do by the batch. */
#include "table.h"

#include <math.h>
#include <stdlib.h>

#define NONE (-1)
#define MOST_ELEMENTS ((int64_t)1 << 58) /* details._MOST_ELEMENTS */
#define FIRST_ROWS 1024

/* Meanings below 0 are no meanings: */
enum { FAILED = -1, CROWDED = -2, NO_MEMORY = -3 };

static const Slice nothing = {(const uint8_t *)"", 0};

static int32_t meaning_of(Rows *rows, int question, Slice a, Slice b, int32_t context) {
    Interner *interner = &rows->interners[question];
    Spelling spelling = {a, b, context};
    uint32_t hash;
    int64_t found = intern_find(interner, &spelling, &hash);
    if (LIKELY(found >= 0))
        return interner->items[found].meaning;
    if (found == INTERN_CROWDED)
        return CROWDED;
    int32_t meaning = rows->answer(rows->who, question, &spelling);
    if (meaning >= 0 && intern_add(interner, &spelling, hash, meaning))
        return NO_MEMORY;
    return meaning;
}

static RowOutcome why_not(int32_t meaning) {
    return meaning == CROWDED ? ROW_UNCLEAR : meaning == NO_MEMORY ? ROW_NO_MEMORY : ROW_FAILED;
}

/* realloc moves no page of a large block; pages beyond the rows stay untouched. */
static int grow(void **column, size_t rows, size_t width) {
    void *grown = rows > SIZE_MAX / width ? NULL : realloc(*column, rows * width);
    if (grown)
        *column = grown;
    return grown ? 0 : -1;
}

static int make_room(Table *table, int wanted) {
    if (LIKELY(table->count[wanted] < table->capacity[wanted]))
        return 0;
    size_t capacity = table->capacity[wanted] ? 2 * table->capacity[wanted] : FIRST_ROWS;
#define GROW(group, name, type) \
    if (group == wanted && grow((void **)&table->name, capacity, sizeof(type))) \
        return -1;
    COLUMN_LIST(GROW)
#undef GROW
    table->capacity[wanted] = capacity;
    return 0;
}

static int is_null(Slice text) {
    return text.begin[0] == 'n';
}

typedef struct {
    int kind;
    int32_t name, lane, device, stream, shape, collective, element_bytes, address;
    int64_t size_bytes;
    float occupancy;
} Row;

/* The first queue of an event that is told, else its thread: columns._queue. */
static Slice queue_of(const Event *event) {
    for (int argument = STREAM; argument <= HSA_QUEUE; argument++)
        if (is_given(event, argument) && !is_null(text_of(event, argument)))
            return text_of(event, argument);
    return event->spelt[THREAD];
}

static int32_t device_of(Rows *rows, const Event *event) {
    static const int told[] = {DEVICE, FROM_DEVICE, IN_DEVICE};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        int64_t number = number_of(event, told[i], NONE, NONE);
        if (number >= 0 && number <= INT32_MAX)
            return (int32_t)number;
    }
    return meaning_of(rows, ASK_DEVICE, event->spelt[PROCESS], nothing, 0);
}

/* Exact for the plain decimals that a double holds exactly; 0 for others. */
static int read_occupancy(Slice text, float *percent) {
    static const double powers[] = {1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
    int64_t digits = 0;
    size_t point = text.size;
    if (text.size > 15)
        return 0;
    for (size_t i = 0; i < text.size; i++) {
        if (is_digit(text.begin[i]))
            digits = digits * 10 + (text.begin[i] - '0');
        else if (text.begin[i] == '.')
            point = i;
        else
            return 0;
    }
    *percent = (float)((double)digits / powers[point < text.size ? text.size - point - 1 : 0]);
    return 1;
}

static int find_gpu_work(Rows *rows, const Event *event, Row *row) {
    if ((row->device = device_of(rows, event)) < 0)
        return row->device;
    if (row->kind != KIND_KERNEL)
        row->size_bytes = number_of(event, is_given(event, BYTES) ? BYTES : SIZE, NONE, NONE);
    return row->stream = meaning_of(rows, ASK_STREAM, queue_of(event), nothing, row->device);
}

static int find_operator(Rows *rows, const Event *event, Row *row) {
    int dims = is_given(event, DIMS) ? DIMS : DIMS_2021;
    if (!is_given(event, dims))
        return 0;
    return row->shape = meaning_of(rows, ASK_DIMS, text_of(event, dims), nothing, 0);
}

static int find_kernel(Rows *rows, const Event *event, Row *row) {
    if (is_given(event, GRID) && is_given(event, BLOCK)) {
        row->shape = meaning_of(rows, ASK_LAUNCH, text_of(event, GRID), text_of(event, BLOCK), 0);
        if (row->shape < 0)
            return row->shape;
    }
    if (row->collective < 0)
        return 0;
    row->collective = meaning_of(rows, ASK_COLLECTIVE, text_of(event, COLLECTIVE), nothing, 0);
    if (row->collective < 0)
        return row->collective;
    if (!is_given(event, DTYPE))
        return 0;
    return row->element_bytes = meaning_of(rows, ASK_ELEMENT_BYTES, text_of(event, DTYPE), nothing, 0);
}

static int find_address(Rows *rows, const Event *event, Row *row) {
    static const Slice missing = {(const uint8_t *)"-1", 2};
    Slice address = is_given(event, ADDRESS) ? text_of(event, ADDRESS) : missing;
    return row->address = meaning_of(rows, ASK_ADDRESS, address, nothing, 0);
}

/* Everything about a row that can fail, before anything of it is added. */
static int find_meanings(Rows *rows, const Event *event, Row *row) {
    int found = 0;
    row->name = meaning_of(rows, ASK_NAME, event->spelt[NAME], nothing, 0);
    if (row->name < 0)
        return row->name;
    row->lane = meaning_of(rows, ASK_LANE, event->spelt[PROCESS], event->spelt[THREAD], 0);
    if (row->lane < 0)
        return row->lane;
    if (row->kind == KIND_KERNEL || row->kind == KIND_MEMCPY || row->kind == KIND_MEMSET)
        found = find_gpu_work(rows, event, row);
    if (found >= 0 && row->kind == KIND_CPU_OP)
        found = find_operator(rows, event, row);
    if (found >= 0 && row->kind == KIND_KERNEL)
        found = find_kernel(rows, event, row);
    if (found >= 0 && row->kind == KIND_INSTANT)
        found = find_address(rows, event, row);
    return found;
}

static void put_event(Table *table, const Event *event, const Row *row, int64_t ordinal) {
    size_t i = table->count[EVENTS]++;
    int64_t correlation = number_of(event, CORRELATION, 0, 0);
    table->start_ns[i] = event->start_ns;
    table->duration_ns[i] = event->duration_ns;
    table->name[i] = row->name;
    table->category[i] = (uint8_t)row->kind;
    table->lane[i] = row->lane;
    table->correlation[i] = correlation == NONE ? 0 : correlation;
    table->external_id[i] =
        number_of(event, is_given(event, EXTERNAL_ID) ? EXTERNAL_ID : EXTERNAL_ID_2021, NONE, NONE);
    table->device[i] = row->device;
    table->stream[i] = row->stream;
    table->size_bytes[i] = row->size_bytes;
    table->collective[i] = row->collective != NONE;
    table->ordinal[i] = ordinal;
}

static void put_operator(Table *table, const Event *event, const Row *row, int64_t ordinal) {
    if (!is_given(event, SEQUENCE) && row->shape < 0)
        return;
    size_t i = table->count[OPERATORS]++;
    table->operator_row[i] = ordinal;
    table->operator_sequence[i] = number_of(event, SEQUENCE, NONE, NONE);
    table->operator_shape[i] = row->shape;
}

/* Details._message_bytes. */
static int64_t message_bytes(const Event *event, const Row *row) {
    int64_t in = number_of(event, ELEMENTS_IN, NONE, NONE), out = number_of(event, ELEMENTS_OUT, NONE, NONE);
    int64_t elements = in > out ? in : out;
    return row->element_bytes && elements >= 0 && elements <= MOST_ELEMENTS ? elements * row->element_bytes : NONE;
}

static void put_kernel(Table *table, const Event *event, const Row *row, int64_t ordinal) {
    size_t i = table->count[KERNELS]++;
    table->kernel_row[i] = ordinal;
    table->kernel_shape[i] = row->shape;
    table->kernel_occupancy[i] = row->occupancy;
    if (row->collective < 0)
        return;
    i = table->count[COMMUNICATION]++;
    table->communication_row[i] = ordinal;
    table->communication_collective[i] = row->collective;
    table->communication_bytes[i] = message_bytes(event, row);
}

static int32_t small_number(const Event *event, int argument) {
    int64_t number = number_of(event, argument, NONE, NONE);
    return number >= -INT32_MAX && number <= INT32_MAX ? (int32_t)number : NONE;
}

static void put_memory(Table *table, const Event *event, const Row *row, int64_t ordinal) {
    size_t i = table->count[MEMORY]++;
    table->memory_row[i] = ordinal;
    table->memory_address[i] = row->address;
    table->memory_size[i] = number_of(event, MEMORY_BYTES, NONE, 0);
    table->memory_allocated[i] = number_of(event, ALLOCATED, NONE, NONE);
    table->memory_reserved[i] = number_of(event, RESERVED, NONE, NONE);
    table->memory_device_type[i] = small_number(event, DEVICE_TYPE);
    table->memory_device[i] = small_number(event, DEVICE_ID);
}

/* The category of a timed event; columns._categories. */
static int32_t category_of(Rows *rows, const Event *event, int32_t kind) {
    if (kind < KIND_BY_NAME)
        return kind;
    return meaning_of(rows, ASK_CATEGORY, event->spelt[PROCESS], event->spelt[NAME], kind);
}

static int has_times(const Event *event) {
    int64_t length_ns = event->duration_ns > 0 ? event->duration_ns : 0;
    return event->has_start && event->start_ns <= LATEST_NS - length_ns;
}

static int make_rooms(Table *table) {
    for (int group = 0; group < GROUPS; group++)
        if (make_room(table, group))
            return -1;
    return 0;
}

static RowOutcome add_timed(Rows *rows, const Event *event, int32_t kind, int64_t ordinal) {
    int told = is_given(event, COLLECTIVE) && !is_null(text_of(event, COLLECTIVE));
    Row row = {.device = NONE, .stream = NONE, .size_bytes = NONE, .shape = NONE, .occupancy = NAN};
    if (UNLIKELY(!has_times(event)))
        return ROW_UNCLEAR;
    row.collective = told ? 0 : NONE;
    row.kind = category_of(rows, event, kind);
    int found = row.kind < 0 ? row.kind : find_meanings(rows, event, &row);
    if (UNLIKELY(found < 0))
        return why_not(found);
    if (row.kind == KIND_KERNEL && is_given(event, OCCUPANCY) &&
        !read_occupancy(text_of(event, OCCUPANCY), &row.occupancy))
        return ROW_UNCLEAR;
    if (UNLIKELY(make_rooms(&rows->table)))
        return ROW_NO_MEMORY;
    put_event(&rows->table, event, &row, ordinal);
    if (row.kind == KIND_CPU_OP)
        put_operator(&rows->table, event, &row, ordinal);
    else if (row.kind == KIND_KERNEL)
        put_kernel(&rows->table, event, &row, ordinal);
    else if (row.kind == KIND_INSTANT)
        put_memory(&rows->table, event, &row, ordinal);
    return ROW_ADDED;
}

/* Of metadata only the names of threads count: columns._note_metadata. */
static RowOutcome note_metadata(Rows *rows, const Event *event) {
    static const char thread_name[] = "\"thread_name\"";
    Slice name = event->spelt[NAME];
    if (memchr(name.begin, '\\', name.size))
        return ROW_UNCLEAR;
    if (name.size != sizeof thread_name - 1 || memcmp(name.begin, thread_name, name.size) ||
        !is_given(event, ARGUMENT_NAME) || text_of(event, ARGUMENT_NAME).begin[0] != '"')
        return ROW_NONE;
    int32_t meaning = meaning_of(rows, ASK_THREAD_NAME, text_of(event, ARGUMENT_NAME), nothing, 0);
    if (meaning >= 0)
        meaning = meaning_of(rows, ASK_THREAD, event->spelt[PROCESS], event->spelt[THREAD], meaning);
    return meaning < 0 ? why_not(meaning) : ROW_NONE;
}

RowOutcome rows_add(Rows *rows, const Event *event, int64_t ordinal) {
    int32_t kind = meaning_of(rows, ASK_KIND, event->spelt[PHASE], event->spelt[CATEGORY], 0);
    if (UNLIKELY(kind < 0))
        return why_not(kind);
    if (kind < KIND_BEGIN)
        return add_timed(rows, event, kind, ordinal);
    if (kind <= KIND_END)
        return ROW_ASIDE;
    if (kind == KIND_METADATA)
        return note_metadata(rows, event);
    rows->malformed += kind == KIND_MALFORMED;
    return ROW_NONE;
}

void rows_free(Rows *rows) {
#define FREE(group, name, type) free(rows->table.name);
    COLUMN_LIST(FREE)
#undef FREE
    for (int question = 0; question < QUESTIONS; question++)
        intern_free(&rows->interners[question]);
    memset(rows, 0, sizeof *rows);
}
