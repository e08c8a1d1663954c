// What is known of the pairs of sums of angles at some point of a program, and what follows from
// it.
#ifndef CT_REACH_H
#define CT_REACH_H

#include "closure/values/values_inside.h"

#include <stdlib.h>

typedef struct ct_reach {
    ct_forms *forms;
    ct_ex *cosine, *sine; // [forms->n] CT_UNSET where unknown
    int room;
    int *list, n, room_list; // known ones
    bool *has;               // [f->n] dependent coordinates that have their value as such
} ct_reach;

static inline void ct_reach_init(ct_reach *r, ct_forms *forms) {
    *r = (ct_reach){.forms = forms};
    r->has = ct_alloc((size_t)forms->f->n + 1, sizeof *r->has);
    for (int k = 0; k < forms->f->n; k++) r->has[k] = forms->closure->is_independent[k];
}

static inline void ct_reach_clear(ct_reach *r) {
    ct_free(r->cosine);
    ct_free(r->sine);
    ct_free(r->list);
    ct_free(r->has);
}

// forms may have been added meanwhile
static inline void ct_reach_grow(ct_reach *r) {
    if (r->room >= r->forms->n) return;
    int room = r->forms->n + 16;
    r->cosine = ct_realloc(r->cosine, (size_t)room, sizeof *r->cosine);
    r->sine = ct_realloc(r->sine, (size_t)room, sizeof *r->sine);
    for (int k = r->room; k < room; k++) r->cosine[k] = r->sine[k] = CT_UNSET;
    r->room = room;
}

static inline void ct_reach_know(ct_reach *r, int form, ct_ex cosine, ct_ex sine) {
    ct_reach_grow(r);
    bool known = r->cosine[form] != CT_UNSET;
    r->cosine[form] = cosine;
    r->sine[form] = sine;
    if (!known) *CT_PUSH(r->list, r->n, r->room_list) = form;
}

// Expressions for all the forms asked for in what is known, which then they are too. False:
// *missing cannot be reached.
bool ct_reach_all(ct_reach *r, int n, const int *forms, int *missing);
// Sum of whole multiples of angles that lack theirs, and something known?
bool ct_reach_is_whole(const ct_reach *r, ct_ex angle);

#endif
