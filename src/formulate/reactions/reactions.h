// Forces that joints carry, for a motion that is known.
//
// Every body needs a force and a moment for its motion, less what loads give:
//   D = (m (a - g) - f,  J w' + w x J w - t).
// A spanning tree of joints carries these to ground. The wrench W of a branch is the sum of D over
// all bodies behind it, less what the other joints, the chords, put on these bodies. A branch has
// no reaction along its own freedoms s, so
//   s . W = 0:   one equation for each freedom of each branch,
// linear in the unknowns x: reactions of chords, multipliers of couplings, efforts of motions. Then
// W is the reaction of the branch. An ideal chord or effort acts on B at a point and on A with the
// opposite wrench at the same point.
#ifndef CT_REACTIONS_H
#define CT_REACTIONS_H

#include "formulate/dynamics.h"
#include "formulate/reactions/groups.h"

// Part of the elimination of the unknowns (fronts.c).
typedef struct ct_front {
    int n_rows, *rows;         // equations that enter here
    int n_children, *children; // fronts whose equations that are left enter here
    int n_own, *own;           // unknowns that no later front holds
    int n_border, *border;     // others
    int most_rows;
    bool is_silent; // right sides are zero whatever the motion: so are the unknowns
} ct_front;

// An entry of the equations that is not zero.
typedef struct ct_reaction_entry {
    int row, column;
    ct_ex value;
} ct_reaction_entry;

// A value that equations and columns have in common: the columns have the symbol in its place.
typedef struct ct_reaction_common {
    ct_ex symbol, value;
} ct_reaction_common;

typedef struct ct_reactions {
    int n_unknowns;
    ct_ex *unknown;     // symbols
    int *unknown_power; // unit of x: a force times this power of a length; 2: its own
    int n_equations;
    int *equation_power; // likewise
    ct_ex *right;
    int n_entries, room_entries;
    ct_reaction_entry *entries;
    int n_fronts, room_fronts;
    ct_front *fronts;
    ct_reaction_groups groups;
    ct_ex *column; // [groups.n_columns] in terms of the unknowns
    int *column_power;
    // numbers behind the columns: points that the wrenches of joints act at, three for each; the rate
    // that each effort does work with; the normal of a planar mechanism, or zero
    int n_more, room_more;
    ct_ex *more;
    // friction by load, as the model has it: where the forces of its joints begin among the columns.
    // Four numbers for each stand before the rates of efforts (ctk_wrenches.h).
    int n_frictions;
    int *friction_column;
    ct_ex *qdd; // [n] symbols of the accelerations
    // unknowns in no equation that loads reach: how many; 0: there are none, or code for them would be
    // long. Columns with the values of these unknowns that make their squares least, in terms of the
    // others; what is left of the square of a unit of each beside those before it, as a share
    int n_loose;
    ct_ex *least; // [groups.n_columns]
    ct_ex *share; // [n_loose]
    int n_common;
    ct_reaction_common *common;
} ct_reactions;

// The equations in terms of q, q', q'', t, inputs and unknowns, in the pool of the formulation. With
// `drives` of the model instead of its motions where that is asked for. All of it lies in the scratch
// of the call.
ct_reactions *ct_reactions_build(const ct_formulation *f, bool drives);

// Elimination of the unknowns, which follows from the entries alone.
void ct_reactions_find_fronts(ct_reactions *r);
// Marks fronts whose unknowns are zero whatever the motion: no right side of theirs, and no column with
// anything else, can differ from zero.
void ct_reactions_mark_silent(ct_reactions *r, ct_pool *pool);

// The least columns by unknowns that stand in no equation, unless they are silent.
void ct_reactions_find_least(ct_reactions *r, ct_pool *pool);

// For code that evaluates the equations, then the columns: finds what they have in common.
void ct_reactions_share(ct_reactions *r, ct_pool *pool);

// All fronts in one list, as ctk_wrenches.h says; n, unless NULL: its length.
int *ct_reactions_list_fronts(const ct_reactions *r, int *n);

// stress.c: warns of reactions that are not unique, and of drives that are more than are needed.
struct ctk_joint_forces;
// Joints and couplings that a self-stress changes, quoted; in the scratch of the call.
const char *ct_reactions_open_names(const ct_reaction_groups *groups,
                                    const struct ctk_joint_forces *forces);
// Joints of these names stand in a singular position.
ct_status ct_reactions_fail_singular(ct_context *ctx, double t, const char *names);
void ct_reactions_tell_open(ct_context *ctx, const ct_reaction_groups *groups,
                            const struct ctk_joint_forces *forces);

// inside ------------------------------------------------------------------------------------------
// A unit of an unknown, on one pair of bodies.
typedef struct ct_reaction_term {
    int body[2];
    ct_vec3 at, force, moment; // on body[1], world
} ct_reaction_term;

typedef struct ct_reaction_unknown {
    int branch; // joint whose constraint it is; -1: a multiplier or an effort
    int power;
    int n, room;
    ct_reaction_term *terms;
    ct_ex symbol;
    ct_ex rate; // of an effort: power = effort * rate
} ct_reaction_unknown;

typedef struct ct_reaction_builder {
    ct_layout *l;
    ct_pool *pool;
    const ct_model *model;
    ct_reactions *r;
    ct_substitution *known;
    // the tree of joints
    int *parent, *branch, *order; // [bodies] body, joint (-1: none), bodies with parents first
    int *depth;
    bool *is_branch; // [joints]
    // what bodies need, about their centres of mass, world
    ct_vec3 *force, *moment, *centre;
    ct_vec3 *at; // [joints] B's joint point
    ct_reaction_unknown *unknowns;
    int n_unknowns, room_unknowns;
} ct_reaction_builder;

// carriers.c: joints that can carry something
bool ct_reaction_carries(const ct_joint *joint);
const ct_connection *ct_reaction_connection(const ct_layout *l, int joint);
// Wrenches that a joint can carry, on B at its joint point: up to six. Returns how many.
int ct_reaction_basis(ct_reaction_builder *b, int joint, ct_vec3 *force, ct_vec3 *moment,
                      int *power);
// Freedoms s of a joint: s . W = along . F + about . M is zero. Returns how many, up to six.
int ct_reaction_freedoms(ct_reaction_builder *b, int joint, ct_vec3 *along, ct_vec3 *about,
                         int *power);

// The axis of a joint in the world; of A, where it has two.
ct_vec3 ct_reaction_axis(ct_reaction_builder *b, int joint);

// efforts.c: wrenches of a unit of effort on a coordinate of the model, and of a multiplier
void ct_reaction_effort(ct_reaction_builder *b, int coordinate, ct_reaction_term *term);
void ct_reaction_known_efforts(ct_reaction_builder *b, const ct_loads *loads);
void ct_reaction_multipliers(ct_reaction_builder *b, bool drives);
ct_reaction_unknown *ct_reaction_unknown_new(ct_reaction_builder *b, int joint, int power);

#endif
