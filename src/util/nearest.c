// "Did you mean": edit distance with transpositions (optimal string alignment).
#include "util/util.h"

#include <stdlib.h>
#include <string.h>

static int smaller(int a, int b) {
    return a < b ? a : b;
}

int ct_edit_distance(const char *a, const char *b) {
    int n = (int)strlen(a), m = (int)strlen(b);
    enum { LONGEST = 64 };
    if (n > LONGEST || m > LONGEST) return n > m ? n : m;
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= n; i++) d[i][0] = i;
    for (int j = 0; j <= m; j++) d[0][j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            int cost = a[i - 1] != b[j - 1];
            d[i][j] = smaller(smaller(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

const char *ct_nearest(const char *name, const char *const *names, int count) {
    const char *best = NULL;
    int limit = 1 + (int)strlen(name) / 3, distance = limit + 1;
    for (int i = 0; i < count; i++) {
        int d = ct_edit_distance(name, names[i]);
        if (d < distance) {
            distance = d;
            best = names[i];
        }
    }
    return best;
}
