// The closures that a run changes between (limits/change_closure.c): which one is in use, and what belongs
// to the others meanwhile.
#include "run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int ct_model_place(const ctk_model *m, const char *name) {
    for (int k = 0; k < m->n; k++)
        if (!strcmp(m->coordinate_names[k], name)) return k;
    return -1;
}

// Ways of coordinates so far, in the order of another model.
static void carry_ways(ct_runner *r, const ctk_model *to) {
    double *low = ct_alloc((size_t)to->n + 1, sizeof *low),
           *high = ct_alloc((size_t)to->n + 1, sizeof *high);
    for (int k = 0; k < to->n; k++) {
        int at = ct_model_place(r->code.model, to->coordinate_names[k]);
        low[k] = at < 0 ? INFINITY : r->low[at];
        high[k] = at < 0 ? -INFINITY : r->high[at];
    }
    ct_free(r->low);
    ct_free(r->high);
    r->low = low;
    r->high = high;
}

// Code, memory and columns of the closure in use go to its record, those of closure i come from there.
void ct_runner_use_closure(ct_runner *r, int i) {
    ct_run_closure *now = r->closures + r->in_use, *next = r->closures + i;
    const ctk_model *m = next->code.model;
    carry_ways(r, m);
    ct_free(r->y);
    r->y = ct_alloc((size_t)m->n_outputs + 1, sizeof(double));
    now->code = r->code;
    now->columns = r->columns;
    now->doubles = r->doubles;
    now->ints = r->ints;
    now->units = r->kept.units;
    r->code = next->code;
    r->columns = next->columns;
    r->doubles = next->doubles;
    r->ints = next->ints;
    r->kept.units = next->units;
    r->kept.n = m->n;
    next->code = (ct_loaded){0};
    next->columns = (ct_columns){0};
    next->doubles = next->units = NULL;
    next->ints = NULL;
    r->s->closed = next->closed;
    r->in_use = i;
}

void ct_runner_first_closure(ct_runner *r) {
    if (r->in_use) ct_runner_use_closure(r, 0);
    for (int i = 0; i < r->n_closures; i++) {
        ct_free(r->closures[i].signs);
        r->closures[i].signs = NULL;
        r->closures[i].margin = 0;
    }
}

void ct_runner_forget_closures(ct_runner *r) {
    ct_runner_first_closure(r);
    for (int i = 1; i < r->n_closures; i++) {
        ct_run_closure *x = r->closures + i;
        ct_unload(&x->code);
        ct_columns_clear(&x->columns);
        ct_free(x->doubles);
        ct_free(x->ints);
        ct_free(x->units);
    }
    ct_free(r->closures);
    r->closures = NULL;
    r->n_closures = r->room_closures = 0;
    ct_strings_clear(&r->looked_for);
}

const char **ct_closure_names(const ctk_model *m, int *n) {
    const ctk_closure *k = m->closure;
    const char **names = ct_scratch((size_t)k->n_independent + 1, sizeof *names);
    for (int i = 0; i < k->n_independent; i++) names[i] = m->coordinate_names[k->independent[i]];
    *n = k->n_independent;
    return names;
}

ct_status ct_runner_need_closures(ct_runner *r) {
    ct_status status = CT_OK;
    for (int i = 0; i < r->n_closures && !status; i++) {
        ct_run_closure *x = r->closures + i;
        int n;
        const char **names = ct_closure_names(i == r->in_use ? r->code.model : x->code.model, &n);
        if (!i)
            x->closed = r->s->closed;
        else if (!x->closed)
            status = ct_close_beside(ct_context_quiet(r->ctx), r->s, n, names, &x->closed);
    }
    if (r->n_closures && !status) r->s->closed = r->closures[r->in_use].closed;
    return status;
}
