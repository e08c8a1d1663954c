// Records, written and read by the same functions.
#include "run/kept/record.h"

#include <string.h>

void ct_record_bytes(ct_record *r, void *data, size_t bytes) {
    if (!r->reads) {
        ct_text_addn(&r->text, data, bytes);
        return;
    }
    r->bad = r->bad || bytes > r->text.n - r->at;
    if (!bytes) return;
    if (r->bad) {
        memset(data, 0, bytes);
        return;
    }
    memcpy(data, r->text.s + r->at, bytes);
    r->at += bytes;
}

void ct_record_int(ct_record *r, int *x) {
    ct_record_bytes(r, x, sizeof *x);
}

void ct_record_bool(ct_record *r, bool *x) {
    int value = *x;
    ct_record_int(r, &value);
    *x = value != 0;
}

void ct_record_double(ct_record *r, double *x) {
    ct_record_bytes(r, x, sizeof *x);
}

void ct_record_count(ct_record *r, int *n) {
    ct_record_int(r, n);
    if (r->reads && (*n < 0 || (size_t)*n > r->text.n - r->at)) r->bad = true;
    if (r->bad) *n = 0;
}

void ct_record_ints(ct_record *r, int n, int **x) {
    if (r->reads) *x = ct_scratch((size_t)n + 1, sizeof **x);
    ct_record_bytes(r, *x, (size_t)n * sizeof **x);
}

void ct_record_doubles(ct_record *r, int n, double **x) {
    if (r->reads) *x = ct_scratch((size_t)n + 1, sizeof **x);
    ct_record_bytes(r, *x, (size_t)n * sizeof **x);
}

void ct_record_bools(ct_record *r, int n, bool **x) {
    if (r->reads) *x = ct_scratch((size_t)n + 1, sizeof **x);
    for (int i = 0; i < n; i++) ct_record_bool(r, *x + i);
}

void ct_record_string(ct_record *r, char **x) {
    int n = r->reads ? 0 : (int)strlen(*x);
    ct_record_count(r, &n);
    if (r->reads) *x = ct_scratch((size_t)n + 1, 1);
    ct_record_bytes(r, *x, (size_t)n);
}

bool ct_record_is_whole(const ct_record *r) {
    return !r->bad && r->at == r->text.n;
}
