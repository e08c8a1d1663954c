// Tables. Numbers of a table may be expressions in parameters, which stay what they are when
// parameters change: y is written as  y = y_0 + sum of T_k y_k  with terms T_k in parameters and columns
// of numbers y_k, each of them a spline of its own; x as  x = offset + scale xi.  Other x, where
// parameters move knots one by one, keep their numbers, under conditions.
#include "model/read/read.h"
#include "model/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A column of a table: its values, and the same as numbers times terms,
//   value_i = sum over k of  number[k][i] term[k],  with term[0] = 1.
typedef struct column {
    int n;
    ct_ex *value;
    double *number0; // of the values, with the parameters as they are
    int n_terms, room_terms;
    ct_ex *term;
    double **number;
} column;

static double *numbers_of(column *c, ct_ex term) {
    for (int k = 0; k < c->n_terms; k++)
        if (c->term[k] == term) return c->number[k];
    c->term[c->n_terms] = term;
    return c->number[c->n_terms++] = ct_scratch((size_t)c->n + 1, sizeof(double));
}

// Adds factor * a to value i: a sum term by term, a product by its numerical factor.
static void split(ct_reader *r, column *c, int i, double factor, ct_ex a) {
    ct_pool *pool = r->pool;
    ct_op op = ct_ex_op(pool, a);
    if (!ct_ex_kinds(pool, a)) {
        numbers_of(c, CT_ONE)[i] += factor * ct_model_number(r->model, a);
    } else if (op == CT_OP_SUM) {
        split(r, c, i, factor, ct_child(pool, a, 0));
        for (int k = 1; k + 1 < ct_child_count(pool, a); k += 2)
            split(r, c, i, factor * ct_constant_value(pool, ct_child(pool, a, k)),
                  ct_child(pool, a, k + 1));
    } else if (op == CT_OP_PRODUCT && ct_child(pool, a, 0) != CT_ONE) {
        ct_ex number = ct_child(pool, a, 0);
        split(r, c, i, factor * ct_constant_value(pool, number), ct_div(pool, a, number));
    } else {
        numbers_of(c, a)[i] += factor;
    }
}

// How many terms values have at most.
static int most_terms(const ct_reader *r, int n, const ct_ex *value) {
    int most = 1;
    for (int i = 0; i < n; i++) {
        int count = ct_child_count(r->pool, value[i]);
        most += ct_ex_op(r->pool, value[i]) == CT_OP_SUM ? count : 1;
    }
    return most;
}

// Reads one column. Returns false where a value is wrong.
static bool read_column(ct_reader *r, const ct_yaml *table, const char *key, column *c) {
    const ct_yaml *list = ct_yaml_get(table, key);
    *c = (column){0};
    if (!list) {
        ct_error_at(r->ctx, table->place, "%s needs %s: a list of numbers", r->owner, key);
        return false;
    }
    if (!ct_read_list(r, list, -1, ct_of(r, key), "of numbers")) return false;
    // values, and their numbers
    c->n = list->n;
    c->value = ct_scratch((size_t)c->n + 1, sizeof *c->value);
    c->number0 = ct_scratch((size_t)c->n + 1, sizeof *c->number0);
    bool ok = true;
    for (int i = 0; i < c->n; i++) {
        bool good = ct_read_expr(r, list->item[i], CT_CONSTANT, ct_of(r, key), &c->value[i]);
        c->number0[i] = good ? ct_model_number(r->model, c->value[i]) : NAN;
        ok &= isfinite(c->number0[i]);
    }
    if (!ok) return false;
    // terms in parameters
    int room = most_terms(r, c->n, c->value);
    c->term = ct_scratch((size_t)room + 1, sizeof *c->term);
    c->number = ct_scratch((size_t)room + 1, sizeof *c->number);
    numbers_of(c, CT_ONE);
    for (int i = 0; i < c->n; i++) split(r, c, i, 1, c->value[i]);
    return true;
}

// Ends of a periodic table that differ by rounding alone.
static bool same_ends(int n, double *y) {
    double low = y[0], high = y[0];
    for (int i = 1; i < n; i++) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    if (fabs(y[n - 1] - y[0]) > CT_PERIODIC_ENDS * (high - low)) return false;
    y[n - 1] = y[0];
    return true;
}

static bool check_table(ct_reader *r, const ct_yaml *xs, const ct_yaml *ys, const double *x,
                        double *y, bool periodic) {
    int n = xs->n, errors = ct_context_error_count(r->ctx);
    if (n != ys->n)
        ct_error_at(r->ctx, ys->place, "%s has %d values of x but %d of y: make them equal",
                    r->owner, n, ys->n);
    else if (n < 2)
        ct_error_at(r->ctx, xs->place, "%s needs at least two points", r->owner);
    else if (periodic && n < 3)
        ct_error_at(r->ctx, xs->place, "%s is periodic and needs at least three points", r->owner);
    for (int i = 1; i < n; i++)
        if (!(x[i] > x[i - 1])) {
            ct_error_at(r->ctx, xs->item[i]->place, "x of %s must increase, but %g follows %g",
                        r->owner, x[i], x[i - 1]);
            break;
        }
    if (periodic && n == ys->n && n > 1 && !same_ends(n, y))
        ct_error_at(r->ctx, ys->item[n - 1]->place,
                    "%s is periodic: its last y (%g) must equal the first (%g)", r->owner, y[n - 1],
                    y[0]);
    return ct_context_error_count(r->ctx) == errors;
}

// parameters --------------------------------------------------------------------------------------
static bool is_constant(const column *c, int term) {
    for (int i = 1; i < c->n; i++)
        if (c->number[term][i] != c->number[term][0]) return false;
    return true;
}

// A number of a double as it is.
static ct_ex exact(ct_pool *pool, double x) {
    int exponent;
    double mantissa = frexp(x, &exponent);
    ct_ex power = ct_power_int(pool, ct_int(pool, 2), exponent - 53);
    return ct_mul(pool, ct_int(pool, (long)ldexp(mantissa, 53)), power);
}

// x = offset + scale xi: the numbers xi, or NULL if one term is not enough.
static double *find_stretch(ct_reader *r, const column *x, ct_ex *offset, ct_ex *scale) {
    int moving = -1;
    *offset = CT_ZERO;
    for (int k = 0; k < x->n_terms; k++) {
        if (!is_constant(x, k)) {
            if (moving >= 0) return NULL;
            moving = k;
        } else if (x->number[k][0] != 0) {
            ct_ex part = ct_mul(r->pool, exact(r->pool, x->number[k][0]), x->term[k]);
            *offset = ct_add(r->pool, *offset, part);
        }
    }
    if (moving < 0) return NULL;
    *scale = x->term[moving];
    return x->number[moving];
}

// Knots that parameters move one by one stay where they are, under conditions.
static void hold_knots(ct_reader *r, const char *name, const column *x) {
    double range = x->number0[x->n - 1] - x->number0[0];
    for (int i = 0; i < x->n; i++) {
        ct_ex apart = ct_sub(r->pool, x->value[i], exact(r->pool, x->number0[i]));
        ct_note_condition(r, CT_IS_ZERO, ct_div(r->pool, apart, exact(r->pool, range)),
                          ct_of(r, "x"));
    }
    if (!r->model->varying_table) r->model->varying_table = ct_strdup(name);
}

// The table as splines through numbers, with factors, offset and scale in parameters.
static int define(ct_reader *r, const char *name, const column *x, const column *y, bool periodic) {
    const double *knots = x->number0;
    ct_ex offset = CT_ZERO, scale = CT_ONE;
    // x
    if (x->n_terms > 1) {
        knots = find_stretch(r, x, &offset, &scale);
        const bool turned = knots && knots[x->n - 1] < knots[0];
        if (!knots) {
            knots = x->number0;
            hold_knots(r, name, x);
        } else if (turned) { // a negative scale: the other way round
            double *back = ct_scratch((size_t)x->n + 1, sizeof *back);
            for (int i = 0; i < x->n; i++) back[i] = -knots[i];
            knots = back;
        }
        ct_note_condition(r, turned ? CT_IS_NEGATIVE : CT_IS_POSITIVE, scale, ct_of(r, "x"));
        if (turned) scale = ct_neg(r->pool, scale);
    }
    // y; ends of a period that are the same for these parameters
    const bool plain = y->n_terms == 1;
    int index = ct_table_define(r->pool, name, x->n, knots, plain ? y->number0 : y->number[0],
                                periodic);
    for (int k = 1; k < y->n_terms; k++) ct_table_add(r->pool, index, y->term[k], y->number[k]);
    ct_table_stretch(r->pool, index, offset, scale);
    if (periodic)
        ct_note_condition(r, CT_IS_ZERO, ct_sub(r->pool, y->value[y->n - 1], y->value[0]),
                          ct_of(r, "y"));
    return index;
}

#define TABLE_KEYS "x", "y", "periodic"

static int read_table(ct_reader *r, const char *name, const ct_yaml *table) {
    static const char *const keys[] = {TABLE_KEYS};
    const ct_yaml *node = ct_yaml_get(table, "periodic");
    bool periodic = false;
    ct_read_keys(r, table, r->owner, sizeof keys / sizeof *keys, keys);
    if (node) ct_read_bool(r, node, ct_of(r, "periodic"), &periodic);
    column x, y;
    bool good = read_column(r, table, "x", &x);
    good = read_column(r, table, "y", &y) && good;
    const ct_yaml *xs = ct_yaml_get(table, "x"), *ys = ct_yaml_get(table, "y");
    if (!good || !check_table(r, xs, ys, x.number0, y.number0, periodic)) return -1;
    return define(r, name, &x, &y, periodic);
}

void ct_read_tables(ct_reader *r) {
    const ct_yaml *map = ct_yaml_get(r->root, "tables");
    if (!map || ct_yaml_is_null(map) || !ct_read_map(r, map, "tables")) return;
    for (int i = 0; i + 1 < map->n; i += 2) {
        const ct_yaml *key = map->item[i], *table = map->item[i + 1];
        if (!ct_read_identifier(r, key, "table")) continue;
        ct_owner(r, "table", key->text);
        int index = ct_read_map(r, table, r->owner) ? read_table(r, key->text, table) : -1;
        if (index < 0) // it is wrong, but it is there
            index =
                ct_table_define(r->pool, key->text, 2, (double[]){0, 1}, (double[]){0, 0}, false);
        ct_name_map_set(&r->tables, key->text, index);
    }
    ct_owner(r, "", "");
}
