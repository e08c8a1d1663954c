// Reads a model file: sections in an order in which each needs only earlier ones. Reading goes on
// after a mistake, so that one run reports them all.
#include "model/read/read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = CT_FILE_BYTES_MAX };

#define MODEL_KEYS                                                                                 \
    "cotree", "name", "gravity", "parameters", "bodies", "points", "joints", "forces", "motions",  \
        "inputs", "outputs", "tables", "initial", "guess", "simulate", "trees", "independent",     \
        "drives", "shape"
static const char *const sections[] = {MODEL_KEYS};

void ct_reader_init(ct_reader *r, ct_model *model, const char *path) {
    model->pool = ct_pool_new();
    model->path = ct_strdup(path);
    model->time = ct_symbol(model->pool, CT_SYMBOL_TIME, "t");
    model->settings = (ct_settings){.time = -1,
                                    .step = -1,
                                    .output_step = -1,
                                    .alpha = -1,
                                    .beta = -1,
                                    .penalty = -1,
                                    .zeta = -1,
                                    .omega = -1,
                                    .rtol = -1,
                                    .atol = -1};
    *CT_PUSH(model->bodies, model->n_bodies, model->room_bodies) =
        (ct_body){.name = ct_strdup("ground")};
    ct_name_map_set(&r->bodies, "ground", 0);
    r->model = model;
    r->pool = model->pool;
    r->parameter = -1;
    r->law = -1;
}

void ct_reader_clear(ct_reader *r) {
    ct_name_map *maps[] = {&r->bodies, &r->joints,  &r->coordinates, &r->parameters, &r->inputs,
                           &r->tables, &r->outputs, &r->probes,      &r->points,     &r->broken};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) ct_name_map_clear(maps[i]);
    ct_free(r->failed);
    ct_yaml_free(r->file);
}

// The file's name without folders and ending, for models that have no name.
static char *name_of_path(const char *path) {
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path,
               *dot = strrchr(start, '.');
    return ct_strndup(start, dot && dot > start ? (size_t)(dot - start) : strlen(start));
}

void ct_read_head(ct_reader *r) {
    const ct_yaml *version = ct_yaml_get(r->root, "cotree"), *name = ct_yaml_get(r->root, "name");
    const ct_yaml *gravity = ct_yaml_get(r->root, "gravity");
    if (version && (version->kind != CT_YAML_SCALAR || strcmp(version->text, "1")))
        ct_error_at(r->ctx, version->place,
                    "cotree: %s is not a version of the model language that this program "
                    "reads: write cotree: 1",
                    version->kind == CT_YAML_SCALAR ? ct_show(&r->shown, version->text) : "this");
    if (name && name->kind == CT_YAML_SCALAR && !ct_yaml_is_null(name)) {
        size_t n = strlen(name->text);
        while (n && strchr(" \t\r\n", name->text[n - 1])) // a block of text ends with a line break
            n--;
        r->model->name = ct_strndup(name->text, n);
    } else {
        r->model->name = name_of_path(r->model->path);
    }
    if (name && (name->kind != CT_YAML_SCALAR || ct_has_control(r->model->name)))
        ct_error_at(r->ctx, name->place, "name must be one line of text");
    if (gravity) ct_read_vector(r, gravity, CT_CONSTANT, "gravity", &r->model->gravity);
}

static bool is_mechanism(ct_reader *r) {
    const ct_yaml *key = ct_yaml_key(r->root, "unknowns");
    if (r->root->kind != CT_YAML_MAP) {
        ct_error_at(r->ctx, r->root->place,
                    "a model file is a map of sections (bodies:, joints:, ...), not a %s",
                    r->root->kind == CT_YAML_LIST ? "list" : "single value");
        return false;
    }
    if (!key) key = ct_yaml_key(r->root, "equations");
    if (!key || ct_yaml_get(r->root, "bodies")) return true;
    ct_error_at(r->ctx, key->place,
                "this is a polynomial system ('%s'), but this command needs a mechanism with "
                "bodies and joints; polynomial systems go to 'cotree configurations'",
                key->text);
    return false;
}

static void read_sections(ct_reader *r) {
    ct_read_keys(r, r->root, "the model", sizeof sections / sizeof *sections, sections);
    ct_read_parameters(r);
    ct_read_inputs(r);
    ct_read_tables(r);
    ct_read_head(r);
    ct_read_points(r);
    ct_read_bodies(r);
    ct_read_ground_shapes(r);
    ct_read_joints(r);
    ct_read_couplings(r);
    ct_read_forces(r);
    ct_read_motions(r);
    ct_read_drives(r);
    ct_read_input_rates(r);
    ct_read_starts(r);
    ct_read_outputs(r);
    ct_read_trees(r);
    ct_read_simulate(r);
    ct_check_reach(r);
}

// Digest of all that a model is made from; with_values: with what --set says, else only with which
// parameters it makes arguments of.
static ct_digest content_of(const ct_context *ctx, const ct_model *model, const char *text,
                            size_t bytes, int n_set, const char *const *set, bool with_values) {
    ct_digest content = {0};
    ct_digest_add(&content, text, bytes);
    for (int i = 0; i < n_set && with_values; i++) ct_digest_add_text(&content, set[i]);
    for (int i = 0; i < model->n_parameters && !with_values; i++)
        ct_digest_add_number(&content, model->parameters[i].is_derived);
    ct_digest_add_number(&content, ct_context_folds(ctx));
    ct_digest_add_text(&content, model->name); // perhaps the file's
    return content;
}

// True if --set has given a parameter a value.
static bool is_set(const ct_model *model) {
    bool any = false;
    for (int i = 0; i < model->n_parameters; i++) any = any || model->parameters[i].set;
    return any;
}

static CT_BELOW ct_status read_text(ct_context *ctx, const char *path, const char *text,
                                    size_t bytes, int n_set, const char *const *set,
                                    ct_model **model) {
    int errors = ct_context_error_count(ctx);
    *model = NULL;
    // limits before anything is read
    ct_report(ctx, "reading the model", -1, false);
    ct_context_set_file(ctx, path);
    if (bytes > BYTES_MAX)
        return ct_fail(ctx, CT_WRONG_MODEL, "this file is larger than %d MB: a model is not",
                       BYTES_MAX >> 20);
    // reader and empty model; parameters that --set overrides
    ct_reader *r = ct_alloc(1, sizeof *r);
    ct_model *m = ct_alloc(1, sizeof *m);
    r->ctx = ctx;
    r->n_set = set ? n_set : 0;
    r->set = set;
    ct_reader_init(r, m, path ? path : "");
    // YAML as a tree with places, then section by section
    r->file = ct_yaml_parse(ctx, text, bytes);
    r->root = r->file->root;
    if (r->root && is_mechanism(r)) read_sections(r);
    ct_reader_clear(r);
    ct_free(r);
    // with any message there is no model
    if (ct_context_error_count(ctx) > errors) return CT_WRONG_MODEL;
    m->content = m->text_content = content_of(ctx, m, text, bytes, set ? n_set : 0, set, true);
    m->file_content = content_of(ctx, m, text, bytes, 0, NULL, true);
    if (is_set(m)) {
        m->text = ct_alloc(bytes + 1, 1);
        m->text_bytes = bytes;
        memcpy(m->text, text, bytes);
    }
    // folded parameters are numbers of the expressions
    m->structure = content_of(ctx, m, text, bytes, set ? n_set : 0, set, ct_context_folds(ctx));
    m->named_parameters = m->parameters;
    m->n_named_parameters = m->n_parameters;
    // parameters as numbers, where the caller asks for that
    if (ct_context_folds(ctx)) ct_model_drop_parameters(m);
    m->put_off = ct_alloc(1, sizeof *m->put_off);
    m->put_off->nodes = ct_pool_size(m->pool);
    *model = m;
    return CT_OK;
}

ct_status ct_model_read_text(ct_context *ctx, const char *path, const char *text, size_t bytes,
                             int n_set, const char *const *set, ct_model **model) {
    CT_CALL_MAKES(ctx, model, read_text(ctx, path, text, bytes, n_set, set, model));
}

ct_status ct_read_file(ct_context *ctx, const char *path, ct_text *t) {
    char block[65536];
    long n = 0;
    const char *why;
    ct_source in;
    ct_context_set_file(ctx, path);
    if (!ct_source_open(&in, path, &why))
        return ct_fail(ctx, CT_WRONG_MODEL, "cannot open this file: %s", why);
    ct_cleanup undo;
    ct_cleanup_push(&undo, ct_source_close, &in);
    while (t->n <= BYTES_MAX && (n = ct_source_read(&in, block, sizeof block, &why)) > 0)
        ct_text_addn(t, block, (size_t)n);
    ct_cleanup_pop(&undo);
    ct_source_close(&in);
    return n < 0 ? ct_fail(ctx, CT_WRONG_MODEL, "cannot read this file: %s", why) : CT_OK;
}

static CT_BELOW ct_status read_path(ct_context *ctx, const char *path, int n_set,
                                    const char *const *set, ct_model **model) {
    ct_text text = {0};
    ct_status status = ct_read_file(ctx, path, &text);
    if (status == CT_OK)
        status = read_text(ctx, path, text.s ? text.s : "", text.n, n_set, set, model);
    ct_text_clear(&text);
    return status;
}

ct_status ct_model_read(ct_context *ctx, const char *path, int n_set, const char *const *set,
                        ct_model **model) {
    CT_CALL_MAKES(ctx, model, read_path(ctx, path, n_set, set, model));
}
