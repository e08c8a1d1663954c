// Minimum degree (Tinney and Walker 1967): the next unknown is one with the fewest neighbours among
// those that are left, the first of them in their own order. Its elimination joins all its neighbours
// with each other. So the four corners of a car are eliminated before its chassis, which joins them.
#include "numeric/elimination_order.h"
#include "util/memory.h"

#include <stddef.h>

// Neighbours of an unknown among those that are left.
static int degree(int n, const bool *row, const bool *done) {
    int d = 0;
    for (int j = 0; j < n; j++) d += row[j] && !done[j];
    return d;
}

void ct_elimination_order(int n, bool *pattern, int *order) {
    bool *done = ct_scratch((size_t)n + 1, sizeof *done);
    for (int step = 0; step < n; step++) {
        int best = -1, fewest = n + 1;
        for (int i = 0; i < n; i++) {
            if (done[i]) continue;
            const int d = degree(n, pattern + (size_t)i * n, done);
            if (d >= fewest) continue;
            fewest = d;
            best = i;
        }
        order[step] = best;
        done[best] = true;
        const bool *row = pattern + (size_t)best * n;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n && row[i] && !done[i]; j++)
                if (row[j] && !done[j]) pattern[(size_t)i * n + j] = true;
    }
}
