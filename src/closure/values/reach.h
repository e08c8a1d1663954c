// Sums of angles whose cosine and sine are known at some point of a program, and those that follow
// from them by the addition formulas.
#ifndef CT_REACH_H
#define CT_REACH_H

#include "closure/values/values_inside.h"

#include <stdlib.h>

typedef struct ct_reach {
    ct_values *values;
    ct_ex *cosine, *sine; // [forms->n] CT_UNSET where unknown
    int room;
    int *list, n, room_list; // known ones
    bool *has;               // [f->n] coordinates that are known as numbers
} ct_reach;

static inline void ct_reach_init(ct_reach *r, ct_values *values) {
    *r = (ct_reach){.values = values};
    r->has = ct_scratch((size_t)values->f->n + 1, sizeof *r->has);
    for (int k = 0; k < values->f->n; k++) r->has[k] = values->closure->is_independent[k];
}

// Makes room for sums of angles that were added since.
static inline void ct_reach_grow(ct_reach *r) {
    if (r->room >= r->values->n) return;
    int room = r->values->n + 16;
    size_t before = (size_t)r->room;
    r->cosine = ct_scratch_longer(r->cosine, before, (size_t)room, sizeof *r->cosine);
    r->sine = ct_scratch_longer(r->sine, before, (size_t)room, sizeof *r->sine);
    for (int k = r->room; k < room; k++) r->cosine[k] = r->sine[k] = CT_UNSET;
    r->room = room;
}

static inline void ct_reach_know(ct_reach *r, int angle_sum, ct_ex cosine, ct_ex sine) {
    ct_reach_grow(r);
    bool known = r->cosine[angle_sum] != CT_UNSET;
    r->cosine[angle_sum] = cosine;
    r->sine[angle_sum] = sine;
    if (!known) *CT_PUSH_SCRATCH(r->list, r->n, r->room_list) = angle_sum;
}

// Finds expressions for the cosines and sines of n sums of angles in terms of known ones, and marks
// them as known. Returns false if *missing does not follow from them.
bool ct_reach_all(ct_reach *r, int n, const int *angle_sums, int *missing);
// True if the angle is a sum of whole multiples of angles that are not known as numbers, plus a
// known part: the addition formulas apply.
bool ct_reach_is_whole(const ct_reach *r, ct_ex angle);

#endif
