// The model reader on right models: every field of the slider-crank of the language description,
// every default, overrides, every joint type, the forms that at, axis and orient take, hostile
// input.
#include "unit.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char slider_crank[] =
    "cotree: 1\n"
    "name: planar slider-crank\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {l1: 0.3, l2: 0.4, m2: 0.5}          # constants; may use earlier ones\n"
    "bodies:\n"
    "  crank:  {mass: 0.2, inertia: 0.2*l1^2/12, com: [l1/2, 0, 0], points: {A: [l1, 0, 0]}}\n"
    "  rod:    {mass: m2,  inertia: m2*l2^2/12,  com: [l2/2, 0, 0], points: {B: [l2, 0, 0]}}\n"
    "  piston: {mass: 1.0, inertia: 1e-3}\n"
    "joints:\n"
    "  O:     {type: revolute,  between: [ground, crank], axis: z}\n"
    "  A:     {type: revolute,  between: [crank, rod],  at: [A, [0,0,0]], axis: z}\n"
    "  B:     {type: revolute,  between: [rod, piston], at: [B, [0,0,0]], axis: z}\n"
    "  slide: {type: prismatic, between: [ground, piston], axis: x}\n"
    "forces:\n"
    "  push:  {type: force, on: piston, vector: [10*sin(2*pi*t), 0, 0]}\n"
    "initial: {O: [pi/4, 2.0]}\n"
    "guess:   {A: -1.0}\n"
    "outputs: {tip_y: y(crank.A), power: 10*sin(2*pi*t)*slide'}\n"
    "simulate: {time: 3, step: 1e-3}\n";

FIXTURE(ct_context, ctx, ct_context_new, ct_context_free);

static ct_model *read_set(const char *text, int n_set, const char *const *set) {
    ct_model *m = NULL;
    ct_status status =
        ct_model_read_text(ctx, "folder/test.yaml", text, strlen(text), n_set, set, &m);
    for (int i = 0; i < ct_message_count(ctx); i++) print_error("%s\n", ct_message(ctx, i));
    assert_int_equal(status, CT_OK);
    assert_non_null(m);
    return m;
}

static ct_model *read_model(const char *text) {
    return read_set(text, 0, NULL);
}

// Reads what must be wrong; the first message holds `part`.
static void read_wrong(const char *text, size_t bytes, const char *part) {
    ct_model *m = NULL;
    ct_messages_clear(ctx);
    assert_int_equal(ct_model_read_text(ctx, "w.yaml", text, bytes, 0, NULL, &m), CT_WRONG_MODEL);
    assert_null(m);
    assert_true(ct_message_count(ctx) > 0);
    if (!strstr(ct_message(ctx, 0), part))
        print_error("'%s' is not in '%s'\n", part, ct_message(ctx, 0));
    assert_non_null(strstr(ct_message(ctx, 0), part));
}

static void is_vec(const ct_model *m, ct_vec3 v, double x, double y, double z) {
    const double want[3] = {x, y, z};
    for (int i = 0; i < 3; i++) assert_true(fabs(ct_model_number(m, v.v[i]) - want[i]) < 1e-12);
}

static void reads_the_head(void **state) {
    (void)state;
    ct_model *m = read_model(slider_crank);
    assert_string_equal(ct_model_name(m), "planar slider-crank");
    assert_string_equal(m->path, "folder/test.yaml");
    is_vec(m, m->gravity, 0, -9.81, 0);
    assert_int_equal(m->n_parameters, 3);
    assert_string_equal(m->parameters[1].name, "l2");
    assert_true(m->parameters[1].number == 0.4);
    assert_int_equal(m->parameters[1].value, ct_rational(m->pool, 2, 5));
    assert_int_equal(m->parameters[1].symbol, ct_symbol(m->pool, CT_SYMBOL_PARAMETER, "l2"));
    assert_int_equal(m->time, ct_symbol(m->pool, CT_SYMBOL_TIME, "t"));
    assert_true(m->settings.time == 3 && m->settings.step == 1e-3);
    assert_true(m->settings.output_step < 0 && m->settings.alpha < 0 && m->settings.atol < 0);
    assert_null(m->settings.method);
    assert_null(m->settings.integrator);
    assert_false(m->has_trees);
    ct_model_free(m);
}

static void reads_bodies(void **state) {
    (void)state;
    ct_model *m = read_model(slider_crank);
    assert_int_equal(m->n_bodies, 4);
    assert_string_equal(m->bodies[0].name, "ground");
    const ct_body *crank = &m->bodies[1], *piston = &m->bodies[3];
    assert_string_equal(crank->name, "crank");
    assert_int_equal(crank->place.line, 6);
    assert_int_equal(crank->place.column, 3);
    assert_int_equal(crank->mass, ct_rational(m->pool, 1, 5));
    assert_int_equal(crank->inertia[0], CT_ZERO);
    ct_ex l1 = ct_symbol(m->pool, CT_SYMBOL_PARAMETER, "l1");
    assert_int_equal(crank->inertia[2],
                     ct_mul(m->pool, ct_rational(m->pool, 1, 60), ct_power_int(m->pool, l1, 2)));
    assert_true(fabs(ct_model_number(m, crank->inertia[2]) - 0.2 * 0.09 / 12) < 1e-15);
    is_vec(m, crank->com, 0.15, 0, 0);
    assert_int_equal(crank->n_points, 1);
    assert_string_equal(crank->points[0].name, "A");
    is_vec(m, crank->points[0].at, 0.3, 0, 0);
    is_vec(m, piston->com, 0, 0, 0);
    assert_int_equal(piston->n_points, 0);
    assert_int_equal(ct_model_body(m, "rod"), 2);
    assert_int_equal(ct_model_body(m, "A"), -1);
    ct_model_free(m);
}

static void reads_joints(void **state) {
    (void)state;
    ct_model *m = read_model(slider_crank);
    assert_int_equal(m->n_joints, 4);
    const ct_joint *a = &m->joints[1], *slide = &m->joints[3];
    assert_string_equal(a->name, "A");
    assert_int_equal(a->type, CT_JOINT_REVOLUTE);
    assert_false(a->is_virtual);
    assert_int_equal(a->body[0], 1);
    assert_int_equal(a->body[1], 2);
    is_vec(m, a->at[0], 0.3, 0, 0);
    is_vec(m, a->at[1], 0, 0, 0);
    is_vec(m, a->axis[0], 0, 0, 1);
    is_vec(m, a->axis[1], 0, 0, 1);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            assert_int_equal(a->orient[1].a[i][k], i == k ? CT_ONE : CT_ZERO);
    assert_int_equal(slide->type, CT_JOINT_PRISMATIC);
    is_vec(m, slide->axis[0], 1, 0, 0);
    assert_int_equal(m->n_coordinates, 4);
    const ct_coordinate *c = &m->coordinates[3];
    assert_string_equal(c->name, "slide");
    assert_int_equal(c->joint, 3);
    assert_false(c->is_angle);
    assert_true(m->coordinates[0].is_angle);
    assert_int_equal(c->q, ct_symbol(m->pool, CT_SYMBOL_COORDINATE, "slide"));
    assert_int_equal(c->qd, ct_symbol(m->pool, CT_SYMBOL_RATE, "slide'"));
    assert_int_equal(ct_model_coordinate(m, "B"), 2);
    assert_string_equal(m->joints[3].name, "slide");
    ct_model_free(m);
}

static void reads_forces_starts_outputs(void **state) {
    (void)state;
    ct_model *m = read_model(slider_crank);
    assert_int_equal(m->n_forces, 1);
    assert_string_equal(m->forces[0].name, "push");
    assert_int_equal(m->forces[0].type, CT_FORCE_FORCE);
    assert_int_equal(m->forces[0].body[0], 3);
    assert_false(m->forces[0].in_body);
    is_vec(m, m->forces[0].at[0], 0, 0, 0);
    ct_ex turns = ct_product(m->pool, 3, (ct_ex[]){ct_int(m->pool, 2), ct_pi(m->pool), m->time});
    assert_int_equal(m->forces[0].vector.v[0],
                     ct_mul(m->pool, ct_int(m->pool, 10), ct_sin(m->pool, turns)));
    assert_int_equal(m->n_initial, 1);
    assert_int_equal(m->initial[0].coordinate, 0);
    assert_true(m->initial[0].has_rate);
    assert_true(fabs(ct_model_number(m, m->initial[0].value) - atan(1)) < 1e-15);
    assert_int_equal(m->initial[0].rate, ct_int(m->pool, 2));
    assert_int_equal(m->n_guess, 1);
    assert_int_equal(m->guess[0].coordinate, 1);
    assert_false(m->guess[0].has_rate);
    assert_int_equal(m->n_outputs, 2);
    assert_string_equal(m->outputs[0].name, "tip_y");
    assert_int_equal(m->n_probes, 1);
    assert_int_equal(m->probes[0].kind, CT_PROBE_Y);
    assert_int_equal(m->probes[0].body[0], 1);
    is_vec(m, m->probes[0].at[0], 0.3, 0, 0);
    assert_int_equal(m->outputs[0].value, m->probes[0].symbol);
    assert_string_equal(ct_symbol_name(m->pool, m->probes[0].symbol), "y(crank.A)");
    assert_true(ct_depends(m->pool, m->outputs[1].value, m->coordinates[3].qd));
    ct_model_free(m);
}

static void overrides_reach_later_parameters(void **state) {
    (void)state;
    const char *text = "parameters: {a: 1, b: 2*a, c: b + 1}\nbodies: {k: {mass: c}}\n"
                       "joints: {J: {type: free, between: [ground, k]}}\n";
    const char *set[] = {"a=9", "b = a^2", "a=3"};
    ct_model *m = read_set(text, 3, set);
    assert_true(m->parameters[0].number == 3);
    assert_true(m->parameters[1].number == 9);
    assert_true(m->parameters[2].number == 10);
    assert_true(ct_model_number(m, m->bodies[1].mass) == 10);
    ct_model_free(m);

    const char *wrong[] = {"aa=1", "b=c", "a", "c=1/0"};
    const char *parts[] = {"has no parameter 'aa'; did you mean 'a'?", "(circular)",
                           "write NAME=EXPR", "division by zero"};
    for (int i = 0; i < 4; i++) {
        ct_messages_clear(ctx);
        assert_int_equal(ct_model_read_text(ctx, "x.yaml", text, strlen(text), 1, &wrong[i], &m),
                         CT_WRONG_MODEL);
        assert_int_equal(ct_message_count(ctx), 1);
        if (!strstr(ct_message(ctx, 0), parts[i]))
            print_error("'%s' is not in '%s'\n", parts[i], ct_message(ctx, 0));
        assert_non_null(strstr(ct_message(ctx, 0), parts[i]));
        assert_non_null(strstr(ct_message(ctx, 0), "x.yaml: error: --set"));
    }
}

static void fills_defaults(void **state) {
    (void)state;
    ct_model *m = read_model("points: {H: [1, 2, 3]}\n"
                             "bodies: {a: , b: {com: [1, 0, 0], points: {Q: [4, 6, 3]}}}\n"
                             "joints:\n"
                             "  F: {type: free, between: [ground, a]}\n"
                             "  S: {type: spherical, between: [a, b], at: H}\n"
                             "  L: {type: link, between: [ground, b], at: [H, Q]}\n"
                             "forces:\n"
                             "  f: {type: force, on: b, vector: [1, 0, 0], frame: body}\n"
                             "  s: {type: spring, between: [ground.H, b.com], stiffness: 3}\n");
    assert_string_equal(ct_model_name(m), "test");
    is_vec(m, m->gravity, 0, 0, 0);
    assert_int_equal(m->bodies[1].mass, CT_ZERO);
    assert_int_equal(m->bodies[0].n_points, 1);
    assert_int_equal(m->joints[0].sequence[0], 2);
    assert_int_equal(m->joints[0].sequence[2], 0);
    is_vec(m, m->joints[1].at[0], 1, 2, 3);
    is_vec(m, m->joints[1].at[1], 1, 2, 3);
    assert_int_equal(m->joints[2].length, ct_int(m->pool, 5));
    assert_int_equal(m->joints[2].n_coordinates, 0);
    is_vec(m, m->forces[0].at[0], 1, 0, 0);
    assert_true(m->forces[0].in_body);
    assert_int_equal(m->forces[1].length, CT_ZERO);
    assert_int_equal(m->forces[1].damping, CT_ZERO);
    assert_int_equal(m->forces[1].value, CT_ZERO);
    is_vec(m, m->forces[1].at[0], 1, 2, 3);
    is_vec(m, m->forces[1].at[1], 1, 0, 0);
    ct_model_free(m);
}

static void names_coordinates(void **state) {
    (void)state;
    static const char *const want[] = {
        "r",   "p",       "c.slide", "c.angle", "w",   "u.1", "u.2", "s.1", "s.2",  "s.3",  "e.x",
        "e.y", "e.angle", "f.x",     "f.y",     "f.z", "f.1", "f.2", "f.3", "t0.x", "t0.y", "t0.z"};
    ct_model *m = read_model(
        "bodies: {b: {mass: 1}}\n"
        "joints:\n"
        "  r: {type: revolute, between: [ground, b], axis: -z}\n"
        "  p: {type: prismatic, between: [ground, b], axis: [3, 0, 4]}\n"
        "  c: {type: cylindrical, between: [ground, b], axis: [[0, 0, 0], [0, 2, 0]]}\n"
        "  w: {type: screw, between: [ground, b], axis: x, pitch: 2*mm}\n"
        "  u: {type: universal, between: [ground, b], axes: [x, [0, 1, 1]]}\n"
        "  s: {type: spherical, between: [ground, b], sequence: zxz}\n"
        "  e: {type: planar, between: [ground, b], axis: y, virtual: true}\n"
        "  f: {type: free, between: [ground, b]}\n"
        "  t0: {type: point, between: [ground, b]}\n"
        "  x: {type: fixed, between: [ground, b], orient: [[pi/2, 0, 0], [0, 0, 90*deg]]}\n");
    assert_int_equal(m->n_coordinates, 22);
    for (int i = 0; i < 22; i++) assert_string_equal(m->coordinates[i].name, want[i]);
    is_vec(m, m->joints[0].axis[0], 0, 0, -1);
    assert_int_equal(m->joints[1].axis[0].v[0], ct_rational(m->pool, 3, 5));
    is_vec(m, m->joints[2].axis[1], 0, 1, 0);
    assert_int_equal(m->joints[3].pitch, ct_rational(m->pool, 1, 500));
    is_vec(m, m->joints[4].axis[1], 0, sqrt(0.5), sqrt(0.5));
    assert_int_equal(m->joints[5].sequence[1], 0);
    assert_true(m->joints[6].is_virtual);
    // Rx(90 deg) sends y to z; Rz(90 deg) sends x to y
    const ct_mat3 *a = &m->joints[9].orient[0], *b = &m->joints[9].orient[1];
    assert_int_equal(a->a[2][1], CT_ONE);
    assert_int_equal(a->a[1][2], ct_int(m->pool, -1));
    assert_int_equal(b->a[1][0], CT_ONE);
    assert_int_equal(b->a[0][1], ct_int(m->pool, -1));
    ct_model_free(m);
}

static void orient_is_yaw_pitch_roll(void **state) {
    (void)state;
    ct_model *m =
        read_model("parameters: {r: 0.3, p: -0.7, y: 1.1}\nbodies: {b: {}}\n"
                   "joints: {J: {type: fixed, between: [ground, b], orient: [r, p, y]}}\n");
    double r = 0.3, p = -0.7, y = 1.1;
    const double want[3][3] = {{cos(y) * cos(p), cos(y) * sin(p) * sin(r) - sin(y) * cos(r),
                                cos(y) * sin(p) * cos(r) + sin(y) * sin(r)},
                               {sin(y) * cos(p), sin(y) * sin(p) * sin(r) + cos(y) * cos(r),
                                sin(y) * sin(p) * cos(r) - cos(y) * sin(r)},
                               {-sin(p), cos(p) * sin(r), cos(p) * cos(r)}};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                assert_true(fabs(ct_model_number(m, m->joints[0].orient[k].a[i][j]) - want[i][j]) <
                            1e-14);
    ct_model_free(m);
}

static void reads_couplings_and_motions(void **state) {
    (void)state;
    ct_model *m =
        read_model("inputs: {steer: 1/2}\n"
                   "tables: {f: {x: [0, 1, 2], y: [0, 1, 0], periodic: true}}\n"
                   "bodies: {a: {}, b: {}}\n"
                   "joints:\n"
                   "  G: {type: gear, joints: [A, B], ratio: -2}\n"
                   "  R: {type: rack, joints: [B, P], radius: 0.1}\n"
                   "  C: {type: constraint, equation: A^2 + P - steer*x(a)}\n"
                   "  A: {type: revolute, between: [ground, a], axis: z}\n"
                   "  B: {type: revolute, between: [a, b], axis: z}\n"
                   "  P: {type: prismatic, between: [ground, b], axis: x}\n"
                   "motions: {A: \"table(f, t) + steer\", x(b): 0.1*t, \"distance(a, b)\": 1}\n"
                   "outputs: {u: A + t, v: u + x(a), w: \"if(u < 1, vx(b), B')\"}\n"
                   "trees: {rotation: [A, b], translation: [P, a]}\n"
                   "independent: [A]\n");
    const ct_joint *g = &m->joints[0];
    assert_int_equal(g->coordinate[0], ct_model_coordinate(m, "A"));
    assert_int_equal(g->coordinate[1], ct_model_coordinate(m, "B"));
    assert_int_equal(g->ratio, ct_int(m->pool, -2));
    assert_int_equal(m->joints[1].coordinate[1], ct_model_coordinate(m, "P"));
    assert_true(ct_depends(m->pool, m->joints[2].equation, m->inputs[0].symbol));
    assert_true(m->inputs[0].number == 0.5);
    assert_int_equal(m->n_motions, 3);
    assert_int_equal(m->motions[0].coordinate, ct_model_coordinate(m, "A"));
    assert_int_equal(m->motions[0].probe, -1);
    assert_int_equal(m->motions[1].coordinate, -1);
    assert_int_equal(m->probes[m->motions[1].probe].kind, CT_PROBE_X);
    assert_int_equal(m->probes[m->motions[2].probe].kind, CT_PROBE_DISTANCE);
    assert_int_equal(m->probes[m->motions[2].probe].body[1], 2);
    assert_int_equal(m->n_probes, 4); // x(a) is used twice
    assert_true(ct_depends(m->pool, m->outputs[1].value, m->time));
    assert_true(m->has_trees);
    assert_true(m->rotation[1].is_body);
    assert_int_equal(m->rotation[1].index, 2);
    assert_false(m->translation[0].is_body);
    assert_string_equal(m->independent[0].name, "A");
    ct_model_free(m);
}

static void reads_aliases_merges_and_json(void **state) {
    (void)state;
    ct_model *m = read_model(
        "bodies:\n  a: &base {mass: 2, inertia: 1}\n  b: {<<: *base, mass: 3}\n  c: *base\n"
        "joints:\n  A: &j {type: free, between: [ground, a]}\n  B: {<<: *j, between: [ground, b]}\n"
        "  C: {<<: [*j], between: [ground, c]}\n");
    assert_int_equal(m->bodies[2].mass, ct_int(m->pool, 3));
    assert_int_equal(m->bodies[2].inertia[2], CT_ONE);
    assert_int_equal(m->bodies[3].mass, ct_int(m->pool, 2));
    ct_model_free(m);
    m = read_model("{\"cotree\": 1, \"bodies\": {\"a\": {\"mass\": 1.5}},\n"
                   " \"joints\": {\"J\": {\"type\": \"free\", \"between\": [\"ground\", \"a\"]}}}");
    assert_int_equal(m->n_coordinates, 6);
    ct_model_free(m);
}

static void takes_any_name(void **state) {
    (void)state;
    char text[9000], name[3001];
    memset(name, 'n', 3000);
    name[3000] = '\0';
    snprintf(text, sizeof text,
             "bodies: {\"<b>it's \\\"q\\\"\": {mass: 1}, שלום: {}, %s: {}}\n"
             "joints:\n"
             "  my joint: {type: revolute, between: [ground, \"<b>it's \\\"q\\\"\"], axis: z}\n"
             "  \"2nd/joint\": {type: planar, between: [ground, שלום], axis: z}\n"
             "  J: {type: free, between: [ground, %s]}\n"
             "outputs: {a: \"`my joint` + `2nd/joint.x`'\", b: x(`שלום`)}\n",
             name, name);
    ct_model *m = read_model(text);
    assert_true(ct_depends(m->pool, m->outputs[0].value, m->coordinates[0].q));
    assert_true(ct_depends(m->pool, m->outputs[0].value, m->coordinates[1].qd));
    ct_model_free(m);
}

static void planar_inertia_may_stand_alone(void **state) {
    (void)state;
    ct_model *m = read_model(
        "bodies: {a: {inertia: 1}, b: {inertia: [0, 0, 1]}, c: {inertia: [0.333, 0.333, 0.667]},\n"
        "  d: {inertia: [1e300, 1e300, 1e300]}}\n"
        "joints: {A: {type: free, between: [ground, a]}, B: {type: free, between: [ground, b]},\n"
        "  C: {type: free, between: [ground, c]}, D: {type: free, between: [d, ground]}}\n");
    ct_model_free(m);
}

static char *repeat(const char *s, int n, const char *end) {
    ct_text t = {0};
    for (int i = 0; i < n; i++) ct_text_add(&t, s);
    ct_text_add(&t, end);
    return ct_text_take(&t);
}

static void survives_hostile_input(void **state) {
    (void)state;
    read_wrong("", 0, "w.yaml:1:1: error: this file is empty");
    read_wrong("# nothing\n", 10, "empty");
    read_wrong("a: b\0c", 6, "w.yaml:1:5: error: byte 0x00 is not text");
    read_wrong("a:\n  \xff\xfe", 7, "w.yaml:2:3: error: byte 0xff is not text");
    read_wrong("\x7f"
               "ELF\x01",
               5, "byte 0x7f");
    read_wrong("a: \"x\\0y\"", 9, "NUL character");
    read_wrong("a: &a [*a]", 10, "no anchor &a before");
    read_wrong("5", 1, "map of sections");

    char *deep = repeat("[", 100000, "");
    read_wrong(deep, strlen(deep), "nested too deeply");
    ct_free(deep);
    deep = repeat("{a: ", 1000, "");
    read_wrong(deep, strlen(deep), "nested too deeply");
    ct_free(deep);
    char *sum = repeat("(", 50000, "1"),
         *text = ct_format("parameters: {a: %s}\nbodies: {}\n", sum);
    read_wrong(text, strlen(text), "nested too deeply");
    ct_free(sum);
    ct_free(text);

    // each line ten times the one before
    ct_text bomb = {0};
    ct_text_add(&bomb, "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
    for (int i = 1; i < 12; i++) {
        ct_text_printf(&bomb, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++) ct_text_printf(&bomb, "%s*a%d", k ? ", " : "", i - 1);
        ct_text_add(&bomb, "]\n");
    }
    read_wrong(bomb.s, bomb.n, "too many entries");
    ct_text_clear(&bomb);

    char *large = repeat("# a comment that goes on and on and on and on and on\n", 400000, "");
    read_wrong(large, strlen(large), "larger than 16 MB");
    ct_free(large);
}

static void stays_fast_with_many_names(void **state) {
    (void)state;
    ct_text t = {0};
    double start = ct_seconds();
    ct_text_add(&t, "bodies:\n");
    for (int i = 0; i < 20000; i++) ct_text_printf(&t, "  b%d: {mass: 1}\n", i);
    ct_text_add(&t, "joints:\n");
    for (int i = 0; i < 20000; i++) {
        char before[16] = "ground";
        if (i) snprintf(before, sizeof before, "b%d", i - 1);
        ct_text_printf(&t, "  j%d: {type: revolute, between: [%s, b%d], axis: z}\n", i, before, i);
    }
    char *text = ct_text_take(&t);
    ct_model *m = read_model(text);
    assert_int_equal(m->n_coordinates, 20000);
    ct_model_free(m);
    ct_free(text);
    assert_true(ct_seconds() - start < 30);
}

static void says_when_a_file_is_missing(void **state) {
    (void)state;
    ct_model *m = NULL;
    assert_int_equal(ct_model_read(ctx, "/nowhere/m.yaml", 0, NULL, &m), CT_WRONG_MODEL);
    assert_string_equal(ct_message(ctx, 0),
                        "/nowhere/m.yaml: error: cannot open this file: No such file or directory");
    ct_messages_clear(ctx);
    assert_int_equal(ct_model_read(ctx, "/", 0, NULL, &m), CT_WRONG_MODEL);
    assert_null(m);
    ct_model_free(NULL);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(reads_the_head),
        TEST(reads_bodies),
        TEST(reads_joints),
        TEST(reads_forces_starts_outputs),
        TEST(overrides_reach_later_parameters),
        TEST(fills_defaults),
        TEST(names_coordinates),
        TEST(orient_is_yaw_pitch_roll),
        TEST(reads_couplings_and_motions),
        TEST(reads_aliases_merges_and_json),
        TEST(takes_any_name),
        TEST(planar_inertia_may_stand_alone),
        TEST(survives_hostile_input),
        TEST(stays_fast_with_many_names),
        TEST(says_when_a_file_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
