// "Did you mean": the nearest of some names by single edits (insert, delete, replace, swap).
#include "cli.h"

#include <string.h>

enum { LONGEST = 48 };

static int min(int a, int b) {
    return a < b ? a : b;
}

// d[i][j]: edits from the first i letters of a to the first j of b
static int edit_distance(const char *a, const char *b) {
    int na = (int)strlen(a), nb = (int)strlen(b);
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= na; i++) d[i][0] = i;
    for (int j = 0; j <= nb; j++) d[0][j] = j;
    for (int i = 1; i <= na; i++) {
        for (int j = 1; j <= nb; j++) {
            int replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = min(replace, 1 + min(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[na][nb];
}

const char *suggest(const char *name, const char *const *names, int count) {
    const char *nearest = NULL;
    size_t length = strlen(name);
    if (length == 0 || length > LONGEST) return NULL;
    int best = 1 + (int)length / 3; // more edits than that is another word
    for (int i = 0; i < count; i++) {
        if (strlen(names[i]) > LONGEST) continue;
        int distance = edit_distance(name, names[i]);
        bool starts = length >= 3 && strncmp(name, names[i], length) == 0;
        if (starts) distance = min(distance, 1);
        if (distance > best || (distance == best && nearest)) continue;
        nearest = names[i];
        best = distance;
    }
    return nearest;
}
