// What the system tests share: a model read, formulated and run; its rows; files; random numbers.
// Compiled models go into one cache below the build folder, so that no test compiles what another
// one has compiled; long runs (make soak) have a cache of their own, since they optimise.
#ifndef HARNESS_H
#define HARNESS_H

#include "unit.h"

#include "formulate/vec.h"
#include "run/run.h"

#include <dirent.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// In `make soak` every case of a table runs, elsewhere those that stand for a kind.
static inline bool soaking(void) {
    const char *soak = getenv("COTREE_SOAK");
    return soak && *soak;
}

// Under the sanitizers one in three of many cases that use memory alike, other ones in each program;
// all of them in `make soak`.
static inline bool passed_over(size_t i) {
#if defined(__SANITIZE_ADDRESS__)
    enum { ONE_IN = 3 };
    return !soaking() && (i + sizeof __BASE_FILE__) % ONE_IN != 0;
#else
    (void)i;
    return false;
#endif
}

// Setup of every group: the shared cache.
static inline int shared_cache(void **state) {
    (void)state;
    const char *folder = soaking() ? CT_BUILD_DIR "/soak_cache" : CT_BUILD_DIR "/test_cache";
    mkdir(folder, 0700);
    setenv("COTREE_CACHE_SIZE", "4096", 0); // all models of all tests
    return setenv("XDG_CACHE_HOME", folder, 1);
}

// Setup of groups with many short runs, which take less time interpreted than to be compiled.
static inline int shared_cache_interpreted(void **state) {
    if (!soaking()) setenv("CC", "none", 1);
    return shared_cache(state);
}

// files -----------------------------------------------------------------------------------------
static inline char *read_text(const char *path) {
    FILE *in = fopen(path, "rb");
    if (!in) return NULL;
    ct_text t = {0};
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;) ct_text_addn(&t, block, n);
    fclose(in);
    ct_text_addn(&t, "", 0);
    return ct_text_take(&t);
}

static inline char *model_path(const char *name) {
    char *path = ct_format("%s/%s.yaml", CT_MODELS_DIR, name);
    if (access(path, R_OK) == 0) return path;
    ct_free(path);
    return ct_format("%s/tests/models/%s.yaml", CT_SOURCE_DIR, name);
}

// Takes files that are passed over out of a list, from the given one on.
static inline void pass_over(glob_t *g, size_t first) {
    size_t kept = first;
    for (size_t i = first; i < g->gl_pathc; i++) {
        if (passed_over(i))
            free(g->gl_pathv[i]);
        else
            g->gl_pathv[kept++] = g->gl_pathv[i];
    }
    g->gl_pathv[g->gl_pathc = kept] = NULL;
}

// Every file of models/ and tests/models/ that ends so (e.g. "/*.yaml"), but those that are passed
// over; globfree when done.
static inline glob_t all_files(const char *pattern) {
    glob_t g;
    char *first = ct_format("%s%s", CT_MODELS_DIR, pattern);
    char *second = ct_format("%s/tests/models%s", CT_SOURCE_DIR, pattern);
    assert_int_equal(glob(first, 0, NULL, &g), 0);
    assert_int_equal(glob(second, GLOB_APPEND, NULL, &g), 0);
    ct_free(first);
    ct_free(second);
    assert_true(g.gl_pathc > 20);
    pass_over(&g, 0);
    return g;
}

// Name of a file without folder and suffix.
static inline char *stem(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return ct_strndup(name, strcspn(name, "."));
}

static inline char *temporary_folder(void) {
    char *path = ct_format("%s/test.XXXXXX", CT_BUILD_DIR);
    assert_non_null(mkdtemp(path));
    return path;
}

static inline int count_files(const char *folder) {
    DIR *d = opendir(folder);
    int n = 0;
    if (!d) return -1;
    for (const struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    return n;
}

// Removes a folder and the files and folders in it; frees the path.
static inline void remove_folder(char *path) {
    DIR *d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        char *file = ct_format("%s/%s", path, e->d_name);
        if (unlink(file)) {
            remove_folder(file);
            continue;
        }
        ct_free(file);
    }
    if (d) closedir(d);
    rmdir(path);
    ct_free(path);
}

// a mechanism -----------------------------------------------------------------------------------
typedef struct mech {
    ct_context *ctx;
    ct_model *model;
    ct_system *s;
    ct_status status; // of reading, formulating and assembling
} mech;

static inline void print_messages(const ct_context *ctx) {
    for (int i = 0; i < ct_message_count(ctx); i++) print_error("%s\n", ct_message(ctx, i));
}

static inline bool has_message(const ct_context *ctx, const char *part) {
    for (int i = 0; i < ct_message_count(ctx); i++)
        if (strstr(ct_message(ctx, i), part)) return true;
    return false;
}

static inline void mech_continue(mech *k, const char *rule) {
    if (!k->status) k->status = ct_formulate(k->ctx, k->model, rule, &k->s);
    if (!k->status) k->status = ct_assemble(k->ctx, k->s);
}

// As far as it comes; see the status.
static inline mech mech_text(const char *name, const char *text, const char *rule) {
    mech k = {.ctx = ct_context_new()};
    k.status = ct_model_read_text(k.ctx, name, text, strlen(text), 0, NULL, &k.model);
    mech_continue(&k, rule);
    return k;
}

static inline mech mech_file_set(const char *path, const char *rule, int n_set,
                                 const char *const *set) {
    mech k = {.ctx = ct_context_new()};
    k.status = ct_model_read(k.ctx, path, n_set, set, &k.model);
    mech_continue(&k, rule);
    return k;
}

static inline mech mech_file(const char *path, const char *rule) {
    return mech_file_set(path, rule, 0, NULL);
}

static inline mech mech_model(const char *name, const char *rule) {
    char *path = model_path(name);
    mech k = mech_file(path, rule);
    ct_free(path);
    return k;
}

static inline void scale_start(ct_model *m, int n, ct_start *e, ct_ex by) {
    for (int i = 0; i < n; i++) {
        if (m->coordinates[e[i].coordinate].is_angle) continue;
        e[i].value = ct_mul(m->pool, by, e[i].value);
        if (e[i].has_rate) e[i].rate = ct_mul(m->pool, by, e[i].rate);
    }
}

// All lengths of a model times `by`; couplings, which may hold lengths in expressions, are left.
static inline void scale_lengths(ct_model *m, ct_ex by) {
    for (int i = 0; i < m->n_joints; i++) {
        ct_joint *j = m->joints + i;
        for (int s = 0; s < 2 && j->body[0] >= 0; s++)
            j->at[s] = ct_vec_scale(m->pool, by, j->at[s]);
        if (j->body[0] >= 0) j->length = ct_mul(m->pool, by, j->length);
        if (j->body[0] >= 0) j->pitch = ct_mul(m->pool, by, j->pitch);
    }
    for (int b = 0; b < m->n_bodies; b++)
        m->bodies[b].com = ct_vec_scale(m->pool, by, m->bodies[b].com);
    scale_start(m, m->n_initial, m->initial, by);
    scale_start(m, m->n_guess, m->guess, by);
    for (int i = 0; i < m->n_probes; i++)
        for (int s = 0; s < 2; s++)
            m->probes[i].at[s] = ct_vec_scale(m->pool, by, m->probes[i].at[s]);
    for (int i = 0; i < m->n_motions; i++)
        if (m->motions[i].coordinate < 0 || !m->coordinates[m->motions[i].coordinate].is_angle)
            m->motions[i].value = ct_mul(m->pool, by, m->motions[i].value);
}

static inline void mech_clear(mech *k) {
    ct_system_free(k->s);
    ct_model_free(k->model);
    ct_context_free(k->ctx);
}

static inline void assert_made(const mech *k) {
    if (k->status) print_messages(k->ctx);
    assert_int_equal(k->status, CT_OK);
}

// tables of results -----------------------------------------------------------------------------
typedef struct table {
    int n, columns, room; // rows
    char **names;
    double *value;
} table;

static inline int table_row(void *data, int n, const double *values) {
    table *t = data;
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 32;
        t->value = ct_realloc(t->value, (size_t)t->room * (size_t)n, sizeof(double));
    }
    memcpy(t->value + (size_t)t->n++ * (size_t)n, values, (size_t)n * sizeof(double));
    t->columns = n;
    return 0;
}

static inline int table_column(const table *t, const char *name) {
    for (int k = 0; k < t->columns; k++)
        if (!strcmp(t->names[k], name)) return k;
    return -1;
}

static inline double table_at(const table *t, int row, int column) {
    return t->value[(size_t)row * (size_t)t->columns + (size_t)column];
}

// In the last row.
static inline double table_last(const table *t, const char *name) {
    int k = table_column(t, name);
    if (k < 0) fail_msg("no column %s", name);
    return table_at(t, t->n - 1, k);
}

static inline void table_names(table *t, int n, const char *const *names) {
    t->names = ct_alloc((size_t)n, sizeof *t->names);
    for (int k = 0; k < n; k++) t->names[k] = ct_strdup(names[k]);
    t->columns = n;
}

static inline void table_clear(table *t) {
    for (int k = 0; k < t->columns && t->names; k++) ct_free(t->names[k]);
    ct_free(t->names);
    ct_free(t->value);
    *t = (table){0};
}

// A CSV file: a line of names, then numbers.
static inline table table_read(const char *path) {
    char *text = read_text(path), *rest = NULL, *in_line = NULL;
    if (!text) fail_msg("no file %s", path);
    table t = {0};
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        int n = 0, room = 0;
        char **cell = NULL;
        for (char *c = strtok_r(line, ",", &in_line); c; c = strtok_r(NULL, ",", &in_line))
            *CT_PUSH(cell, n, room) = c;
        if (!t.names) {
            table_names(&t, n, (const char *const *)cell);
        } else {
            assert_int_equal(n, t.columns);
            double *values = ct_alloc((size_t)n, sizeof *values);
            for (int k = 0; k < n; k++) values[k] = strtod(cell[k], NULL);
            table_row(&t, n, values);
            ct_free(values);
        }
        ct_free(cell);
    }
    ct_free(text);
    return t;
}

// running ---------------------------------------------------------------------------------------
typedef struct run_settings {
    const char *method, *integrator;
    double time, step, output_step; // 0: the model's
    double rtol, atol;
    bool kinematics;
} run_settings;

static inline ct_run_options run_options(const run_settings *w, table *t) {
    ct_run_options o;
    ct_run_options_init(&o);
    o.method = w->method;
    o.integrator = w->integrator;
    if (w->time > 0) o.time = w->time;
    if (w->step > 0) o.step = w->step;
    if (w->output_step > 0) o.output_step = w->output_step;
    if (w->rtol > 0) o.rtol = w->rtol;
    if (w->atol > 0) o.atol = w->atol;
    o.row = table_row;
    o.row_data = t;
    return o;
}

// Rows with their names; the status is left to the caller.
static inline ct_status run_rows(mech *k, const run_settings *w, table *t,
                                 ct_run_summary *summary) {
    *t = (table){0};
    ct_run_options o = run_options(w, t);
    const char *const *names;
    int n = ct_result_columns(k->s, w->kinematics, &names);
    table_names(t, n, names);
    ct_run_summary ignored;
    summary = summary ? summary : &ignored;
    return w->kinematics ? ct_kinematics(k->ctx, k->s, &o, summary)
                         : ct_simulate(k->ctx, k->s, &o, summary);
}

static inline table run_mech(mech *k, const run_settings *w, ct_run_summary *summary) {
    table t;
    ct_status status = run_rows(k, w, &t, summary);
    if (status) print_messages(k->ctx);
    assert_int_equal(status, CT_OK);
    return t;
}

// numbers ---------------------------------------------------------------------------------------
// |a - b|, relative where the values are large.
static inline double difference(double a, double b) {
    return fabs(a - b) / fmax(1, fabs(b));
}

// Repeatable, in -1..1.
static inline double noise(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

#define assert_near(a, b, tolerance)                                                               \
    do {                                                                                           \
        double a_ = (a), b_ = (b);                                                                 \
        if (!(fabs(a_ - b_) <= (tolerance))) fail_msg("%s = %.17g, %s = %.17g", #a, a_, #b, b_);   \
    } while (0)

#endif
