#ifndef UNMASK_PREFETCH_H
#define UNMASK_PREFETCH_H

#include <stddef.h>

// The one hint to a processor that Swift cannot say: memory that is wanted soon.

/// Asks for the cache lines of `count` bytes from `start` on. It reads nothing and changes nothing; any address will do.
static inline void unmask_prefetch(const void *start, size_t count) {
    const char *line = (const char *)start;
    for (size_t at = 0; at < count; at += 64) __builtin_prefetch(line + at, 1, 3);
}

#endif
