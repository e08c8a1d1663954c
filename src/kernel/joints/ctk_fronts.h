// What the files of the equations of reactions share: a record of one solution, in memory of the
// caller that stays from one state to the next.
#ifndef CTK_FRONTS_H
#define CTK_FRONTS_H

#include "ctk_wrenches.h"

// Numbers at the head of a front in ctk_wrenches.fronts; its lists follow.
enum {
    CTK_FRONT_SILENT,
    CTK_FRONT_MOST_ROWS,
    CTK_FRONT_ROWS,
    CTK_FRONT_CHILDREN,
    CTK_FRONT_OWN,
    CTK_FRONT_BORDER,
    CTK_FRONT_HEAD
};

// Numbers at the head of the caller's integers: sizes of the tables, then what is known from earlier
// states.
enum {
    CTK_WRENCH_LAID_OUT,  // the tables stand
    CTK_WRENCH_NUMBERS,   // of all fronts
    CTK_WRENCH_WIDEST,    // columns of the widest front
    CTK_WRENCH_LOUD,      // unknowns of loud fronts
    CTK_WRENCH_PIVOTS,    // that a record may have
    CTK_WRENCH_MOST_ROWS, // of a front
    CTK_WRENCH_RECORDED,  // an elimination is recorded
    CTK_WRENCH_WAIT,      // solutions until the next record is tried
    CTK_WRENCH_PATIENCE,  // how long the last wait was
    CTK_WRENCH_LENGTH,    // of the record
    CTK_WRENCH_OWN_STEPS, // steps of the record with an unknown of their front
    CTK_WRENCH_FREE,      // unknowns that the record leaves free
    CTK_WRENCH_FILLED,    // numbers of `fronts` that steps fill in
    CTK_WRENCH_HEAD
};

typedef struct ctk_wrench_space {
    const ctk_wrenches *w;
    double *a, *b;           // entries and right sides, in forces
    double *unit_a, *unit_b; // factors that make forces of them
    double *scale, *most;    // [n_unknowns] that make unknowns of forces; largest entries
    double *x, *kept, *y0;
    double *common, *share; // [n_common]; [n_loose]
    double *fronts;         // matrices of all fronts, row by row
    double *inverse, *weak; // of the pivots of a record: 1 / pivot; below which it is not used
    double *stress, *row, *small;
    int *head;
    int *list, *place; // [n_fronts] in w->fronts, in `fronts`
    int *rank;         // [n_fronts] by reflections; -1: not eliminated
    int *rows;         // [n_fronts] that enter it
    int *first;        // [n_fronts] of `pivot`
    int *pivot;        // [n_unknowns] own unknowns of each front, in the order of their pivots
    int *order;        // columns of the least squares, by their pivots
    int *places;       // [n_columns] columns that self-stresses change
    int *start;        // [n_equations + 1] of the entries of each equation
    // the record
    int *slot_a, *slot_b; // places of entries and right sides in `fronts`, or -1
    int *may;             // 1 where a number of `fronts` may differ from zero in any state
    int *is_done;         // rows, then columns of a front that have had their pivot
    int *filled;          // places of numbers that are zero before steps fill them in
    int *own_step;        // [n_unknowns] where steps with an own unknown begin in `steps`
    int *free;            // [n_unknowns] without a pivot
    int *steps;
    double tiny;
} ctk_wrench_space;

static inline const int *ctk_front(const ctk_wrench_space *s, int front) {
    return s->w->fronts + s->list[front];
}

// Own unknowns of a front; the others follow.
static inline const int *ctk_front_unknowns(const int *f) {
    return f + CTK_FRONT_HEAD + f[CTK_FRONT_ROWS] + f[CTK_FRONT_CHILDREN];
}

static inline int ctk_front_width(const int *f) {
    return f[CTK_FRONT_OWN] + f[CTK_FRONT_BORDER] + 1;
}

// ctk_fronts.c: memory, and the elimination by reflections, which finds ranks
size_t ctk_fronts_doubles(const ctk_wrenches *w);
size_t ctk_fronts_ints(const ctk_wrenches *w);
ctk_wrench_space ctk_fronts_lay_out(const ctk_wrenches *w, double *doubles, int *ints);
// The place of an unknown among those of a front.
int ctk_front_place(const int *f, int unknown);
// Triangular form of the first `own` columns of a matrix by pivots of at least `tiny`; order: the
// columns in the order of their pivots, those without one last. Returns the rank.
int ctk_fronts_triangular(double *a, int rows, int width, int own, double tiny, int *order,
                          double *share);
// All fronts; silent ones only with `all`. Returns what equations leave.
double ctk_fronts_eliminate(ctk_wrench_space *s, int all);
// x of the fronts from .. 0; free unknowns are given. `right` is 0 for self-stresses.
void ctk_fronts_substitute(const ctk_wrench_space *s, int from, int right);

// ctk_record.c: the elimination of an earlier state once more, step by step
void ctk_record_make(ctk_wrench_space *s);
// Returns 0 where a pivot has become weak.
int ctk_record_eliminate(const ctk_wrench_space *s);
void ctk_record_substitute(const ctk_wrench_space *s, int right);

#endif
