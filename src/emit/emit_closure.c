// The closure as C: the functions of ctk_closure and the table that names them.
#include "emit/emit_inside.h"
#include "formulate/whole_rotation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define IN       "const double *restrict "
#define OUT      "double *restrict "
#define NEXT     ",\n    " // an argument on the next line
#define FROM_Q   IN "c, double t, " IN "q, " IN "u" NEXT
#define FROM_QI  IN "c, double t, " IN "qi, "
#define BRANCHES IN "u, " IN "b, " IN "w, " IN "v" NEXT

static void name_array(ct_emitter *e, int n, const ct_ex *symbols, const int *which,
                       const char *array) {
    char text[64];
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof text, "%s[%d]", array, i);
        ct_writer_name(e->w, symbols[which ? which[i] : i], text);
    }
}

// From coordinates to values ----------------------------------------------------------------------
// Targets v (values) and w (tracked numbers, then those that roots and iterations keep).
static void place_targets(ct_emitter *e) {
    const ct_closure *c = e->in->closure;
    for (int i = 0; i < c->registers.values.n; i++)
        ct_emitter_target(e, "v", i, c->registers.values.meaning[i]);
    for (int i = 0; i < c->registers.tracked.n; i++)
        ct_emitter_target(e, "w", i, c->registers.tracked.meaning[i]);
    int carried = ct_program_carried(c, NULL);
    ct_ex *first = ct_scratch((size_t)carried + 1, sizeof *first);
    ct_program_carried(c, first);
    for (int i = 0; i < carried; i++)
        ct_emitter_target(e, "w", c->registers.tracked.n + i, first[i]);
}

// Values and tracked numbers as functions of all coordinates.
static ct_substitution *direct_values(ct_emitter *e) {
    const ct_closure *c = e->in->closure;
    ct_substitution *s = ct_substitution_new(e->f->pool);
    for (int i = 0; i < c->registers.values.n; i++)
        ct_substitution_map(s, c->registers.values.symbol[i],
                            ct_let(e->f->pool, c->registers.values.meaning[i]));
    for (int i = 0; i < c->registers.tracked.n; i++)
        ct_substitution_map(s, c->registers.tracked.symbol[i],
                            ct_let(e->f->pool, c->registers.tracked.meaning[i]));
    return s;
}

// -1 where a is negative, else 1.
static ct_ex sign_of(ct_pool *pool, ct_ex a) {
    const ct_ex sides[] = {a, CT_ZERO};
    return ct_if(pool, ct_apply(pool, CT_OP_LESS, sides), ct_int(pool, -1), CT_ONE);
}

// Functions that read a position q: `place` its v and w, `read_state` also the signs b.
static void reading(ct_emitter *e) {
    const ct_closure *c = e->in->closure;
    int n = c->registers.signs.n, iterations = ct_program_iterations(&c->positions);
    place_targets(e);
    ct_emitter_function(e, "place(" FROM_Q OUT "v, " OUT "w)", "c t q u v w", NULL);
    place_targets(e);
    ct_substitution *s = direct_values(e);
    // a sign may hold signs before it
    for (int i = 0; i < n; i++) {
        ct_ex of = ct_substitute(s, c->registers.signs.meaning[i]);
        ct_emitter_target(e, "b", i, of);
        if (!c->registers.signs.is_chained) continue;
        ct_substitution_map(s, c->registers.signs.symbol[i],
                            ct_let(e->f->pool, sign_of(e->f->pool, of)));
    }
    ct_substitution_free(s);
    // signs of iterations are not known yet
    for (int i = 0; i < iterations; i++) ct_emitter_target(e, "b", n + i, CT_ZERO);
    ct_emitter_function(e, "read_values(" FROM_Q OUT "v, " OUT "w, " OUT "b)", "c t q u v w b",
                        NULL);
    ct_text_printf(&e->body,
                   "static void read_state(" FROM_Q OUT "v, " OUT "w, " OUT "b)\n{\n"
                   "    int i;\n    read_values(c, t, q, u, v, w, b);\n"
                   "    for (i = 0; i < %d; i++)\n        b[i] = b[i] < 0.0 ? -1.0 : 1.0;\n}\n\n",
                   n);
}

// Iterations of loops are over angles: there are none where balls that depend are whole.
static int loop_count(const ct_emitter *e) {
    const ct_closure *c = e->in->closure;
    return e->in->without_loops || c->n_balls ? 0 : c->n_constraint_blocks;
}

// For each block of constraint rows: Phi and Phi_u of its unknowns.
static void loops(ct_emitter *e) {
    const ct_closure *c = e->in->closure;
    for (int i = 0; i < loop_count(e); i++) {
        const ct_constraint_block *loop = c->constraint_blocks + i;
        for (int a = 0; a < loop->n; a++) {
            int row = loop->rows[a];
            ct_emitter_target(e, "phi", a, e->f->phi[row]);
            for (int b = 0; b < loop->n; b++)
                ct_emitter_target(e, "phi_u", a * loop->n + b,
                                  e->f->phi_q[row * e->f->n + loop->unknown[b]]);
        }
        char *signature = ct_format("loop_%d(" FROM_Q OUT "phi, " OUT "phi_u)", i);
        ct_emitter_function(e, signature, "c t q u phi phi_u", NULL);
        ct_free(signature);
    }
}

// programs ----------------------------------------------------------------------------------------
static bool place_value(const void *data, int set, const char **array, int *index) {
    (void)data;
    *array = "v";
    *index = set;
    return true;
}

// Accelerations of the independent coordinates, and after them the power.
static bool place_acceleration(const void *data, int set, const char **array, int *index) {
    const ct_closure *c = data;
    *array = set < c->r ? "qddi" : "power";
    *index = set < c->r ? set : 0;
    return true;
}

static bool place_expanded(const void *data, int set, const char **array, int *index) {
    static const char *const arrays[] = {"q", "qd", "qdd"};
    const ct_closure *c = data;
    *array = arrays[set / c->f->n];
    *index = set % c->f->n;
    return set >= c->f->n; // positions come from q_value and the angles
}

static void dynamics(ct_emitter *e, ct_emission *code) {
    const ct_closure *c = e->in->closure;
    ct_program_input in = {.program = &c->dynamics,
                           .signature = "closure_dynamics(" FROM_QI IN "qdi" NEXT BRANCHES OUT
                                        "qddi, " OUT "power)",
                           .arguments = "c t qi qdi u b w v qddi power",
                           .place = place_acceleration,
                           .data = c,
                           .guards = true,
                           .optional = "power"};
    ct_emit_program(e, &in, NULL, &code->closure_dynamics);
}

// The ball that a coordinate belongs to; NULL: none.
static const ct_closure_ball *ball_of(const ct_closure *c, int k) {
    for (int i = 0; i < c->n_balls; i++)
        for (int j = 0; j < 3; j++)
            if (c->balls[i].coordinate[j] == k) return c->balls + i;
    return NULL;
}

// The rotation of the model on an edge of the graph.
static int rotation_on(const ct_formulation *f, int edge) {
    int i = 0;
    while (f->whole_rotations[i].edge != edge) i++;
    return i;
}

// The matrix of each ball, and its Euler parameters from that.
static int turns(const ct_emitter *e, ct_target *last, ct_text *t) {
    const ct_closure *c = e->in->closure;
    for (int i = 0; i < 9 * c->n_balls; i++) last[i] = (ct_target){"turn", i, c->turns[i]};
    for (int i = 0; i < c->n_balls; i++) {
        // near those that q holds
        int at = c->balls[i].coordinate[0], first = e->f->n + rotation_on(e->f, c->balls[i].edge);
        for (int j = 0; j < 4; j++)
            ct_text_printf(t, "    e[%d] = q[%d];\n", j, j ? at + j - 1 : first);
        ct_text_printf(t, "    ctk_parameters(turn + %d, e);\n", 9 * i);
        for (int j = 0; j < 4; j++)
            ct_text_printf(t, "    q[%d] = e[%d];\n", j ? at + j - 1 : first, j);
    }
    return 9 * c->n_balls;
}

// The expansion: all coordinates, rates and accelerations. An angle known by its sine and cosine is
// taken on the turn where q stood before.
static void expansion(ct_emitter *e) {
    const ct_closure *c = e->in->closure;
    const ct_formulation *f = e->f;
    int n = 0, angles = 0;
    ct_target *last =
        ct_alloc(3 * (size_t)f->n + 3 * (size_t)c->r + 9 * (size_t)c->n_balls + 1, sizeof *last);
    ct_text ending = {0};
    // positions come last: a value, or sine and cosine and the angle from both
    for (int i = 0; i < f->n; i++) {
        bool pair = c->q_sine[i] != CT_ZERO || c->q_cosine[i] != CT_ZERO;
        if (ball_of(c, i)) continue;
        if (c->q_value[i] != CT_ZERO || !pair) {
            last[n++] = (ct_target){"q", i, c->q_value[i]};
            continue;
        }
        last[n++] = (ct_target){"q_sine", angles, c->q_sine[i]};
        last[n++] = (ct_target){"q_cosine", angles, c->q_cosine[i]};
        ct_text_printf(&ending, "    q[%d] = ctk_angle(q_sine[%d], q_cosine[%d], q[%d]);\n", i,
                       angles, angles, i);
        angles++;
    }
    for (int i = 0; i < c->f->n_integrated; i++) {
        const ct_whole_rotation *b = c->f->whole_rotations + i;
        last[n++] = (ct_target){"q", f->n + rotation_on(f, b->edge), b->parameter[0]};
    }
    n += turns(e, last + n, &ending);
    // local arrays of these sines and cosines, and of matrices
    ct_text locals = {0};
    ct_text_add(&locals, "");
    if (angles) ct_text_printf(&locals, "    double q_sine[%d], q_cosine[%d];\n", angles, angles);
    if (c->n_balls) ct_text_printf(&locals, "    double turn[%d], e[4];\n", 9 * c->n_balls);
    // rates and accelerations are sets of the program itself
    ct_program_input in = {.program = &c->expansion,
                           .signature = "closure_expansion(" FROM_QI IN "qdi, " IN
                                        "qddi" NEXT BRANCHES OUT "q, " OUT "qd, " OUT "qdd)",
                           .arguments = "c t qi qdi qddi u b w v q qd qdd",
                           .place = place_expanded,
                           .data = c,
                           .guards = true,
                           .n_last = n,
                           .last = last,
                           .local = locals.s,
                           .ending = ending.s};
    ct_emit_program(e, &in, NULL, NULL);
    ct_text_clear(&locals);
    ct_free(last);
    ct_text_clear(&ending);
}

// tables ------------------------------------------------------------------------------------------
// Scales of the measures: their size far from limit positions, taken at the initial position; 0 if
// not known (iterations).
static double *guard_scales(ct_emitter *e, int n, const ct_ex *scale) {
    double *scales = ct_alloc((size_t)n + 1, sizeof *scales);
    ct_numbers x;
    ct_emitter_start(e, &x);
    ct_numbers_eval(&x, n, scale, scales);
    for (int i = 0; i < n; i++)
        if (!isfinite(scales[i])) scales[i] = 0;
    ct_numbers_clear(&x);
    return scales;
}

// The place of a row of f->phi among those of the generated model; -1: it is redundant.
static int kept_row(const ct_emit_input *in, int row) {
    for (int i = 0; i < in->m; i++)
        if (in->rows[i] == row) return i;
    return -1;
}

static void loop_tables(ct_emitter *e) {
    const ct_closure *c = e->in->closure;
    char name[64];
    const int n = loop_count(e);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "loop_%d_unknown", i);
        ct_emit_ints(&e->body, name, c->constraint_blocks[i].n, c->constraint_blocks[i].unknown);
        int *rows = ct_alloc((size_t)c->constraint_blocks[i].n, sizeof *rows);
        for (int a = 0; a < c->constraint_blocks[i].n; a++)
            rows[a] = kept_row(e->in, c->constraint_blocks[i].rows[a]);
        snprintf(name, sizeof name, "loop_%d_row", i);
        ct_emit_ints(&e->body, name, c->constraint_blocks[i].n, rows);
        ct_free(rows);
    }
    ct_text_add(&e->body, "static const ctk_loop loops[] = {");
    for (int i = 0; i < n; i++)
        ct_text_printf(&e->body, "%s{%d, loop_%d_unknown, loop_%d_row, loop_%d}",
                       i ? ",\n    " : "", c->constraint_blocks[i].n, i, i, i);
    ct_text_add(&e->body, n ? "};\n" : "{0, 0, 0, 0}};\n");
}

static void step_tables(ct_emitter *e) {
    const ct_closure *c = e->in->closure;
    const char **text = ct_scratch((size_t)c->n_steps + 1, sizeof *text);
    const char **joint = ct_scratch((size_t)c->n_steps + 1, sizeof *joint);
    for (int i = 0; i < c->n_steps; i++) {
        text[i] = c->steps[i].text ? c->steps[i].text : "";
        joint[i] = c->steps[i].joint >= 0 ? e->f->model->joints[c->steps[i].joint].name : "";
    }
    ct_emit_strings(&e->body, "step_names", c->n_steps, text);
    ct_emit_strings(&e->body, "step_joints", c->n_steps, joint);
}

// The scales of the measures at any position, for parameters that are not the model's own.
static void scales(ct_emitter *e, int n, const ct_ex *scale) {
    const ct_registers *x = &e->in->closure->registers;
    ct_substitution *s = direct_values(e);
    for (int i = 0; i < x->signs.n; i++)
        ct_substitution_map(
            s, x->signs.symbol[i],
            ct_let(e->f->pool, sign_of(e->f->pool, ct_substitute(s, x->signs.meaning[i]))));
    for (int i = 0; i < n; i++) ct_emitter_target(e, "scale", i, ct_substitute(s, scale[i]));
    ct_substitution_free(s);
    ct_emitter_function(e, "initial_scales(" FROM_Q OUT "scale)", "c t q u scale", NULL);
}

static void table(ct_emitter *e, ct_emission *code, const int *guard_step,
                  const ct_ex *guard_scale) {
    const ct_closure *c = e->in->closure;
    // branches, guards with their steps and scales, names of steps, loops
    ct_emit_ints(&e->body, "independent", c->r, c->independent);
    int *rotations = ct_scratch((size_t)c->f->n_integrated + 1, sizeof *rotations);
    for (int i = 0; i < c->f->n_integrated; i++)
        rotations[i] = rotation_on(e->f, c->f->whole_rotations[i].edge);
    if (c->f->n_integrated)
        ct_emit_ints(&e->body, "closure_rotations", c->f->n_integrated, rotations);
    code->values.guard_scale = guard_scales(e, code->n_guards, guard_scale);
    ct_emit_ints(&e->body, "guard_step", code->n_guards, guard_step);
    if (!e->in->without_values)
        ct_emit_numbers(&e->body, "guard_scale", code->n_guards, code->values.guard_scale);
    step_tables(e);
    loop_tables(e);
    // the record that names them and the functions
    const char *integrated =
        c->f->n_integrated
            ? ct_scratch_format("    .n_rotations = %d,\n    .rotations = closure_rotations,\n",
                                c->f->n_integrated)
            : "";
    ct_text_printf(
        &e->body,
        "static const ctk_closure closure = {\n    .n_independent = %d,\n    .n_values = %d,\n"
        "    .n_signs = %d,\n    .n_tracked = %d,\n    .n_carried = %d,\n"
        "    .n_guards = %d,\n    .n_steps = %d,\n    .n_loops = %d,\n    .independent = "
        "independent,\n    .guard_step = guard_step,\n"
        "%s%s    .step_names = step_names,\n    "
        ".step_joints = step_joints,\n"
        "    .loops = loops,\n    .place = place,\n    .read = read_state,\n"
        "    .positions = closure_positions,\n    .dynamics = closure_dynamics,\n"
        "    .expansion = closure_expansion,\n};\n\n",
        c->r, c->registers.values.n, code->n_signs, code->n_tracked,
        code->n_tracked - c->registers.tracked.n, code->n_guards, c->n_steps, loop_count(e),
        integrated, e->in->without_values ? "" : "    .guard_scale = guard_scale,\n");
}

void ct_emit_closure(ct_emitter *e, ct_emission *code) {
    const ct_closure *c = e->in->closure;
    // from coordinates to values, and the blocks of constraints for newton-loops
    reading(e);
    loops(e);
    // symbols of the three programs as elements of arrays
    name_array(e, c->r, c->f->q, c->independent, "qi");
    for (int i = 0; i < c->f->n_integrated; i++) { // scalar parts, behind the coordinates
        char text[64];
        snprintf(text, sizeof text, "qi[%d]", c->r + i);
        ct_writer_name(e->w, c->f->whole_rotations[i].parameter[0], text);
    }
    name_array(e, c->r, c->f->qd, c->independent, "qdi");
    name_array(e, c->r, c->accelerations, NULL, "qddi");
    name_array(e, c->registers.values.n, c->registers.values.symbol, NULL, "v");
    name_array(e, c->registers.signs.n, c->registers.signs.symbol, NULL, "b");
    name_array(e, c->registers.tracked.n, c->registers.tracked.symbol, NULL, "w");
    // sizes: measures of guards, signs of branches, tracked values with what iterations keep
    code->n_guards = ct_program_measures(&c->positions);
    code->n_signs = c->registers.signs.n + ct_program_iterations(&c->positions);
    code->n_tracked = c->registers.tracked.n + ct_program_carried(c, NULL);
    int *guard_step = ct_scratch((size_t)code->n_guards + 1, sizeof *guard_step);
    ct_ex *guard_scale = ct_alloc((size_t)code->n_guards + 1, sizeof *guard_scale);
    for (int i = 0; i < code->n_guards; i++) guard_scale[i] = CT_ZERO;
    // positions, dynamics, expansion, and the table
    ct_program_input in = {.program = &c->positions,
                           .signature = "closure_positions(" FROM_QI IN "u, " OUT "b" NEXT OUT
                                        "w, " OUT "v, " OUT "g)",
                           .arguments = "c t qi u b w v g",
                           .positions = true,
                           .guard_scale = guard_scale,
                           .place = place_value,
                           .guards = true};
    ct_emit_program(e, &in, guard_step, &code->closure_positions);
    dynamics(e, code);
    expansion(e);
    table(e, code, guard_step, guard_scale);
    code->has_scales =
        code->n_guards && e->in->without_values && ct_model_free_parameters(e->f->model) > 0;
    if (code->n_guards && (code->has_initial || code->has_scales)) {
        ct_emitter_name_symbols(e); // coordinates by their places among all again
        scales(e, code->n_guards, guard_scale);
    }
    if (code->has_scales)
        ct_text_add(&e->body,
                    "static const ctk_initial initial = {\n    .scales = initial_scales,\n};\n\n");
    ct_free(guard_scale);
}
