#include "nesting.h"

/* Positions from `stack` on to `top` are open. Below all of them stands -1, which never ends nor gives way. */
void nesting_sweep(const int64_t *start_ns, int64_t *end_ns, const uint8_t *rank, size_t count, int64_t rounding_ns,
                   int64_t *parent, int64_t *beyond, int64_t *stack) {
    int64_t *top = stack;
    *top = -1;
    for (size_t i = 0; i < count; i++) {
        int64_t begin = start_ns[i], end = end_ns[i];
        while (*top >= 0 && end_ns[*top] <= begin)
            beyond[*top--] = (int64_t)i;
        /* What outlasts the events around it closes those of lower rank, else it is cut where they end. */
        while (*top >= 0 && end_ns[*top] < end - rounding_ns && rank[*top] < rank[i]) {
            end_ns[*top] = begin;
            beyond[*top--] = (int64_t)i;
        }
        if (*top >= 0 && end_ns[*top] < end)
            end_ns[i] = end_ns[*top];
        parent[i] = *top;
        *++top = (int64_t)i;
    }
    while (*top >= 0)
        beyond[*top--] = (int64_t)count;
}
