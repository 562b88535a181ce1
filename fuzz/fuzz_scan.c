/* libFuzzer target: any bytes, taken as the inside of traceEvents. See README.md.
 *
 * Beside what the sanitizers find, it holds that text in small pieces gives the same rows as the whole text,
 * and that the sweep over a thread makes a tree. */
#include <assert.h>
#include <stdlib.h>

#include "../tb_plugin_explain/trace/scan_c/nesting.h"
#include "../tb_plugin_explain/trace/scan_c/scan.h"

#define LARGEST_INPUT (1 << 16)

static int is_text(Slice slice, const char *text) {
    return slice.size == strlen(text) && !memcmp(slice.begin, text, slice.size);
}

static int32_t kind_of(const Spelling *asked) {
    static const struct {
        const char *category;
        int32_t kind;
    } kinds[] = {{"\"cpu_op\"", KIND_CPU_OP},         {"\"kernel\"", KIND_KERNEL},
                 {"\"gpu_memcpy\"", KIND_MEMCPY},     {"\"gpu_memset\"", KIND_MEMSET},
                 {"\"cpu_instant_event\"", KIND_INSTANT}, {"null", KIND_BY_NAME}};
    if (is_text(asked->a, "\"M\""))
        return KIND_METADATA;
    if (is_text(asked->a, "\"B\"") || is_text(asked->a, "\"E\""))
        return is_text(asked->a, "\"B\"") ? KIND_BEGIN : KIND_END;
    if (is_text(asked->a, "null"))
        return KIND_MALFORMED;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_text(asked->b, kinds[i].category))
            return kinds[i].kind;
    return 0;
}

/* Stands in for native.py: any answer will do that is the same for the same spelling. */
static int32_t answer(void *who, int question, const Spelling *asked) {
    (void)who;
    switch (question) {
    case ASK_KIND:
        return kind_of(asked);
    case ASK_CATEGORY:
        return asked->b.size % 2 ? KIND_CPU_OP : KIND_KERNEL;
    default:
        return (int32_t)(asked->a.size * 31 + asked->b.size);
    }
}

/* Text in memory of its own that ends where the text does, so that reading on is found. */
static uint8_t *copy_of(const uint8_t *text, size_t size) {
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, text, size);
    copy[size] = 0;
    return copy;
}

/* Scans as scan.py does, `step` bytes more each time; how many bytes were taken. */
static size_t scan_in_steps(Rows *rows, const uint8_t *text, size_t size, size_t step) {
    size_t taken = 0, given = 0;
    int64_t entries = 0;
    Scan scan = {0};
    while (given < size && !scan.unclear) {
        given = size - given < step ? size : given + step;
        uint8_t *window = copy_of(text + taken, given - taken);
        scan = (Scan){0};
        scan_text(rows, window, given - taken, entries, &scan);
        taken += (size_t)(scan.position - window);
        entries += scan.entries;
        free(scan.asides);
        free(window);
    }
    return taken;
}

static void assert_same_table(const Table *one, const Table *other) {
    for (int group = 0; group < GROUPS; group++)
        assert(one->count[group] == other->count[group]);
#define ASSERT_SAME(group, name, type) \
    assert(!one->count[group] || !memcmp(one->name, other->name, one->count[group] * sizeof(type)));
    COLUMN_LIST(ASSERT_SAME)
#undef ASSERT_SAME
}

static void check_scan(const uint8_t *text, size_t size, size_t step) {
    Rows whole = {.answer = answer}, pieces = {.answer = answer};
    size_t taken = scan_in_steps(&whole, text, size, size);
    assert(scan_in_steps(&pieces, text, size, step) == taken);
    assert(whole.malformed == pieces.malformed);
    assert_same_table(&whole.table, &pieces.table);
    rows_free(&whole);
    rows_free(&pieces);
}

/* Each three bytes an event: how long after the one before it begins, its length, its rank. */
static void check_sweep(const uint8_t *bytes, size_t size) {
    size_t count = size / 3;
    int64_t *start = calloc(5 * count + 1, sizeof *start), *end = start + count, *parent = end + count;
    int64_t *beyond = parent + count;
    uint8_t *rank = malloc(count + 1);
    for (size_t i = 0; i < count; i++) {
        start[i] = (i ? start[i - 1] : 0) + bytes[3 * i] % 8;
        end[i] = start[i] + (int8_t)bytes[3 * i + 1];
        rank[i] = bytes[3 * i + 2] % 3;
    }
    nesting_sweep(start, end, rank, count, 2, parent, beyond, beyond + count);
    for (size_t i = 0; i < count; i++) {
        assert(parent[i] >= -1 && parent[i] < (int64_t)i);
        assert(beyond[i] > (int64_t)i && beyond[i] <= (int64_t)count);
        assert(parent[i] < 0 || beyond[i] <= beyond[parent[i]]);
        assert(parent[i] < 0 || end[parent[i]] >= end[i] || end[parent[i]] >= start[i]);
    }
    free(start);
    free(rank);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 9 || size > LARGEST_INPUT)
        return 0;
    if (data[0] == 'S')
        check_sweep(data + 1, size - 1);
    else
        check_scan(data + 1, size - 1, data[0] + size / 8); /* not in more pieces than nine: for speed */
    return 0;
}
