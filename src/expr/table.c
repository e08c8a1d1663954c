// Cubic splines through tables: natural or periodic, constant beyond the ends.
// The second derivatives s_i satisfy
//   h_{i-1} s_{i-1} + 2 (h_{i-1} + h_i) s_i + h_i s_{i+1} = 6 (d_i - d_{i-1}).
#include "expr/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Solves the tridiagonal system (a below, b on, c above the diagonal) in place; the result is in r.
static void tridiagonal(int n, const double *a, double *b, const double *c, double *r) {
    for (int i = 1; i < n; i++) {
        double w = a[i] / b[i - 1];
        b[i] -= w * c[i - 1];
        r[i] -= w * r[i - 1];
    }
    for (int i = n - 1; i >= 0; i--) r[i] = (r[i] - (i + 1 < n ? c[i] * r[i + 1] : 0)) / b[i];
}

static void natural(int n, const double *h, const double *d, double *s) {
    double *a = ct_scratch((size_t)(4 * n), sizeof *a), *b = a + n, *c = b + n, *r = c + n;
    for (int i = 1; i < n - 1; i++) {
        a[i - 1] = i > 1 ? h[i - 1] : 0;
        b[i - 1] = 2 * (h[i - 1] + h[i]);
        c[i - 1] = h[i];
        r[i - 1] = 6 * (d[i] - d[i - 1]);
    }
    if (n > 2) tridiagonal(n - 2, a, b, c, r);
    s[0] = s[n - 1] = 0;
    for (int i = 1; i < n - 1; i++) s[i] = r[i - 1];
}

// Cyclic system by the Sherman-Morrison formula; unknowns s_0 .. s_{n-2}, s_{n-1} = s_0.
static void periodic(int n, const double *h, const double *d, double *s) {
    int m = n - 1;
    if (m < 3) { // two intervals or one: s alternates; one has none
        double bend = m == 2 ? 6 * (d[1] - d[0]) / (h[0] + h[1]) : 0;
        s[0] = -bend, s[1] = bend, s[n - 1] = s[0];
        if (m == 1) s[0] = s[1] = 0;
        return;
    }
    // cyclic tridiagonal matrix A, with corners a_0 and c_{m-1}
    double *a = ct_scratch((size_t)(6 * m), sizeof *a), *b = a + m, *b2 = b + m, *c = b2 + m,
           *r = c + m, *z = r + m;
    for (int i = 0; i < m; i++) {
        int p = (i + m - 1) % m;
        a[i] = h[p];
        b[i] = 2 * (h[p] + h[i]);
        c[i] = h[i];
        r[i] = 6 * (d[i] - d[p]);
    }
    // A = T + u v^T with T tridiagonal, u = (gamma, .., c_{m-1}), v = (1, .., a_0 / gamma)
    double corner = a[0], gamma = -b[0];
    b[0] -= gamma;
    b[m - 1] -= corner * c[m - 1] / gamma;
    for (int i = 0; i < m; i++) b2[i] = b[i];
    z[0] = gamma;
    z[m - 1] = c[m - 1];
    // s = T^-1 r - (v . T^-1 r) / (1 + v . T^-1 u) T^-1 u
    tridiagonal(m, a, b, c, r);
    tridiagonal(m, a, b2, c, z);
    double factor = (r[0] + corner * r[m - 1] / gamma) / (1 + z[0] + corner * z[m - 1] / gamma);
    for (int i = 0; i < m; i++) s[i] = r[i] - factor * z[i];
    s[m] = s[0];
}

int ct_table_define(ct_pool *pool, const char *name, int n, const double *x, const double *y,
                    bool is_periodic) {
    int index = pool->n_tables;
    ct_spline_data *t = CT_PUSH(pool->tables, pool->n_tables, pool->room_tables);
    *t = (ct_spline_data){.name = ct_strdup(name),
                          .n = n,
                          .periodic = is_periodic,
                          .whole = -1,
                          .factor = CT_ONE,
                          .scale = CT_ONE};
    t->x = ct_alloc((size_t)n, sizeof *t->x);
    t->a = ct_alloc((size_t)(4 * n), sizeof *t->a);
    // intervals h_i and slopes d_i
    double *h = ct_alloc((size_t)(3 * n), sizeof *h), *d = h + n, *s = d + n;
    for (int i = 0; i < n; i++) t->x[i] = x[i];
    for (int i = 0; i + 1 < n; i++) {
        h[i] = x[i + 1] - x[i];
        d[i] = (y[i + 1] - y[i]) / h[i];
    }
    // second derivatives
    if (is_periodic && n > 1)
        periodic(n, h, d, s);
    else if (n > 1)
        natural(n, h, d, s);
    // cubic of each interval in e = x - x_i
    for (int i = 0; i + 1 < n; i++) {
        double *a = t->a + 4 * i;
        a[0] = y[i];
        a[1] = d[i] - h[i] * (2 * s[i] + s[i + 1]) / 6;
        a[2] = s[i] / 2;
        a[3] = (s[i + 1] - s[i]) / (6 * h[i]);
    }
    t->a[4 * (n - 1)] = y[n - 1]; // the value held beyond the end
    ct_free(h);
    return index;
}

// numbers that depend on symbols -------------------------------------------------------------------
void ct_table_add(ct_pool *pool, int table, ct_ex factor, const double *y) {
    const ct_spline_data whole = pool->tables[table];
    char *name = ct_scratch_format("%s__%d", whole.name, pool->n_tables - table);
    int part = ct_table_define(pool, name, whole.n, whole.x, y, whole.periodic);
    pool->tables[part].whole = table;
    pool->tables[part].factor = factor;
}

void ct_table_stretch(ct_pool *pool, int table, ct_ex offset, ct_ex scale) {
    pool->tables[table].offset = offset;
    pool->tables[table].scale = scale;
}

static bool is_zero(const ct_spline_data *t) {
    for (int i = 0; i < t->n; i++)
        if (t->a[4 * i] != 0) return false;
    return true;
}

ct_ex ct_table_at(ct_pool *pool, int table, ct_ex x) {
    const ct_spline_data whole = pool->tables[table];
    ct_ex at = ct_div(pool, ct_sub(pool, x, whole.offset), whole.scale), sum = CT_ZERO;
    bool has_parts = false;
    for (int i = 0; i < pool->n_tables; i++) has_parts |= pool->tables[i].whole == table;
    for (int i = table; i < pool->n_tables; i++) {
        const ct_spline_data *t = pool->tables + i;
        if (i != table ? t->whole != table : has_parts && is_zero(t)) continue;
        sum = ct_add(pool, sum, ct_mul(pool, t->factor, ct_table(pool, i, 0, at)));
    }
    return sum;
}

int ct_table_find(const ct_pool *pool, const char *name) {
    for (int i = 0; i < pool->n_tables; i++)
        if (pool->tables[i].whole < 0 && !strcmp(pool->tables[i].name, name)) return i;
    return -1;
}

double ct_table_value(const ct_pool *pool, int table, int order, double x) {
    const ct_spline_data *t = pool->tables + table;
    // x within one period, or constant beyond the ends
    int last = t->n - 1;
    if (t->periodic && last > 0) {
        double period = t->x[last] - t->x[0];
        x -= period * floor((x - t->x[0]) / period);
    } else if (x < t->x[0] || x > t->x[last]) {
        return order ? 0 : x < t->x[0] ? t->a[0] : t->a[4 * last];
    }
    // interval by bisection
    int low = 0, high = last > 0 ? last - 1 : 0;
    while (low < high) { // greatest i with x_i <= x
        int mid = (low + high + 1) / 2;
        if (t->x[mid] <= x)
            low = mid;
        else
            high = mid - 1;
    }
    // the cubic or its derivative
    const double *a = t->a + 4 * low;
    double e = x - t->x[low];
    switch (order) {
    case 0: return a[0] + e * (a[1] + e * (a[2] + e * a[3]));
    case 1: return a[1] + e * (2 * a[2] + 3 * e * a[3]);
    case 2: return 2 * a[2] + 6 * e * a[3];
    default: return 6 * a[3];
    }
}

int ct_table_count(const ct_pool *pool) {
    return pool->n_tables;
}

ct_spline ct_table_get(const ct_pool *pool, int table) {
    const ct_spline_data *t = pool->tables + table;
    return (ct_spline){t->name, t->n, t->periodic, t->x, t->a};
}
