// Pages: poses against the equations of motion, rows that are kept, shapes, meshes, results from
// files, and text that must stay text.
#include "harness.h"

#include "formulate/whole_rotation.h"
#include "view/view.h"
#include "view/web_files.h"

#include <time.h>

// Without its viewer the program makes no pages.
static void need_viewer(void) {
    if (!strcmp(ct_web_files[0].name, "missing")) skip();
}

// poses -----------------------------------------------------------------------------------------
static void quaternions_turn_as_matrices_do(void **state) {
    (void)state;
    srand(7);
    for (int n = 0; n < 2000; n++) {
        double q[4], R[9], back[4], length = 0, dot = 0;
        for (int i = 0; i < 4; i++) q[i] = n < 8 ? (n & 1 << i) != 0 : 2.0 * rand() / RAND_MAX - 1;
        for (int i = 0; i < 4; i++) length += q[i] * q[i];
        if (length == 0) continue;
        for (int i = 0; i < 4; i++) q[i] /= sqrt(length);
        for (int i = 0; i < 3; i++) // R = (w^2 - v.v) I + 2 v v^T + 2 w [v]
            for (int j = 0; j < 3; j++) {
                int k = 3 - i - j;
                double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -1 : 1) * 2 * q[3] * q[k];
                R[3 * i + j] = 2 * q[i] * q[j] + cross + (i == j ? 2 * q[3] * q[3] - 1 : 0);
            }
        ct_quaternion(R, back);
        for (int i = 0; i < 4; i++) dot += q[i] * back[i];
        assert_true(fabs(fabs(dot) - 1) < 1e-12);
    }
}

typedef struct shown { // a short run in a view, and its frames
    mech k;
    ct_view *view;
    ct_frames f;
} shown;

static bool show(const char *path, shown *x) {
    const char *const *names;
    ct_check_info info;
    ct_run_options options;
    ct_run_summary sum;
    *x = (shown){.k = {.ctx = ct_context_new()}};
    mech *k = &x->k;
    k->status = ct_model_read(k->ctx, path, 0, NULL, &k->model);
    mech_continue(k, NULL);
    if (!k->status) k->status = ct_check(k->ctx, k->s, &info);
    if (k->status) return false;
    bool driven = info.dof_after_motions == 0 && info.dof > 0;
    int n = ct_result_columns(k->s, driven, &names);
    k->status = ct_view_new(k->ctx, k->model, CT_VIEW_MOTION, n, names, &x->view);
    ct_run_options_init(&options);
    options.step = 1e-3;
    options.time = 0.02;
    options.row = ct_view_row;
    options.row_data = x->view;
    if (!k->status)
        k->status = (driven ? ct_kinematics : ct_simulate)(k->ctx, k->s, &options, &sum);
    if (k->status) print_messages(k->ctx);
    assert_int_equal(k->status, CT_OK);
    ct_view_finish(x->view);
    ct_frames_choose(x->view, 3000, &x->f);
    ct_frames_evaluate(x->view, &x->f);
    return true;
}

static void hide(shown *x) {
    if (x->view) ct_frames_clear(&x->f);
    ct_view_free(x->view);
    mech_clear(&x->k);
}

// Positions and velocities that the model puts out are those of the poses. Returns how many it has.
static int compare_outputs(const shown *x, const char *path) {
    const ct_model *m = x->k.model;
    int compared = 0;
    for (int o = 0; o < m->n_outputs; o++)
        for (int p = 0; p < m->n_probes; p++) {
            const ct_probe *probe = m->probes + p;
            if (m->outputs[o].value != probe->symbol || probe->kind > CT_PROBE_VZ) continue;
            int column = -1;
            for (int c = 0; c < x->view->n_columns; c++)
                if (!strcmp(x->view->columns[c].name, m->outputs[o].name)) column = c;
            assert_true(column >= 0);
            for (int i = 0; i < x->f.n; i++) {
                size_t at = (size_t)i * (size_t)m->n_bodies + (size_t)probe->body[0];
                const ct_pose *pose = x->f.pose + at;
                const ct_twist *t = x->f.twist + at;
                double local[3], arm[3], here[3], v[3];
                ct_view_numbers(m, &probe->at[0], local);
                ct_turned(pose->R, local, arm);
                ct_pose_point(pose, local, here);
                for (int a = 0; a < 3; a++) {
                    int b = (a + 1) % 3, c = (a + 2) % 3;
                    v[a] = t->v[a] + t->w[b] * arm[c] - t->w[c] * arm[b];
                }
                bool speed = probe->kind >= CT_PROBE_VX;
                double is = speed ? v[probe->kind - CT_PROBE_VX] : here[probe->kind - CT_PROBE_X];
                double want = x->view->rows[x->f.row[i] * x->view->n_columns + column];
                double tolerance = (speed ? 1e-6 : 1e-9) * (1 + fabs(want));
                if (!(fabs(is - want) < tolerance))
                    print_error("%s: %s is %g, poses say %g\n", path, m->outputs[o].name, want, is);
                assert_true(fabs(is - want) < tolerance);
            }
            compared++;
        }
    return compared;
}

// Kinetic and potential energy of the first frame are those of the formulation at the initial
// state.
static void compare_energy(const shown *x, const char *path) {
    const ct_system *s = x->k.s;
    const ct_formulation *f = ct_system_formulation(s);
    ct_numbers n;
    double energy[2];
    ct_model_numbers(f->model, &n);
    ct_position_set(f, &n, ct_system_state(s)->q0);
    ct_numbers_set(&n, f->n, f->qd, ct_system_state(s)->qd0);
    ct_numbers_eval(&n, 2, (ct_ex[]){f->kinetic, f->potential}, energy);
    ct_numbers_clear(&n);
    double is[2] = {x->f.kinetic[0], x->f.potential[0]};
    for (int i = 0; i < 2; i++) {
        bool same = fabs(is[i] - energy[i]) < 1e-6 * (1 + fabs(energy[i]));
        if (!same) print_error("%s: energy %d is %g, not %g\n", path, i, is[i], energy[i]);
        assert_true(same);
    }
}

static void poses_agree_with_the_equations(void **state) {
    (void)state;
    need_viewer();
    int models = 0, compared = 0;
    glob_t g = all_files("/*.yaml");
    for (size_t i = 0; i < g.gl_pathc; i++) {
        shown x;
        if (strstr(g.gl_pathv[i], "vehicle") || strstr(g.gl_pathv[i], "chain_40")) continue;
        if (show(g.gl_pathv[i], &x)) {
            models++;
            compared += compare_outputs(&x, g.gl_pathv[i]);
            if (!x.k.model->n_motions) compare_energy(&x, g.gl_pathv[i]);
            for (int k = 0; k < x.f.n; k++)
                if (!(x.f.gap[k] < 1e-7 * (1 + x.f.size))) {
                    print_error("%s: gap %g in frame %d\n", g.gl_pathv[i], x.f.gap[k], k);
                    fail();
                }
        }
        hide(&x);
    }
    const int files = (int)g.gl_pathc;
    globfree(&g);
    print_message("%d of %d models, %d outputs\n", models, files, compared);
    assert_true(models > files * 9 / 10 && compared > files);
}

// rows ------------------------------------------------------------------------------------------
static const char pendulum[] =
    "{cotree: 1, name: p, bodies: {rod: {mass: 1, inertia: 1, com: [1, 0, 0]}},"
    " joints: {O: {type: revolute, between: [ground, rod], axis: z}}}";

static ct_view *pendulum_view(mech *k) {
    static const char *const names[] = {"t", "O", "O'"};
    ct_view *v = NULL;
    *k = mech_text("p.yaml", pendulum, NULL);
    assert_int_equal(k->status, CT_OK);
    assert_int_equal(ct_view_new(k->ctx, k->model, CT_VIEW_MOTION, 3, names, &v), CT_OK);
    return v;
}

// However long the run: a bounded number of rows, the first and the last among them, in order.
static void long_runs_are_thinned(void **state) {
    (void)state;
    need_viewer();
    static const long lengths[] = {1, 2, 19999, 20000, 20001, 100003};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        mech m;
        ct_view *v = pendulum_view(&m);
        for (long i = 0; i < lengths[k]; i++)
            assert_int_equal(ct_view_row(v, 3, (double[]){(double)i, sin(0.01 * (double)i), 0}), 0);
        ct_view_finish(v);
        assert_true(v->n_rows <= 20001);
        assert_true(v->rows[0] == 0);
        assert_true(v->rows[3 * (v->n_rows - 1)] == (double)(lengths[k] - 1));
        for (long i = 1; i < v->n_rows; i++) assert_true(v->rows[3 * i] > v->rows[3 * (i - 1)]);
        if (lengths[k] < 20000) assert_int_equal(v->n_rows, lengths[k]);
        ct_view_free(v);
        mech_clear(&m);
    }
}

// The frames that are kept give every row back by straight lines; where nothing bends two are
// enough.
static void frames_follow_the_rows(void **state) {
    (void)state;
    need_viewer();
    for (int bent = 0; bent < 2; bent++) {
        mech m;
        ct_frames f;
        ct_view *v = pendulum_view(&m);
        for (int i = 0; i <= 5000; i++) {
            double t = 1e-3 * i;
            ct_view_row(
                v, 3, (double[]){t, bent ? sin(3 * t * t) : 0, bent ? 6 * t * cos(3 * t * t) : 1});
        }
        ct_view_finish(v);
        ct_frames_choose(v, 3000, &f);
        if (!bent) assert_int_equal(f.n, 2);
        if (bent) assert_in_range(f.n, 100, 2500);
        int k = 0;
        for (long i = 0; i < v->n_rows; i++) {
            while (k + 2 < f.n && f.row[k + 1] < i) k++;
            double share = (v->rows[3 * i] - f.time[k]) / (f.time[k + 1] - f.time[k]);
            double a = v->rows[3 * f.row[k] + 1], b = v->rows[3 * f.row[k + 1] + 1];
            assert_true(fabs(a + share * (b - a) - v->rows[3 * i + 1]) < 5e-4);
        }
        ct_frames_clear(&f);
        ct_frames_choose(v, 40, &f);
        assert_true(f.n <= 40);
        ct_frames_clear(&f);
        ct_view_free(v);
        mech_clear(&m);
    }
}

// reactions -------------------------------------------------------------------------------------
// Columns of reactions are known by their names, and peaks count every row, whether it is kept or not.
static void reactions_have_peaks(void **state) {
    (void)state;
    static const char *const names[] = {"t",    "O",    "O'",   "O.fx", "O.fy",
                                        "O.fz", "O.mx", "O.my", "O.mz", "force"};
    enum { COLUMNS = 10, ROWS = 50000, PEAK = 33333 };
    mech m = mech_text("p.yaml", pendulum, NULL);
    ct_view *v = NULL;
    assert_int_equal(ct_view_new(m.ctx, m.model, CT_VIEW_MOTION, COLUMNS, names, &v), CT_OK);
    assert_int_equal(v->n_reactions, 1);
    for (int k = 3; k < 9; k++) {
        assert_int_equal(v->columns[k].kind, CT_COLUMN_REACTION);
        assert_int_equal(v->columns[k].is_angle, k >= 6);
        assert_int_equal(v->reactions[0].column[k - 3], k);
    }
    assert_int_equal(v->columns[9].kind, CT_COLUMN_OUTPUT);
    for (int i = 0; i < ROWS; i++) {
        double push = i == PEAK ? 5 : 1, t = 1e-3 * i;
        ct_view_row(v, COLUMNS,
                    (double[]){t, 0, 0, 3 * push, 4 * push, 0, 0, 0, i == 7 ? -2 : 1, 0});
    }
    ct_view_finish(v);
    assert_true(v->n_rows < ROWS);
    assert_true(v->reactions[0].force.size == 25 && v->reactions[0].force.time == 1e-3 * PEAK);
    assert_true(v->reactions[0].moment.size == 2 && v->reactions[0].moment.time == 1e-3 * 7);
    ct_view_free(v);
    // a wrench that is not whole is a set of curves
    assert_int_equal(ct_view_new(m.ctx, m.model, CT_VIEW_MOTION, 8, names, &v), CT_OK);
    assert_int_equal(v->n_reactions, 0);
    assert_int_equal(v->columns[7].kind, CT_COLUMN_REACTION);
    ct_view_free(v);
    mech_clear(&m);
}

// results from files ----------------------------------------------------------------------------
static void write_file(const char *path, const void *bytes, size_t n) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    fclose(out);
}

static void results_are_read(void **state) {
    (void)state;
    need_viewer();
    static const struct {
        const char *text, *message; // NULL: right
    } cases[] = {
        {"t,O,O'\n0,0,1\n0.5,0.5,1\n", NULL},
        {"\xEF\xBB\xBFt,\"O\",\"odd \"\"name\"\", quoted\"\r\n0,0,1\r\n1,2,3\r\n", NULL},
        {"t,O\n0,0\n1\n", "3:2: error: this row has 1 values"},
        {"t,O\n0,0\n1,2,3\n", "3:5: error: this row has more values"},
        {"t,O\n0,zero\n", "2:3: error: 'zero' is no finite number"},
        {"t,O\n0,nan\n", "is no finite number"},
        {"t,O\n1,0\n0.5,0\n", "3:1: error: time goes back"},
        {"t,\"O\n0,0\n", "1:3: error: a quoted name"},
        {"t,x\n0,0\n", "no column 'O': without it the place of body 'rod' is not known"},
        {"O\n0\n", "the first column must be the time"},
        {"t,O\n", "this result has no rows"},
        {"", "this result is empty"},
    };
    char *folder = temporary_folder(), *path = ct_format("%s/r.csv", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mech m = mech_text("p.yaml", pendulum, NULL);
        ct_view *v = NULL;
        write_file(path, cases[i].text, strlen(cases[i].text));
        ct_status status = ct_view_read_csv(m.ctx, m.model, path, &v);
        assert_int_equal(status, cases[i].message ? CT_WRONG_MODEL : CT_OK);
        if (cases[i].message && !has_message(m.ctx, cases[i].message)) {
            print_messages(m.ctx);
            fail_msg("missing: %s", cases[i].message);
        }
        if (v) assert_int_equal(v->n_rows, 2);
        ct_view_free(v);
        mech_clear(&m);
    }
    ct_free(path);
    remove_folder(folder);
}

// meshes ----------------------------------------------------------------------------------------
static void meshes_are_read(void **state) {
    (void)state;
    static const char triangle[] =
        "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
        "vertex 0 2 0\nendloop\nendfacet\nendsolid\n";
    static const char square[] =
        "# a square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1/1 2//2 3 -1\n";
    unsigned char binary[134] = {0};
    binary[80] = 1;
    memcpy(binary + 84 + 12 + 4, "\0\0\x80\x3f", 4); // y of the first vertex: 1
    const struct {
        const char *name;
        const void *bytes;
        size_t size;
        int triangles;
    } cases[] = {{"a.stl", triangle, sizeof triangle - 1, 1},
                 {"a.obj", square, sizeof square - 1, 2},
                 {"b.STL", binary, sizeof binary, 1},
                 {"short.stl", binary, 90, 0},
                 {"wrong.obj", "v 0 0\n", 6, 0},
                 {"beyond.obj", "v 0 0 0\nf 1 2 3\n", 16, 0},
                 {"empty.stl", "", 0, 0}};
    char *folder = temporary_folder();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ct_context *ctx = ct_context_new();
        char *path = ct_format("%s/%s", folder, cases[i].name);
        float *xyz = NULL;
        int n = 0;
        write_file(path, cases[i].bytes, cases[i].size);
        ct_context_set_file(ctx, "m.yaml");
        ct_status status = ct_mesh_read(ctx, (ct_place){3, 4}, path, &n, &xyz);
        assert_int_equal(status, cases[i].triangles ? CT_OK : CT_WRONG_MODEL);
        assert_int_equal(n, cases[i].triangles);
        if (status) assert_true(has_message(ctx, "3:4: error: cannot use the shape file"));
        if (i == 0) assert_true(xyz[3] == 1 && xyz[7] == 2);
        if (i == 2) assert_true(xyz[1] == 1);
        ct_free(xyz);
        ct_free(path);
        ct_context_free(ctx);
    }
    remove_folder(folder);
}

// Seconds of the processor for a file of n triangles, the least of three times.
static double mesh_seconds(const char *path, int n) {
    bool obj = strstr(path, ".obj") != NULL;
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(obj ? "# vertices and faces\n" : "solid s\n", out);
    for (int i = 0; i < n; i++)
        fprintf(out,
                obj ? "v %g %g %g\nv 0 1 0\nv 0 0 1\nf -3/1 -2/1 -1/1\n"
                    : "facet normal 0 0 1\nouter loop\nvertex %g %g %g\nvertex 0 1 0\n"
                      "vertex 0 0 1\nendloop\nendfacet\n",
                (double)i, -0.25, 1e-3 * i);
    assert_int_equal(fclose(out), 0);
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        ct_context *ctx = ct_context_new();
        float *xyz = NULL;
        int found = 0;
        clock_t start = clock();
        assert_int_equal(ct_mesh_read(ctx, (ct_place){0}, path, &found, &xyz), CT_OK);
        best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC);
        assert_int_equal(found, n);
        assert_true(xyz[9 * (n - 1)] == (float)(n - 1) && xyz[1] == -0.25f);
        ct_free(xyz);
        ct_context_free(ctx);
    }
    return best;
}

// The address sanitizer measures whole strings at every search in them: there the files are short,
// and times say nothing.
#ifdef __SANITIZE_ADDRESS__
enum { TRIANGLES = 500, TIMED = 0 };
#else
enum { TRIANGLES = 50000, TIMED = 1 };
#endif

static void meshes_are_read_in_linear_time(void **state) {
    (void)state;
    static const char *const names[] = {"large.stl", "large.obj"};
    char *folder = temporary_folder();
    for (int i = 0; i < 2; i++) {
        char *path = ct_format("%s/%s", folder, names[i]);
        // four times as long: 4 times if linear, 16 if not
        double once = mesh_seconds(path, TRIANGLES), longer = mesh_seconds(path, 4 * TRIANGLES);
        print_message("%s: %.4f s, four times as long %.4f s\n", names[i], once, longer);
        assert_true(!TIMED || longer < 8 * once);
        ct_free(path);
    }
    remove_folder(folder);
}

// shapes ----------------------------------------------------------------------------------------
static const char shaped[] =
    "cotree: 1\n"
    "parameters: {r: 0.1}\n"
    "points: {P: [1, 2, 3]}\n"
    "shape: {type: box, size: [1, 1, 0.1], colour: grey}\n"
    "bodies:\n"
    "  a:\n"
    "    points: {Q: [0, 0, 2*r]}\n"
    "    shape:\n"
    "      - {type: sphere, radius: r, position: Q, colour: \"#12aBef\"}\n"
    "      - {type: cylinder, radius: r, length: 1, axis: x, orient: [0, 0, pi/2]}\n"
    "      - {type: link, between: [P, Q], opacity: 0.5}\n"
    "      - {type: capsule, radius: r, length: 1}\n"
    "      - {type: file, path: part.stl, scale: mm, color: red}\n"
    "joints: {J: {type: revolute, between: [ground, a], axis: z}}\n";

static void shapes_are_read(void **state) {
    (void)state;
    mech k = mech_text("s.yaml", shaped, NULL);
    if (k.status) print_messages(k.ctx);
    assert_int_equal(k.status, CT_OK);
    const ct_model *m = k.model;
    const ct_shape *s = m->bodies[1].shapes;
    assert_int_equal(m->bodies[0].n_shapes, 1);
    assert_int_equal(m->bodies[1].n_shapes, 5);
    assert_int_equal(s[0].colour, 0x12abef);
    assert_true(ct_model_number(m, s[0].position.v[2]) == 0.2);
    assert_true(ct_model_number(m, s[1].orient.a[1][0]) == 1);
    assert_true(ct_model_number(m, s[2].end[0].v[2]) == 3 &&
                ct_model_number(m, s[2].opacity) == 0.5);
    assert_true(ct_model_number(m, s[3].axis.v[2]) == 1 && s[3].colour == -1);
    assert_string_equal(s[4].path, "part.stl");
    assert_true(ct_model_number(m, s[4].scale) == 1e-3);
    mech_clear(&k);
}

// text ------------------------------------------------------------------------------------------
static void text_stays_text(void **state) {
    (void)state;
    ct_text text = {0};
    ct_json j;
    ct_json_text(&j, &text);
    ct_json_object(&j, NULL);
    ct_json_string(&j, "</script><b>", "a\"b\\c\n\xFF<!--&'\xD7\x90");
    ct_json_number(&j, "n", NAN);
    ct_json_bytes(&j, "b", 4, "\0\1\2\3");
    ct_json_end(&j);
    assert_string_equal(text.s,
                        "{\"\\u003c/script\\u003e\\u003cb\\u003e\":"
                        "\"a\\u0022b\\u005cc\\u000a\xEF\xBF\xBD\\u003c!--\\u0026\\u0027\xD7\x90\","
                        "\"n\":null,\"b\":\"AAECAw==\"}");
    ct_text_clear(&text);
}

static void pages_are_whole(void **state) {
    (void)state;
    need_viewer();
    mech m;
    ct_view *v = pendulum_view(&m);
    char *html = NULL;
    ct_view_info info;
    assert_int_equal(ct_view_page(m.ctx, v, &html, &info), CT_WRONG_MODEL); // no rows
    ct_view_row(v, 3, (double[]){0, 0, 1});
    ct_view_row(v, 3, (double[]){1, 1, 1});
    assert_int_equal(ct_view_row(v, 2, (double[]){2, 1}), 1);
    assert_int_equal(ct_view_page(m.ctx, v, &html, &info), CT_OK);
    assert_int_equal(strlen(html), info.bytes);
    assert_int_equal(info.frames, 2);
    assert_int_equal(info.bodies, 1);
    assert_non_null(strstr(html, "Content-Security-Policy"));
    assert_null(strstr(html, "http://cdn"));
    assert_string_equal(html + info.bytes - 8, "</html>\n");
    ct_string_free(html);
    ct_view_free(v);
    mech_clear(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quaternions_turn_as_matrices_do),
        cmocka_unit_test(poses_agree_with_the_equations),
        cmocka_unit_test(long_runs_are_thinned),
        cmocka_unit_test(frames_follow_the_rows),
        cmocka_unit_test(reactions_have_peaks),
        cmocka_unit_test(results_are_read),
        cmocka_unit_test(meshes_are_read),
        cmocka_unit_test(meshes_are_read_in_linear_time),
        cmocka_unit_test(shapes_are_read),
        cmocka_unit_test(text_stays_text),
        cmocka_unit_test(pages_are_whole),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
