/* The tree of one thread: analyses/nesting.py. */
#ifndef TB_EXPLAIN_NESTING_H
#define TB_EXPLAIN_NESTING_H

#include <stddef.h>
#include <stdint.h>

/* Finds the parent of each event (its position, -1 for none) and the position `beyond` its last descendant, and cuts
 * `end_ns` to where the event ends in the tree. Events are in the order of docs/definitions/nesting.md. `stack`: room
 * for count + 1 positions. */
void nesting_sweep(const int64_t *start_ns, int64_t *end_ns, const uint8_t *rank, size_t count, int64_t rounding_ns,
                   int64_t *parent, int64_t *beyond, int64_t *stack);

#endif
