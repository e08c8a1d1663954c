// Redundancy that moves: in overconstrained linkages other rows are redundant in other positions.
// All methods follow them through full motions, however the linkage lies in space and whatever its
// size; what drifts too far is never called a success.
#include "harness.h"

typedef struct hinge {
    int body[2]; // 0: ground
    double at[3], axis[3];
} hinge;

typedef struct linkage {
    const char *name;
    int bodies, joints, freedoms;
    double rate[3], time; // rates of the first joints on the ground
    hinge joint[10];
} linkage;

// Bricard: six edges of a cube, each hinge across the two edges that meet. Its opposite: four equal
// skew hinges. Two chains of parallel hinges across each other. Three legs of hinges that meet.
static const linkage linkages[] = {
    {"Bricard",
     5,
     6,
     1,
     {2},
     3,
     {{{0, 1}, {0, 0, 0}, {0, 1, 0}},
      {{1, 2}, {1, 0, 0}, {0, 0, 1}},
      {{2, 3}, {1, 1, 0}, {1, 0, 0}},
      {{3, 4}, {1, 1, 1}, {0, 1, 0}},
      {{4, 5}, {0, 1, 1}, {0, 0, 1}},
      {{5, 0}, {0, 0, 1}, {1, 0, 0}}}},
    {"Bennett",
     3,
     4,
     1,
     {3},
     2.5,
     {{{0, 1}, {0.4, 0, -0.1}, {1, 0, 2}},
      {{1, 2}, {0, 0.3, 0.1}, {0, -2, 3}},
      {{2, 3}, {-0.4, 0, -0.1}, {-1, 0, 2}},
      {{0, 3}, {0, -0.3, 0.1}, {0, 2, 3}}}},
    {"Sarrus",
     5,
     6,
     1,
     {0.5},
     0.6,
     {{{0, 1}, {0, 0.3, 0}, {1, 0, 0}},
      {{1, 2}, {0, 0.6, 0.2}, {1, 0, 0}},
      {{2, 5}, {0, 0.3, 0.45}, {1, 0, 0}},
      {{0, 3}, {0.3, 0, 0}, {0, 1, 0}},
      {{3, 4}, {0.6, 0, 0.2}, {0, 1, 0}},
      {{4, 5}, {0.3, 0, 0.45}, {0, 1, 0}}}},
    {"agile eye",
     7,
     9,
     3,
     {0.6, -0.5, 0.4},
     0.8,
     {{{0, 1}, {0, 0, 0}, {1, 0, 0}},
      {{0, 3}, {0, 0, 0}, {0, 1, 0}},
      {{0, 5}, {0, 0, 0}, {0, 0, 1}},
      {{1, 2}, {0, 0, 0}, {0, 1, 0}},
      {{2, 7}, {0, 0, 0}, {0, 0, 1}},
      {{3, 4}, {0, 0, 0}, {0, 0, 1}},
      {{4, 7}, {0, 0, 0}, {1, 0, 0}},
      {{5, 6}, {0, 0, 0}, {1, 0, 0}},
      {{6, 7}, {0, 0, 0}, {0, 1, 0}}}},
};
enum { LINKAGES = sizeof linkages / sizeof *linkages };

// Rotation by a random quaternion; none for seed 0.
static void rotation(uint64_t seed, double R[3][3]) {
    double q[4] = {1, 0, 0, 0}, length = 0;
    uint64_t state = seed;
    for (int i = 0; i < 4 && seed; i++) q[i] = noise(&state);
    for (int i = 0; i < 4; i++) length += q[i] * q[i];
    for (int i = 0; i < 4; i++) q[i] /= sqrt(length);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int l = 3 - i - k; // the third axis
            double sign = k == (i + 1) % 3 ? -1 : 1;
            R[i][k] = i == k ? 1 : 2 * (q[i + 1] * q[k + 1] + sign * q[0] * q[l + 1]);
            for (int m = 0; m < 3 && i == k; m++)
                if (m != i) R[i][k] -= 2 * q[m + 1] * q[m + 1];
        }
}

static void put(char **end, double R[3][3], const double *x, double scale) {
    *end += sprintf(*end, "[");
    for (int i = 0; i < 3; i++)
        *end += sprintf(*end, "%s%.17g", i ? ", " : "",
                        scale * (R[i][0] * x[0] + R[i][1] * x[1] + R[i][2] * x[2]));
    *end += sprintf(*end, "]");
}

// The linkage turned and of a size: lengths and gravity in proportion, inertias with the square.
static mech turned(const linkage *l, uint64_t seed, double size) {
    char text[8192], *end = text;
    double R[3][3], down[3] = {0.7, -0.4, -1};
    rotation(seed, R);
    end += sprintf(end, "cotree: 1\ngravity: ");
    put(&end, R, down, size);
    end += sprintf(end, "\nbodies:\n");
    for (int b = 1; b <= l->bodies; b++) {
        // centre of mass: middle of the body's joints, and off it where they meet in a point
        double com[3] = {0.02 * b, 0.03, 0.05}, n = 0;
        for (int j = 0; j < l->joints; j++)
            n += l->joint[j].body[0] == b || l->joint[j].body[1] == b;
        for (int j = 0; j < l->joints; j++)
            for (int i = 0; i < 3; i++)
                if (l->joint[j].body[0] == b || l->joint[j].body[1] == b)
                    com[i] += l->joint[j].at[i] / n;
        double inertia = 0.02 * size * size;
        end += sprintf(end, "  b%d: {mass: %g, inertia: [%.17g, %.17g, %.17g], com: ", b,
                       1 + 0.1 * b, inertia, inertia, inertia);
        put(&end, R, com, size);
        end += sprintf(end, "}\n");
    }
    end += sprintf(end, "joints:\n");
    for (int j = 0; j < l->joints; j++) {
        const hinge *h = l->joint + j;
        char name[2][16];
        for (int i = 0; i < 2; i++)
            snprintf(name[i], sizeof name[i], h->body[i] ? "b%d" : "ground", h->body[i]);
        end += sprintf(end, "  j%d: {type: revolute, between: [%s, %s], at: ", j, name[0], name[1]);
        put(&end, R, h->at, size);
        end += sprintf(end, ", axis: ");
        put(&end, R, h->axis, 1);
        end += sprintf(end, "}\n");
    }
    end += sprintf(end, "forces:\n");
    for (int j = 0; j < l->joints; j++)
        end += sprintf(end, "  d%d: {type: torsion, joint: j%d, damping: %.17g}\n", j, j,
                       0.01 * size * size);
    end += sprintf(end, "initial: {");
    for (int j = 0; j < l->freedoms; j++)
        end += sprintf(end, "%sj%d: [0, %g]", j ? ", " : "", j, l->rate[j]);
    sprintf(end, "}\n");
    return mech_text(l->name, text, NULL);
}

static double furthest(const table *a, const table *b) {
    double most = a->n == b->n ? 0 : 1;
    for (int c = 1; c < a->columns && a->n == b->n; c++)
        most = fmax(most, difference(table_at(a, a->n - 1, c), table_at(b, b->n - 1, c)));
    return most;
}

// Every method, turned at random, in several sizes: the motion of partition. In a soak also that of
// the linkage as it lies.
static void full_motions(void **state) {
    (void)state;
    static const char *const methods[] = {NULL,     "augmented", "baumgarte",  "penalty",
                                          "newton", "partition", "triangular", "newton-loops"};
    static const double sizes[] = {1, 1e-6, 1e5};
    int failures = 0;
    for (int i = 0; i < LINKAGES; i++) {
        const linkage *l = linkages + i;
        mech lies = turned(l, soaking() ? 0 : (uint64_t)(10 * i + 1), soaking() ? 1 : sizes[i % 3]);
        assert_made(&lies);
        run_settings w = {
            .method = "partition", .time = l->time, .step = 1e-3, .output_step = l->time};
        table want = run_mech(&lies, &w, NULL);
        for (int k = 0; k < (soaking() ? 6 : 1); k++) {
            // the default and every other method, unless all are asked for; each in trees of its own
            for (int m = 0; m < 8; m++) {
                if (m && (m + i) % 2 && !soaking()) continue;
                mech one = turned(l, (uint64_t)(10 * i + k + 1), sizes[(i + k) % 3]);
                assert_made(&one);
                ct_run_summary summary = {0};
                table have = {0};
                w.method = methods[m];
                ct_status status = run_rows(&one, &w, &have, &summary);
                double off = status ? 1 : furthest(&want, &have);
                if (!(off < (m >= 1 && m <= 3 ? 2e-5 : 1e-6))) { // what drifts: more
                    print_error("%s, %s, size %g: status %d, off by %.2g\n", l->name,
                                methods[m] ? methods[m] : "default", sizes[(i + k) % 3], status,
                                off);
                    print_messages(one.ctx);
                    failures++;
                }
                table_clear(&have);
                mech_clear(&one);
            }
        }
        table_clear(&want);
        mech_clear(&lies);
    }
    assert_int_equal(failures, 0);
}

// Against references of another program, by every method.
static void references(void **state) {
    (void)state;
    static const char *const methods[] = {"augmented", "baumgarte",  "penalty",     "newton",
                                          "partition", "triangular", "newton-loops"};
    static const char *const names[] = {"bricard", "schatz", "rows_tie"};
    int failures = 0;
    for (int i = 0; i < 3; i++) {
        char path[512];
        snprintf(path, sizeof path, CT_SOURCE_DIR "/tests/models/%s.yaml", names[i]);
        mech one = mech_file(path, NULL);
        assert_made(&one);
        snprintf(path, sizeof path, CT_SOURCE_DIR "/tests/models/reference/%s.csv", names[i]);
        table want = table_read(path);
        double time = table_at(&want, want.n - 1, 0);
        for (int m = i < 2 ? 0 : 3; m < (i < 2 ? 7 : 5); m++) { // pivots: newton and partition
            run_settings w = {.method = methods[m], .step = 1e-3, .output_step = time};
            ct_run_summary summary = {0};
            table have = {0};
            ct_status status = run_rows(&one, &w, &have, &summary);
            double off = status ? 1 : 0;
            for (int c = 1; c < want.columns && !status; c++)
                off = fmax(off, difference(table_last(&have, want.names[c]),
                                           table_at(&want, want.n - 1, c)));
            if (off > 1e-6) {
                print_error("%s, %s: status %d, off by %.2g\n", names[i], methods[m], status, off);
                print_messages(one.ctx);
                failures++;
            }
            table_clear(&have);
        }
        table_clear(&want);
        mech_clear(&one);
    }
    assert_int_equal(failures, 0);
}

// Loops that drift too far end the run with time, joint and remedy.
static void drift_is_told(void **state) {
    (void)state;
    static const char *const methods[] = {"augmented", "baumgarte", "penalty"};
    for (int i = 0; i < 3; i++) {
        mech one = turned(linkages + 1, 3, i == 1 ? 1e-6 : 1);
        assert_made(&one);
        run_settings w = {.method = methods[i], .integrator = "euler", .time = 5, .step = 2e-2};
        table rows = {0};
        assert_int_equal(run_rows(&one, &w, &rows, NULL), CT_NUMERICS);
        assert_true(has_message(one.ctx, "--step"));
        table_clear(&rows);
        mech_clear(&one);
    }
}

// A platform on five steep links, whose rows are nearly dependent: penalty forces that are too soft
// there let rows open by 1e-5 and are off by 1e-4.
static const char steep[] =
    "cotree: 1\n"
    "gravity: [2.4, -2.8, -0.3]\n"
    "bodies:\n"
    "  top: {mass: 5, com: [0.6, 0.35, 0.8], inertia: [0.57, 0.59, 0.49], "
    "points: {P: [-0.75, 0.76, -0.71]}}\n"
    "joints:\n"
    "  j1: {type: link, between: [ground, top], at: [[0.84, 0, 0.05], [0.5, "
    "0.07, 1.04]]}\n"
    "  j2: {type: link, between: [ground, top], at: [[0.12, 0.95, -0.11], [0.15, "
    "0.24, 1.15]]}\n"
    "  j3: {type: link, between: [ground, top], at: [[-0.77, 0.59, -0.11], "
    "[-0.4, 0.48, 1.17]]}\n"
    "  j4: {type: link, between: [ground, top], at: [[-0.67, -0.59, 0.06], "
    "[-0.41, -0.24, 0.96]]}\n"
    "  j5: {type: link, between: [ground, top], at: [[0.44, -0.95, 0.14], [0.15, "
    "-0.2, 0.96]]}\n"
    "outputs: {x: x(top.P), y: y(top.P), vy: vy(top.P)}\n"
    "simulate: {time: 0.12, step: 1e-3, output_step: 0.12}\n";

// A tie to a slide that stays at zero: its row holds a coordinate without mass, and rounding.
static const char light[] =
    "cotree: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  arm: {mass: 1, com: [0.3, 0, 0], inertia: [0.01, 0.02, 0.03]}\n"
    "  bob: {mass: 0.5, com: [0.1, 0.2, 0], inertia: [0.02, 0.01, 0.01]}\n"
    "joints:\n"
    "  O: {type: revolute, between: [ground, arm], at: [[0.5500905966257924, "
    "-0.6816052825516533, 0.7670856842061023], [-0.1961972407577408, "
    "-0.007976588142340285, -0.148164896295487]], axis: [-0.6802863599164428, "
    "0.08163403138193481, 0.7283861293517123]}\n"
    "  S: {type: prismatic, between: [arm, bob], at: [[0.6, 0, 0], [0, 0, 0]], "
    "axis: [0.6, 0.8, 0]}\n"
    "  V: {type: cylindrical, virtual: true, between: [arm, ground], "
    "at: [[0.07944088401300593, -0.04105302867299643, -0.4432920642548572], "
    "[0.8257287213965391, -0.7146817230823094, 0.47195851624673213]], "
    "axis: [-0.6802863599164427, 0.08163403138193459, 0.7283861293517124]}\n"
    "  tie: {type: constraint, equation: S - 0.2 - 1.4*V.slide}\n"
    "initial: {O: [0.3, 1]}\n"
    "simulate: {time: 0.3, step: 1e-3, output_step: 0.3}\n";

// Penalty forces suit rows that are nearly dependent, and rows that move no mass.
static void weak_rows_hold(void **state) {
    (void)state;
    static const char *const texts[] = {steep, light};
    for (int i = 0; i < 2; i++) {
        mech k = mech_text("weak", texts[i], NULL);
        assert_made(&k);
        table want = run_mech(&k, &(run_settings){.method = "partition"}, NULL),
              have = run_mech(&k, &(run_settings){.method = "penalty"}, NULL);
        assert_true(want.n == 2 && have.n == 2);
        for (int c = 0; c < want.columns; c++)
            assert_true(difference(table_last(&have, want.names[c]), table_at(&want, 1, c)) < 1e-8);
        table_clear(&want);
        table_clear(&have);
        mech_clear(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_motions),
        cmocka_unit_test(references),
        cmocka_unit_test(drift_is_told),
        cmocka_unit_test(weak_rows_hold),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
