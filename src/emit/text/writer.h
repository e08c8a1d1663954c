// Inside of the writer: the state of the function that is written, and the text of single nodes.
#ifndef CT_WRITER_H
#define CT_WRITER_H

#include "emit/emit.h"

#include "expr/pool.h"

// Precedence of the outermost operator of a piece of text.
typedef enum ct_level { LEVEL_SUM, LEVEL_PRODUCT, LEVEL_ATOM } ct_level;

typedef struct ct_slot {
    int temporary; // -1: none
    int uses;      // still to come
    char *text;    // written, waiting to be used once
    ct_level level;
    ct_ex *held; // nodes in temporaries that the waiting text uses
    int n_held;
} ct_slot;

struct ct_writer {
    ct_pool *pool;
    bool fused;   // products that are added are written as fma
    bool steady;  // sines and cosines are those of ctk_steady.h
    char **names; // by node: symbols
    uint32_t room_names;
    int *constant; // by node: number of the constant, -1 none
    uint32_t room_constant;
    ct_ex *constants;
    int n_constants, room_constants;
    // the function under way
    ct_slot *slots;
    uint32_t room_slots;
    int *free_list, n_free, room_free, n_temporaries;
    int *section; // by node: where it is written
    int now;      // section under way
    bool in_loop;
    int *late, n_late, room_late; // temporaries from before the loop, free after it
    ct_ex *used; // nodes in temporaries that the text being written uses, once per use
    int n_used, room_used;
    ct_text *out;
};

typedef struct ct_piece {
    char *text;
    ct_level level;
} ct_piece;

// True if a node depends on parameters alone and is more than a number.
bool ct_writer_is_constant(const ct_writer *w, ct_ex a);
// The node inside opaque nodes (ct_let), which matter to the algebra alone.
ct_ex ct_writer_inside(const ct_pool *pool, ct_ex a);
// Text of a node where it is used: a name, a temporary, or text that waited for its only use.
ct_piece ct_writer_operand(ct_writer *w, ct_ex a);
// Text of a node from its children, and its precedence.
char *ct_writer_text(ct_writer *w, ct_ex a, ct_level *binds);
// Order of the nodes of a function, children first (schedule.c): values that processors can compute side
// by side stand near each other.
void ct_schedule(const ct_writer *w, int count, ct_ex *order);
// Text of a sum, and its precedence.
ct_level ct_writer_sum(ct_writer *w, ct_text *t, ct_ex a);
// A number, which the caller frees; a piece, in brackets where its precedence is below `least`.
char *ct_writer_number(double v);
void ct_writer_put(ct_text *t, ct_piece p, ct_level least);

#endif
