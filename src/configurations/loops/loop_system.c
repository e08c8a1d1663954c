// Loop equations as polynomials: formulation on joint trees, numbers for known coordinates,
// conversion. Known angles become rational points of the unit circle, so that rotations stay
// rotations exactly and redundant equations stay consistent.
#include "configurations/loops/directions.h"
#include "configurations/loops/loop_system.h"
#include "configurations/tolerances.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// what is known -----------------------------------------------------------------------------------
bool ct_loop_given(const ct_model *model, int coordinate, ct_ex *value) {
    const unsigned constant =
        1u << CT_SYMBOL_PARAMETER | 1u << CT_SYMBOL_INPUT | 1u << CT_SYMBOL_TIME;
    for (int i = 0; i < model->n_initial; i++)
        if (model->initial[i].coordinate == coordinate) {
            *value = model->initial[i].value;
            return true;
        }
    for (int i = 0; i < model->n_motions; i++)
        if (model->motions[i].coordinate == coordinate &&
            !(ct_ex_kinds(model->pool, model->motions[i].value) & ~constant)) {
            *value = model->motions[i].value;
            return true;
        }
    return false;
}

// Trees on the joints whose coordinates are all given, then those with few freedoms: spherical
// joints are cut, and their angles are no unknowns.
static ct_status formulate(ct_context *ctx, ct_loop_system *s) {
    const ct_model *m = &s->without_guess;
    int *preference = ct_alloc((size_t)m->n_joints + 1, sizeof *preference);
    for (int i = 0; i < m->n_joints; i++) {
        const ct_joint *j = m->joints + i;
        bool all = j->n_coordinates > 0;
        ct_ex value;
        for (int k = 0; k < j->n_coordinates; k++)
            all = all && ct_loop_given(m, j->first_coordinate + k, &value);
        preference[i] = all;
    }
    ct_graph *graph = ct_graph_new(m);
    ct_status status = ct_tree_rule_joint(ctx, graph, preference);
    ct_free(preference);
    if (status)
        ct_graph_free(graph);
    else
        status = ct_formulation_new(ctx, graph, CT_FORMULATE_KINEMATICS, &s->f);
    return status;
}

// The edges of a tree: joints and bodies' own.
static int tree_edges(const ct_graph *g, ct_domain domain, int *edges) {
    int n = 0;
    for (int e = 0; e < g->n_edges; e++) {
        ct_edge_kind kind = g->edges[e].kind;
        bool listed = kind == CT_EDGE_BODY || kind == CT_EDGE_JOINT;
        if (listed && g->tree[domain].has[e]) edges[n++] = e;
    }
    return n;
}

// True if both have the same coordinates in the same order.
static bool is_alike(const ct_formulation *a, const ct_formulation *b) {
    bool alike = a->n == b->n;
    for (int k = 0; k < a->n && alike; k++) alike = a->q[k] == b->q[k];
    return alike;
}

// The same formulation with exactly rational axes and frames, where some are not rational.
static void make_exact(ct_context *ctx, ct_loop_system *s) {
    const ct_model *m = &s->without_guess;
    s->exact = s->f;
    // axes and frames of all joints
    ct_directions directions;
    ct_directions_init(&directions, &s->constants);
    ct_joint *joints = ct_alloc((size_t)m->n_joints + 1, sizeof *joints);
    bool ok = true;
    for (int i = 0; i < m->n_joints && ok; i++) {
        joints[i] = m->joints[i];
        ok = ct_directions_joint(&directions, joints + i);
    }
    s->n_directions = ok ? directions.n - 3 : 0;
    ct_directions_clear(&directions);
    if (!s->n_directions) {
        ct_free(joints);
        return;
    }
    // formulation on the same trees
    s->exact_model = *m;
    s->exact_model.joints = joints;
    ct_context *quiet = ct_context_quiet(ctx);
    ct_graph *graph = ct_graph_new(&s->exact_model);
    int *edges = ct_alloc((size_t)graph->n_edges + 1, sizeof *edges);
    ct_status status = CT_OK;
    for (int d = CT_ROTATION; d <= CT_TRANSLATION && !status; d++)
        status = ct_tree_set(quiet, graph, d, tree_edges(s->f->graph, d, edges), edges);
    ct_free(edges);
    ct_formulation *exact = NULL;
    if (status)
        ct_graph_free(graph);
    else
        status = ct_formulation_new(quiet, graph, CT_FORMULATE_KINEMATICS, &exact);
    // with other coordinates it would be another system
    if (!status && is_alike(exact, s->f))
        s->exact = exact;
    else
        s->n_directions = 0;
}

static void allocate(ct_loop_system *s, ct_symbolic symbolic) {
    // one sum for each angle, nine entries for three angles
    size_t n = 5 * (size_t)s->f->n + (size_t)symbolic.n + 1;
    s->room = (int)n;
    s->n = s->f->n;
    s->symbols = ct_alloc(n, sizeof *s->symbols);
    s->value = ct_alloc(n, sizeof *s->value);
    s->known = ct_alloc(n, sizeof *s->known);
    s->unknown = ct_alloc(n, sizeof *s->unknown);
    s->expression = ct_alloc(n, sizeof *s->expression);
    s->number = ct_alloc(n, sizeof *s->number);
    s->cosine = ct_alloc(n, sizeof *s->cosine);
    s->sine = ct_alloc(n, sizeof *s->sine);
    for (size_t k = 0; k < n; k++) {
        fmpq_init(s->number + k);
        fmpq_init(s->cosine + k);
        fmpq_init(s->sine + k);
    }
    for (int k = 0; k < s->f->n; k++) s->symbols[k] = s->expression[k] = s->f->q[k];
    for (int i = 0; i < symbolic.n; i++) {
        s->unknown[s->n] = true;
        s->symbols[s->n++] = symbolic.symbols[i];
    }
}

// Gears and racks carry knowledge on:  J2 = ratio J1.
static bool spread_knowledge(ct_loop_system *s) {
    bool more = false;
    for (int i = 0; i < s->without_guess.n_joints; i++) {
        const ct_joint *j = s->without_guess.joints + i;
        if (!ct_joint_is_pair(j->type)) continue;
        int a = s->f->where[j->coordinate[0]], b = s->f->where[j->coordinate[1]];
        if (a < 0 || b < 0 || s->known[a] == s->known[b]) continue;
        if (s->known[a])
            s->value[b] = ct_mul(s->f->pool, j->ratio, s->value[a]);
        else
            s->value[a] = ct_div(s->f->pool, s->value[b], j->ratio);
        s->known[a] = s->known[b] = more = true;
    }
    return more;
}

// One of two unknown angles that a gear ties together is a whole multiple of the other.
static void tie_gears(ct_loop_system *s) {
    fmpq_t ratio;
    fmpq_init(ratio);
    for (int i = 0; i < s->without_guess.n_joints; i++) {
        const ct_joint *j = s->without_guess.joints + i;
        if (ct_joint_traits_of(j->type)->role != CT_ROLE_GEAR) continue;
        int a = s->f->where[j->coordinate[0]], b = s->f->where[j->coordinate[1]];
        if (a < 0 || b < 0 || s->known[a] || s->known[b] || a == b) continue;
        if (!ct_number_get(s->f->pool, ct_substitute(s->constants.known, j->ratio), ratio))
            continue;
        bool whole = fmpz_is_one(fmpq_denref(ratio)), part = fmpz_is_pm1(fmpq_numref(ratio));
        if (part && !whole) {
            fmpq_inv(ratio, ratio);
            int other = a;
            a = b;
            b = other;
        }
        bool tied = s->expression[b] != s->f->q[b] || s->expression[a] != s->f->q[a];
        if ((!whole && !part) || tied) continue;
        s->expression[b] = ct_mul(s->f->pool, ct_number(s->f->pool, ratio), s->f->q[a]);
    }
    fmpq_clear(ratio);
}

static ct_status find_known(ct_context *ctx, ct_loop_system *s) {
    ct_formulation *f = s->f;
    for (int k = 0; k < f->n; k++)
        s->known[k] = f->coordinate[k] >= 0 &&
                      ct_loop_given(&s->without_guess, f->coordinate[k], &s->value[k]);
    while (spread_knowledge(s)) {
    }
    tie_gears(s);
    for (int k = 0; k < f->n; k++) {
        if (!s->known[k]) continue;
        bool ok = true;
        if (f->is_angle[k])
            ok = ct_rational_circle(&s->constants, s->value[k], s->cosine + k, s->sine + k);
        int before = s->constants.n_replaced;
        ok = ok && ct_rational_of(&s->constants, s->value[k], s->number + k);
        if (f->is_angle[k]) s->constants.n_replaced = before; // only its sine and cosine count
        if (!ok)
            return ct_fail(ctx, CT_WRONG_MODEL, "the value of '%s' is not a finite number",
                           f->names[k]);
    }
    return CT_OK;
}

// equations ---------------------------------------------------------------------------------------
typedef struct rows {
    fmpq_mpoly_struct *f;
    int n, room, n_joint, room_joint;
} rows;

// s^2 = 1 - c^2 of all unknown angles.
static void lower_sines(const ct_loop_system *s, fmpq_mpoly_t f) {
    int n = 0, *angles = ct_alloc((size_t)s->n + 1, sizeof *angles);
    for (int k = 0; k < s->n; k++)
        if (fmpq_mpoly_degree_si(f, 3 * k + CT_SINE, s->ring.ctx) > 1) angles[n++] = k;
    ct_trig_lower(&s->ring, f, n, angles);
    ct_free(angles);
}

static ct_status add_row(ct_context *ctx, ct_loop_system *s, rows *list, ct_ex e, int joint,
                         ct_substitution *coordinates) {
    ct_trig_error error;
    fmpq_mpoly_t f;
    fmpq_mpoly_init(f, s->ring.ctx);
    const char *wrong = ct_trig_poly(&s->ring, f, ct_substitute(coordinates, e), &error);
    if (!wrong) lower_sines(s, f);
    if (wrong) {
        bool is_joint = joint >= 0;
        ct_place place = is_joint ? s->without_guess.joints[joint].place
                                  : s->without_guess.motions[-1 - joint].place;
        ct_error_at(ctx, place, "the equations of %s'%s' are not polynomial: %s",
                    is_joint ? "" : "motion ",
                    is_joint ? s->without_guess.joints[joint].name
                             : s->without_guess.motions[-1 - joint].name,
                    wrong);
    }
    if (wrong || fmpq_mpoly_is_zero(f, s->ring.ctx)) {
        fmpq_mpoly_clear(f, s->ring.ctx);
        return wrong ? CT_WRONG_MODEL : CT_OK;
    }
    *CT_PUSH(list->f, list->n, list->room) = *f;
    *CT_PUSH(s->row_joint, list->n_joint, list->room_joint) = joint;
    return CT_OK;
}

// Value of the guard of a joint that is assembled the right way round; CT_ZERO if it is not
// constant.
static ct_ex guard_value(const ct_loop_system *s, int joint) {
    const ct_joint *j = s->exact->model->joints + joint;
    ct_pool *pool = s->f->pool;
    int turns = ct_joint_rotations(j->type);
    if (turns == 0 || turns == 3) return ct_int(pool, 2); // trace of the identity - 1
    if (j->is_virtual) return CT_ZERO;
    if (turns == 1) return CT_ONE;
    ct_ex dot = CT_ZERO;
    for (int i = 0; i < 3; i++)
        dot = ct_add(pool, dot, ct_mul(pool, j->axis[0].v[i], j->axis[1].v[i]));
    return ct_sub(pool, CT_ONE, ct_power_int(pool, dot, 2));
}

// Rows that are independent at an assembled position, by their numbers; all where there is none.
static void choose_rows(ct_loop_system *s, bool *keep) {
    ct_context *quiet = ct_context_quiet(NULL);
    ct_assembly *assembly = NULL;
    bool ok = !ct_assembly_new(quiet, s->model, &assembly);
    ct_assembled *at = ok ? ct_assembled_new(quiet, assembly, s->exact) : NULL;
    for (int i = 0; i < s->exact->m; i++) keep[i] = !ok;
    for (int i = 0; ok && i < at->m; i++) keep[at->rows[i]] = true;
    for (int i = 0; i < s->exact->m; i++) // what is given stays given
        keep[i] = keep[i] || s->exact->owner[i].motion >= 0;
}

static ct_status collect(ct_context *ctx, ct_loop_system *s, rows *list) {
    const ct_formulation *f = s->exact;
    ct_status status = CT_OK;
    ct_substitution *coordinates = ct_substitution_new(f->pool);
    bool *keep = ct_alloc((size_t)f->m + 1, sizeof *keep);
    for (int i = 0; i < f->m; i++) keep[i] = true;
    if (!s->complete) choose_rows(s, keep);
    for (int k = 0; k < f->n; k++)
        if (s->expression[k] != f->q[k])
            ct_substitution_map(coordinates, f->q[k], s->expression[k]);
    for (int i = 0; i < f->m; i++) {
        int joint = f->owner[i].joint >= 0 ? f->owner[i].joint : -1 - f->owner[i].motion;
        bool used = keep[i] && !ct_loop_system_is_product(s, f->owner[i].joint, f->phi[i]);
        ct_status row = used ? add_row(ctx, s, list, f->phi[i], joint, coordinates) : CT_OK;
        status = row ? row : status;
    }
    // rotations of chords as vectors; guards of the other joints
    for (int joint = 0; joint < f->model->n_joints && !status; joint++) {
        ct_ex chord[CT_CHORD_ROWS];
        if (!ct_loop_system_replaces(s, joint)) continue;
        int n = ct_loop_system_chord(s, joint, chord);
        for (int i = 0; i < n && !status; i++)
            status = add_row(ctx, s, list, chord[i], joint, coordinates);
    }
    for (int i = 0; i < f->n_guards && s->complete && !status; i++) {
        if (ct_loop_system_replaces(s, f->guard_joint[i])) continue;
        ct_ex value = guard_value(s, f->guard_joint[i]);
        if (value != CT_ZERO)
            status = add_row(ctx, s, list, ct_sub(f->pool, f->guards[i], value), f->guard_joint[i],
                             coordinates);
    }
    ct_substitution_free(coordinates);
    ct_free(keep);
    return status;
}

static ct_status convert(ct_context *ctx, ct_loop_system *s) {
    ct_formulation *f = s->f;
    rows list = {0};
    // unknowns: sums of angles, rotations
    ct_loop_system_angles(s);
    ct_loop_system_rotations(s);
    // polynomials in the unknowns, with numbers for what is known
    ct_trig_init(&s->ring, &s->constants, s->n, s->symbols);
    s->ring.known = s->known;
    s->ring.value = s->number;
    s->ring.cosine = s->cosine;
    s->ring.sine = s->sine;
    ct_status status = collect(ctx, s, &list);
    s->n_rows = list.n;
    // in entries of rotations, where that is possible
    if (!status) list.n = ct_loop_system_rewrite(s, list.n, &list.f);
    // unknowns of the ring, the last symbols greatest
    int n_wanted = 0, *wanted = ct_alloc((size_t)s->n + 1, sizeof *wanted);
    for (int k = s->n - 1; k >= 0; k--)
        if (s->unknown[k]) wanted[n_wanted++] = k;
    if (!status)
        status = ct_trig_system_new(ctx, &s->ring, list.n, list.f, n_wanted, wanted, &s->system);
    if (s->system.bare_and_angle >= 0)
        ct_error_at(ctx, (ct_place){0, 0},
                    "'%s' stands alone and inside sines and cosines (a screw, or a gear whose "
                    "ratio is no whole number): that is not polynomial; give its value under "
                    "initial:",
                    ct_symbol_name(f->pool, s->symbols[s->system.bare_and_angle]));
    for (int i = 0; i < list.n; i++) fmpq_mpoly_clear(list.f + i, s->ring.ctx);
    ct_free(list.f);
    ct_free(wanted);
    return status;
}

ct_status ct_loop_system_new(ct_context *ctx, const ct_model *model, const ct_loop_options *options,
                             ct_loop_system *s) {
    *s = (ct_loop_system){.model = model, .without_guess = *model, .complete = options->complete};
    s->without_guess.n_guess = 0;
    s->system.bare_and_angle = -1;
    ct_loop_system_legs(s);
    ct_status status = formulate(ctx, s);
    if (!status) status = ct_loop_system_whole(ctx, s);
    if (status) return status;
    ct_rationals_init(&s->constants, model, options->symbolic);
    s->constants.digits = options->digits;
    make_exact(ctx, s);
    allocate(s, options->symbolic);
    status = find_known(ctx, s);
    if (!status) status = convert(ctx, s);
    return status;
}

void ct_loop_system_clear(ct_loop_system *s) {
    // polynomials and numbers
    ct_trig_system_clear(&s->system);
    if (s->ring.pool) ct_trig_clear(&s->ring);
    for (int k = 0; s->number && k < s->room; k++) {
        fmpq_clear(s->number + k);
        fmpq_clear(s->cosine + k);
        fmpq_clear(s->sine + k);
    }
    ct_free(s->number);
    ct_free(s->cosine);
    ct_free(s->sine);
    ct_free(s->value);
    ct_free(s->known);
    ct_free(s->symbols);
    ct_free(s->expression);
    ct_free(s->unknown);
    ct_free(s->rotations);
    ct_free(s->row_joint);
    ct_rationals_clear(&s->constants);
    // formulations
    ct_free(s->exact_model.joints);
    ct_certifier_clear(&s->certifier);
    ct_free(s->free);
    ct_loop_system_legs_clear(s);
    *s = (ct_loop_system){0};
}

// back to the mechanism ---------------------------------------------------------------------------
// Values of all symbols from those of the ring's unknowns; angles by atan2.
static void set_symbols(const ct_loop_system *s, const double *x, ct_numbers *numbers) {
    for (int k = 0; k < s->f->n; k++)
        if (s->known[k]) {
            double value;
            ct_numbers_eval(numbers, 1, &s->value[k], &value);
            ct_numbers_set(numbers, 1, &s->symbols[k], &value);
        }
    for (int i = 0; s->system.ring && i < s->system.ring->n; i++) {
        int part = s->system.part[i];
        double value = part == CT_COSINE ? atan2(x[i + 1], x[i]) : x[i];
        if (part != CT_SINE) ct_numbers_set(numbers, 1, &s->symbols[s->system.symbol[i]], &value);
    }
}

static double nearest_turn(double angle) {
    return angle - 2 * M_PI * ceil(angle / (2 * M_PI) - 0.5);
}

bool ct_loop_system_rounded(const ct_loop_system *s) {
    return s->n_directions > 0 || s->constants.n_replaced > 0;
}

void ct_loop_system_certifier(const ct_loop_system *s, int drive, ct_certifier *c, int *n_free,
                              int **free) {
    const ct_formulation *f = s->f;
    ct_pool *pool = f->pool;
    // known coordinates by their values, then parameters by theirs
    ct_substitution *known = ct_substitution_new(pool);
    *free = ct_alloc((size_t)f->n + 1, sizeof **free);
    *n_free = 0;
    for (int k = 0; k < f->n; k++) {
        if (s->known[k] && k != drive)
            ct_substitution_map(known, f->q[k], s->value[k]);
        else if (k != drive)
            (*free)[(*n_free)++] = k;
    }
    // Phi and its derivatives by the others
    size_t n = (size_t)*n_free, m = (size_t)f->m;
    ct_ex *symbols = ct_alloc(n + 1, sizeof *symbols), *phi = ct_alloc(m + 1, sizeof *phi),
          *phi_q = ct_alloc(m * n + 1, sizeof *phi_q);
    for (size_t k = 0; k < n; k++) symbols[k] = f->q[(*free)[k]];
    for (size_t i = 0; i < m; i++) {
        phi[i] = ct_substitute(s->constants.known, ct_substitute(known, f->phi[i]));
        for (size_t k = 0; k < n; k++) {
            ct_ex d = f->phi_q[i * (size_t)f->n + (size_t)(*free)[k]];
            phi_q[i * n + k] = ct_substitute(s->constants.known, ct_substitute(known, d));
        }
    }
    ct_certifier_init(c, pool, *n_free, symbols, drive < 0 ? CT_ZERO : f->q[drive], f->m, phi,
                      phi_q);
    ct_substitution_free(known);
    ct_free(symbols);
    ct_free(phi);
    ct_free(phi_q);
}

// Proves that one zero of Phi lies next to q, and takes its digits.
static bool prove(ct_loop_system *s, double *q) {
    enum { PROOF_BITS = 160 };
    if (!s->free) ct_loop_system_certifier(s, -1, &s->certifier, &s->n_free, &s->free);
    arb_ptr x = _arb_vec_init(s->n_free);
    arb_t none;
    arb_init(none);
    bool near = true;
    for (int k = 0; k < s->n_free; k++) arb_set_d(x + k, q[s->free[k]]);
    bool proved = s->f->m >= s->n_free && ct_certify(&s->certifier, x, none, PROOF_BITS);
    // not another zero that Newton ran to
    for (int k = 0; k < s->n_free && proved; k++) {
        double unit = ct_coordinate_unit(s->f, s->free[k]),
               d = arf_get_d(arb_midref(x + k), ARF_RND_NEAR) - q[s->free[k]];
        near = near && fabs(d) < CT_LOOPS_SOLVED * unit;
    }
    for (int k = 0; k < s->n_free && proved && near; k++)
        q[s->free[k]] = arf_get_d(arb_midref(x + k), ARF_RND_NEAR);
    _arb_vec_clear(x, s->n_free);
    arb_clear(none);
    return proved && near;
}

// Joint coordinates of the model at q, legs included. Gives the largest |Phi| of the legs, or
// infinity where a guard tells a joint the wrong way round.
static double read_joints(ct_loop_system *s, ct_numbers *numbers, const double *q, double *joint) {
    const ct_formulation *f = s->f;
    double residual = 0;
    ct_numbers_set(numbers, f->n, f->q, q);
    for (int i = 0; i < f->n_guards; i++) {
        double guard;
        ct_numbers_eval(numbers, 1, &f->guards[i], &guard);
        if (!(guard > 0)) residual = INFINITY;
    }
    // joint coordinates of the model, legs included
    for (int i = 0; i < s->model->n_coordinates; i++)
        joint[i] = f->where[i] >= 0 ? q[f->where[i]] : NAN;
    for (int i = 0; i < f->n_secondary; i++)
        ct_numbers_eval(numbers, 1, &f->secondary[i].value, &joint[f->secondary[i].coordinate]);
    if (s->n_legs) residual = fmax(residual, ct_loop_system_close_legs(s, numbers, joint));
    return residual;
}

double ct_loop_system_read(ct_loop_system *s, const double *q, double *joint) {
    ct_numbers numbers;
    ct_model_numbers(s->model, &numbers);
    double residual = read_joints(s, &numbers, q, joint);
    ct_numbers_clear(&numbers);
    return residual;
}

double ct_loop_system_place(ct_loop_system *s, const double *x, double *q, double *joint,
                            bool *proved) {
    const ct_formulation *f = s->f;
    bool *fixed = ct_alloc((size_t)f->n + 1, sizeof *fixed);
    ct_numbers numbers;
    ct_model_numbers(s->model, &numbers);
    // coordinates from the unknowns; angles within half a turn
    set_symbols(s, x, &numbers);
    ct_numbers_eval(&numbers, f->n, s->expression, q);
    for (int k = 0; k < f->n; k++) {
        fixed[k] = s->known[k];
        if (f->is_angle[k] && !fixed[k] && s->expression[k] != f->q[k]) q[k] = nearest_turn(q[k]);
    }
    // sharpened by Newton; guards tell a joint the wrong way round
    double residual = ct_project(f, &numbers, fixed, q);
    if (proved) *proved = residual < CT_LOOPS_SOLVED && prove(s, q);
    residual = fmax(residual, read_joints(s, &numbers, q, joint));
    ct_numbers_clear(&numbers);
    ct_free(fixed);
    return residual;
}

// Size of the largest unknown, lengths measured by that of the mechanism.
double ct_loop_system_size(const ct_loop_system *s, const double *re, const double *im) {
    double most = 0;
    for (int i = 0; i < s->system.ring->n; i++) {
        int k = s->system.symbol[i];
        bool is_slide = s->system.part[i] == CT_ITSELF && k < s->f->n && !s->f->is_angle[k];
        most = fmax(most, hypot(re[i], im[i]) / (is_slide ? s->f->length : 1));
    }
    return most;
}

// The expressions of the coordinates are linear with real coefficients, so their real and
// imaginary parts follow those of the unknowns:  q = b + A u.
void ct_loop_system_complex(const ct_loop_system *s, const double *re, const double *im,
                            double *q_re, double *q_im) {
    const ct_formulation *f = s->f;
    double *zero = ct_alloc((size_t)f->n + 1, sizeof *zero), none = 0;
    ct_numbers numbers;
    ct_model_numbers(s->model, &numbers);
    set_symbols(s, re, &numbers);
    // real and imaginary part of  b + A u
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < s->system.ring->n; i++) {
            double complex c = re[i] + I * im[i], z = c;
            if (s->system.part[i] == CT_SINE) continue;
            if (s->system.part[i] == CT_COSINE) // exp(i z) = c + i s
                z = -I * clog(c + I * (re[i + 1] + I * im[i + 1]));
            double value = part ? cimag(z) : creal(z);
            ct_numbers_set(&numbers, 1, &s->symbols[s->system.symbol[i]], &value);
        }
        ct_numbers_eval(&numbers, f->n, s->expression, part ? q_im : q_re);
    }
    // b, which the imaginary part must not hold
    for (int k = 0; k < s->n; k++)
        if (s->unknown[k]) ct_numbers_set(&numbers, 1, &s->symbols[k], &none);
    ct_numbers_eval(&numbers, f->n, s->expression, zero);
    for (int k = 0; k < f->n; k++) {
        q_im[k] -= zero[k];
        if (f->is_angle[k] && !s->known[k]) q_re[k] = nearest_turn(q_re[k]);
    }
    // angles of a rotation are no linear function of its entries
    for (int k = 0; k < s->n_rotations; k++)
        for (int i = 0; i < 3 && s->rotations[k].used; i++)
            q_re[s->rotations[k].angle[i]] = q_im[s->rotations[k].angle[i]] = NAN;
    ct_numbers_clear(&numbers);
    ct_free(zero);
}
