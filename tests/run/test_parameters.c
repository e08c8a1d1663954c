// Parameters are run-time values: the compiled text of a model is the same whatever numbers --set
// gives, and derived parameters follow those that they are made of.
#include "harness.h"

#include "run/run.h"

enum { SETS = 4 };

typedef struct varied {
    const char *model;
    const char *sets[SETS][3]; // up to three values each
} varied;

static const varied models[] = {
    {"four_bar", {{"l1=1.1"}, {"l2=2.2", "l3=2.1"}, {"l4=19/10"}, {"l1=2", "l4=l1*0.9"}}},
    {"three_rrr", {{"l1=0.41"}, {"side=0.42", "l2=0.61"}, {"side=0.38"}, {"l1=0.4321"}}},
    {"gough_stewart", {{"h=1.4"}, {"h=1.6", "F=0.2"}, {"h=1.51"}, {"F=0"}}},
    {"double_wishbone",
     {{"stiffness=5e4"}, {"damping=8000", "free=0.5"}, {"free=0.48"}, {"free=0"}}},
    {"five_link", {{"L1=0.44"}, {"r=0.021", "R=0.16"}, {"L2=0.3"}, {"density=1/3"}}},
    {"delta", {{"elbow=0.52"}, {"base=0.21"}, {"half=0.05"}, {"stiffness=0", "damping=0"}}},
};
enum { MODELS = sizeof models / sizeof *models };

// The text that a run of the model compiles.
static char *text_of(const char *model, int n, const char *const *sets) {
    char *path = ct_format("%s/%s.yaml", CT_MODELS_DIR, model);
    mech k = mech_file_set(path, NULL, n, sets);
    ct_emit_input in;
    ct_emission code;
    assert_made(&k);
    assert_int_equal(ct_assemble(k.ctx, k.s), CT_OK);
    assert_int_equal(ct_close_system(k.ctx, k.s), CT_OK);
    ct_emit_input_fill(k.s, "model", &in);
    in.without_values = true;
    ct_emit(&in, &code);
    char *text = ct_strdup(code.source);
    ct_emission_clear(&code);
    mech_clear(&k);
    ct_free(path);
    return text;
}

static void values_are_no_text(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        char *own = text_of(models[i].model, 0, NULL);
        for (int k = 0; k < SETS; k++) {
            int n = 0;
            while (n < 3 && models[i].sets[k][n]) n++;
            char *other = text_of(models[i].model, n, models[i].sets[k]);
            if (strcmp(own, other)) fail_msg("%s --set %s", models[i].model, models[i].sets[k][0]);
            ct_free(other);
        }
        ct_free(own);
    }
}

// Where --set takes the place of a formula, the parameter is an argument: that is another text.
static void derived_ones_follow(void **state) {
    (void)state;
    char *own = text_of("three_rrr", 0, NULL);
    const char *const set[] = {"rad=0.4/sqrt(3)"};
    char *other = text_of("three_rrr", 1, set);
    assert_non_null(strstr(own, "constants_derived"));
    assert_null(strstr(own, "\"rad\""));
    assert_null(strstr(other, "constants_derived"));
    assert_non_null(strstr(other, "\"rad\""));
    ct_free(own);
    ct_free(other);
}

// generated code ----------------------------------------------------------------------------------
// A body that flies freely (Euler parameters) from angles that are parameters, with a length that is
// derived; a start that only nearness decides; motions and their rates at t = 0.
static const char flying[] =
    "cotree: 1\ngravity: [0, 0, -9.81]\n"
    "parameters: {a: 0.4, b: 0.7, w: 3, m: 2, J: m*a^2/12, half: a/2}\n"
    "bodies: {top: {mass: m, inertia: [J, 2*J, 3*J], com: [half, 0, 0], points: {P: [a, 0, 0]}}}\n"
    "joints: {F: {type: free, between: [ground, top]}}\n"
    "forces: {k: {type: spring, between: [ground, top.P], stiffness: 30, length: half}}\n"
    "initial: {F.x: a, F.1: [b, w], F.2: [b - 1/2, 1], F.3: 2*b}\n";
static const char hanging[] =
    "cotree: 1\ngravity: [0, -9.81, 0]\n"
    "parameters: {d: 1.1, l: 0.5, rod: 0.8, load: 2*l}\n"
    "bodies:\n"
    "  left: {mass: 1, inertia: 0.1, com: [l/2, 0, 0], points: {E: [l, 0, 0]}}\n"
    "  right: {mass: 1, inertia: 0.1, com: [l/2, 0, 0], points: {E: [l, 0, 0]}}\n"
    "  plate: {mass: load, inertia: 0.2, points: {A: [-rod/2, 0, 0], B: [rod/2, 0, 0]}}\n"
    "joints:\n"
    "  L: {type: revolute, between: [ground, left], axis: z}\n"
    "  R: {type: revolute, between: [ground, right], at: [[d, 0, 0], [0, 0, 0]], axis: z}\n"
    "  A: {type: revolute, between: [left, plate], at: [E, A], axis: z}\n"
    "  B: {type: link, between: [right, plate], at: [E, B], length: l/2}\n"
    "guess: {L: -1.2, R: -1.7, A: 1.3}\n";
static const char driven[] =
    "cotree: 1\ngravity: [0, -9.81, 0]\n"
    "parameters: {r: 0.1, l: 0.4, w: 5, e: r/10}\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: 0.01, points: {A: [r, 0, 0]}}\n"
    "  rod: {mass: 1, inertia: 0.02, com: [l/2, 0, 0], points: {B: [l, 0, 0]}}\n"
    "  slide: {mass: 1, inertia: 0.01}\n"
    "joints:\n"
    "  O: {type: revolute, between: [ground, crank], axis: z}\n"
    "  A: {type: revolute, between: [crank, rod], at: [A, [0, 0, 0]], axis: z}\n"
    "  B: {type: revolute, between: [rod, slide], at: [B, [0, 0, 0]], axis: z}\n"
    "  X: {type: prismatic, between: [ground, slide], at: [[0, e, 0], [0, 0, 0]], axis: x}\n"
    "motions: {O: w*t + l}\n"
    "guess: {X: r + l}\n";

typedef struct product {
    const char *name, *text; // text NULL: of the gallery
    double spread;           // of every parameter, relative
} product;
static const product products[] = {{"three_rrr", NULL, 0.05},      {"gough_stewart", NULL, 0.05},
                                   {"double_wishbone", NULL, 0.1}, {"five_link", NULL, 0.01},
                                   {"flying", flying, 0.3},        {"hanging", hanging, 0.1},
                                   {"driven", driven, 0.3}};
enum { PRODUCTS = sizeof products / sizeof *products, DRAWS = 10 };

static const run_settings brief = {
    .integrator = "rk4", .time = 0.02, .step = 1e-3, .output_step = 4e-3};

static int shell(const char *format, ...) CT_PRINTF(1, 2);
static int shell(const char *format, ...) {
    va_list list;
    va_start(list, format);
    char command[8192];
    int n = vsnprintf(command, sizeof command, format, list);
    va_end(list);
    assert_true(n > 0 && (size_t)n < sizeof command);
    return system(command);
}

// Writes the model, its generated code and the program; returns the path of the model.
static char *make_product(const char *base, const product *x) {
    char *path = x->text ? ct_format("%s/%s.yaml", base, x->name) : model_path(x->name);
    if (x->text) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(x->text, out);
        fclose(out);
    }
    mech k = mech_file(path, NULL);
    assert_made(&k);
    char *folder = ct_format("%s/%s", base, x->name);
    ct_run_options o = run_options(&brief, NULL);
    ct_generate_info info;
    assert_int_equal(ct_generate(k.ctx, k.s, "c", folder, &o, &info), CT_OK);
    assert_int_equal(shell("cd %s && cc -std=c99 -o program *.c -lm", folder), 0);
    ct_free(folder);
    mech_clear(&k);
    return path;
}

// Numbers for all parameters that are no formulas, as NAME=VALUE each.
static int draw(const char *path, double spread, uint64_t *state, char **sets) {
    mech k = mech_file(path, NULL);
    int n = 0;
    assert_made(&k);
    for (int i = 0; i < k.model->n_parameters; i++) {
        const ct_parameter *p = k.model->parameters + i;
        if (p->is_derived) continue;
        sets[n++] = ct_format("%s=%.17g", p->name, p->number * (1 + spread * noise(state)));
    }
    mech_clear(&k);
    return n;
}

static double largest_difference(const table *a, const table *b) {
    double most = 0;
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->columns, b->columns);
    for (int i = 0; i < a->n; i++)
        for (int c = 0; c < a->columns; c++)
            most = fmax(most, difference(table_at(a, i, c), table_at(b, i, c)));
    return most;
}

// The program with these parameters against a run with --set.
static double compare(const char *base, const product *x, const char *path, int n, char **sets) {
    ct_text line = {0};
    for (int i = 0; i < n; i++) ct_text_printf(&line, " %s", sets[i]);
    int code = shell("cd %s/%s && ./program 0.02 %s > out.csv 2> log", base, x->name, line.s);
    if (code) shell("cat %s/%s/log >&2", base, x->name);
    assert_int_equal(code, 0);
    char *csv = ct_format("%s/%s/out.csv", base, x->name);
    table have = table_read(csv);
    mech k = mech_file_set(path, NULL, n, (const char *const *)sets);
    assert_made(&k);
    table want = run_mech(&k, &brief, NULL);
    double most = largest_difference(&have, &want);
    table_clear(&have);
    table_clear(&want);
    mech_clear(&k);
    ct_free(csv);
    ct_text_clear(&line);
    return most;
}

// Surroundings of the tests, which counting_compiler changes; NULL: not set.
static char *own_compiler, *own_cache;

static char *copy_of(const char *name) {
    const char *value = getenv(name);
    return value ? ct_strdup(value) : NULL;
}

static void put_back(const char *name, char *value) {
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    ct_free(value);
}

// A compiler that counts how often it is called, and a cache of its own.
static char *counting_compiler(const char *base) {
    own_compiler = copy_of("CC");
    own_cache = copy_of("XDG_CACHE_HOME");
    char *script = ct_format("%s/cc", base), *cache = ct_format("%s/cache", base);
    const char *cc = getenv("CC");
    FILE *out = fopen(script, "w");
    assert_non_null(out);
    fprintf(out, "#!/bin/sh\necho >> %s/calls\nexec %s \"$@\"\n", base, cc ? cc : "cc");
    fclose(out);
    assert_int_equal(shell("chmod +x %s; touch %s/calls", script, base), 0);
    setenv("CC", script, 1);
    setenv("XDG_CACHE_HOME", cache, 1);
    ct_free(script);
    ct_free(cache);
    return ct_format("%s/calls", base);
}

static int count_lines(const char *path) {
    char *text = read_text(path);
    int n = 0;
    for (const char *s = text; s && *s; s++) n += *s == '\n';
    ct_free(text);
    return n;
}

static void generated_equals_simulate(void **state) {
    (void)state;
    char *base = temporary_folder(), *calls = counting_compiler(base);
    uint64_t random = 5;
    for (int i = 0; i < PRODUCTS; i++) {
        const product *x = products + i;
        char *path = make_product(base, x), *sets[32];
        int before = count_lines(calls), first = 0;
        double most = 0;
        for (int k = 0; k < DRAWS; k++) {
            int n = draw(path, x->spread, &random, sets);
            most = fmax(most, compare(base, x, path, n, sets));
            for (int j = 0; j < n; j++) ct_free(sets[j]);
            if (!k) first = count_lines(calls);
        }
        // the first values compile it, in one call or in units; the others find it
        int later = count_lines(calls) - first;
        if (!(most < 1e-11)) fail_msg("%s: results differ by %.3g", x->name, most);
        assert_true(first > before);
        if (later) fail_msg("%s: the compiler was called %d times more", x->name, later);
        ct_free(path);
    }
    put_back("CC", own_compiler);
    put_back("XDG_CACHE_HOME", own_cache);
    shell("rm -rf %s", base);
    ct_free(calls);
    ct_free(base);
}

// Parameters that do not assemble, and the joint that the program must name.
static void impossible_ones_are_named(void **state) {
    (void)state;
    static const struct {
        int product;
        const char *set, *say;
    } wrong[] = {{0, "l2=0.05", "does not assemble with these parameters ('"},
                 {3, "L1=3", "does not assemble with these parameters ('s"},
                 {6, "r=10", "does not assemble with these parameters ('"}};
    char *base = temporary_folder();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const product *x = products + wrong[i].product;
        char *path = make_product(base, x), *log = ct_format("%s/%s/log", base, x->name);
        int code =
            shell("cd %s/%s && ./program 0.02 %s > out.csv 2> log", base, x->name, wrong[i].set);
        char *said = read_text(log);
        assert_int_equal(WEXITSTATUS(code), 3);
        if (!strstr(said, wrong[i].say)) fail_msg("%s: %s", x->name, said);
        // and so does a run
        mech k = mech_file_set(path, NULL, 1, &wrong[i].set);
        assert_int_not_equal(k.status, CT_OK);
        assert_true(has_message(k.ctx, "open: '") || has_message(k.ctx, "open loops: '"));
        mech_clear(&k);
        ct_free(said);
        ct_free(path);
        ct_free(log);
    }
    shell("rm -rf %s", base);
    ct_free(base);
}

// structure and inputs in the kernel ----------------------------------------------------------------
typedef struct generated {
    mech k;
    ct_loaded code;
    double *doubles;
    int *ints;
    ctk_sim sim;
} generated;

// The code that `generate` writes, compiled and loaded.
static generated generate_text(const char *text) {
    generated g = {.k = mech_text("model.yaml", text, NULL)};
    ct_emit_input in;
    ct_emission code;
    assert_made(&g.k);
    assert_int_equal(ct_close_system(g.k.ctx, g.k.s), CT_OK);
    ct_emit_input_fill(g.k.s, "model", &in);
    ct_emit(&in, &code);
    assert_int_equal(ct_load(g.k.ctx, &code, "model", &g.code), CT_OK);
    ct_emission_clear(&code);
    g.doubles = ct_alloc(ctk_doubles(g.code.model) + 1, sizeof(double));
    g.ints = ct_alloc(ctk_ints(g.code.model) + 1, sizeof(int));
    return g;
}

static ctk_status start_with(generated *g, const double *p, const double *u) {
    ctk_options options;
    ctk_options_init(&options);
    options.method = CTK_TRIANGULAR;
    return ctk_init(&g->sim, g->code.model, &options, p, u, 0, NULL, NULL, g->doubles, g->ints);
}

static void generated_clear(generated *g) {
    ct_free(g->doubles);
    ct_free(g->ints);
    ct_unload(&g->code);
    mech_clear(&g->k);
}

// A pivot that leaves the plane of a planar mechanism: the equations do not hold for it.
static void another_structure_is_refused(void **state) {
    (void)state;
    generated g = generate_text(
        "cotree: 1\nparameters: {l: 2, h: 0}\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: 0.1, points: {E: [1, 0, 0]}}\n"
        "  b: {mass: 1, inertia: 0.1, points: {E: [l, 0, 0]}}\n"
        "  c: {mass: 1, inertia: 0.1, points: {E: [1.5, 0, 0]}}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground, a], axis: z}\n"
        "  B: {type: revolute, between: [a, b], at: [E, [0, 0, 0]], axis: z}\n"
        "  C: {type: revolute, between: [b, c], at: [E, E], axis: z}\n"
        "  D: {type: revolute, between: [ground, c], at: [[2, 0, h], [0, 0, 0]], axis: z}\n"
        "initial: {A: 1}\nguess: {B: -0.7, D: 1.2}\n");
    assert_int_equal(g.code.model->n_parameters, 2);
    const double own[] = {2, 0}, longer[] = {2.1, 0}, off[] = {2, 0.1};
    assert_int_equal(start_with(&g, own, NULL), CTK_OK);
    assert_int_equal(start_with(&g, longer, NULL), CTK_OK);
    assert_int_equal(start_with(&g, off, NULL), CTK_OTHER_STRUCTURE);
    assert_non_null(strstr("A B C D", ctk_where(&g.sim, CTK_OTHER_STRUCTURE)));
    generated_clear(&g);
}

// An axis along a coordinate axis, written with a length, has the sign of the file's value in the
// equations: the other sign is refused, other lengths make no difference.
static void an_axis_that_turns_round_is_refused(void **state) {
    (void)state;
    generated g =
        generate_text("cotree: 1\nparameters: {s: 2, l: 0.4}\n"
                      "gravity: [0, -9.81, 0]\n"
                      "bodies: {a: {mass: 1, inertia: [0.1, 0.2, 0.3], com: [l, 0, 0]}}\n"
                      "joints: {A: {type: revolute, between: [ground, a], axis: [0, 0, s]}}\n"
                      "initial: {A: [0.3, 1]}\n");
    assert_int_equal(g.code.model->n_parameters, 2);
    const double own[] = {2, 0.4}, longer[] = {3, 0.4}, turned[] = {-2, 0.4}, none[] = {0, 0.4};
    assert_int_equal(start_with(&g, own, NULL), CTK_OK);
    assert_int_equal(start_with(&g, longer, NULL), CTK_OK);
    assert_int_equal(start_with(&g, turned, NULL), CTK_OTHER_STRUCTURE);
    assert_string_equal(ctk_where(&g.sim, CTK_OTHER_STRUCTURE), "axis of joint A");
    assert_int_equal(start_with(&g, none, NULL), CTK_OTHER_STRUCTURE);
    generated_clear(&g);
}

// An input that drives a motion decides on the start, in the kernel as in a run.
static void inputs_of_motions_start(void **state) {
    (void)state;
    static const char text[] =
        "cotree: 1\nparameters: {r: 0.1, l: 0.4}\ninputs: {phi: 0.5}\n"
        "bodies:\n"
        "  crank: {mass: 1, inertia: 0.01, points: {A: [r, 0, 0]}}\n"
        "  rod: {mass: 1, inertia: 0.02, com: [l/2, 0, 0], points: {B: [l, 0, 0]}}\n"
        "  slide: {mass: 1, inertia: 0.01}\n"
        "joints:\n"
        "  O: {type: revolute, between: [ground, crank], axis: z}\n"
        "  A: {type: revolute, between: [crank, rod], at: [A, [0, 0, 0]], axis: z}\n"
        "  B: {type: revolute, between: [rod, slide], at: [B, [0, 0, 0]], axis: z}\n"
        "  X: {type: prismatic, between: [ground, slide], axis: x}\n"
        "motions: {O: phi}\nguess: {X: r + l}\n";
    generated g = generate_text(text);
    // which coordinates there are is the closure's choice: A or X, beside O
    int x = -1, a = -1;
    for (int i = 0; i < g.code.model->n; i++) {
        if (!strcmp(g.code.model->coordinate_names[i], "X")) x = i;
        if (!strcmp(g.code.model->coordinate_names[i], "A")) a = i;
    }
    assert_true(x >= 0 || a >= 0);
    for (int i = 0; i < 5; i++) {
        const double phi = 0.5 + 0.1 * i, u[3] = {phi, 0, 0}, p[] = {0.1, 0.4 + 0.05 * i};
        assert_int_equal(start_with(&g, p, u), CTK_OK);
        assert_int_equal(ctk_refresh(&g.sim), CTK_OK);
        // r cos(phi) + sqrt(l^2 - r^2 sin(phi)^2)
        const double y = 0.1 * sin(phi),
                     slide = x >= 0 ? g.sim.q[x] : 0.1 * cos(phi) + p[1] * cos(phi + g.sim.q[a]);
        assert_near(slide, 0.1 * cos(phi) + sqrt(p[1] * p[1] - y * y), 1e-12);
    }
    generated_clear(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_no_text),
        cmocka_unit_test(derived_ones_follow),
        cmocka_unit_test(generated_equals_simulate),
        cmocka_unit_test(impossible_ones_are_named),
        cmocka_unit_test(another_structure_is_refused),
        cmocka_unit_test(an_axis_that_turns_round_is_refused),
        cmocka_unit_test(inputs_of_motions_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
