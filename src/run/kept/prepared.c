// Entries of the cache for models and their runs.
#include "run/kept/prepared.h"
#include "run/kept/record.h"
#include "util/cache/cache.h"

#include <string.h>

ct_digest ct_kept_key(const ct_model *model, const char *rule, const char *file, bool of_file) {
    char mark[120];
    ct_digest key = of_file ? model->file_content : model->content;
    ct_library_mark(mark, sizeof mark);
    ct_digest_add_text(&key, CT_VERSION);
    ct_digest_add_text(&key, mark);
    ct_digest_add_text(&key, model->path);
    ct_digest_add_text(&key, file);
    ct_digest_add_number(&key, rule != NULL);
    ct_digest_add_text(&key, rule);
    return key;
}

// messages ----------------------------------------------------------------------------------------
void ct_said_take(ct_said *said, const ct_context *ctx) {
    said->n = ct_message_count(ctx);
    said->place = ct_scratch((size_t)said->n + 1, sizeof *said->place);
    said->line = ct_scratch((size_t)said->n + 1, sizeof *said->line);
    for (int i = 0; i < said->n; i++) {
        said->place[i] = ct_message_place(ctx, i);
        said->line[i] = ct_scratch_strdup(ct_message(ctx, i));
    }
}

void ct_said_again(const ct_said *said, ct_context *ctx) {
    for (int i = 0; i < said->n; i++) ct_message_again(ctx, said->place[i], said->line[i]);
}

static void go_through_said(ct_record *r, ct_said *said) {
    ct_record_count(r, &said->n);
    if (r->reads) {
        said->place = ct_scratch((size_t)said->n + 1, sizeof *said->place);
        said->line = ct_scratch((size_t)said->n + 1, sizeof *said->line);
    }
    for (int i = 0; i < said->n; i++) {
        ct_record_int(r, &said->place[i].line);
        ct_record_int(r, &said->place[i].column);
        ct_record_string(r, said->line + i);
    }
}

// members, one after the other --------------------------------------------------------------------
static void go_through_system(ct_record *r, ct_kept_system *k) {
    go_through_said(r, &k->said);
    for (int kind = 0; kind < 2; kind++) {
        ct_record_count(r, &k->n_names[kind]);
        if (r->reads) k->names[kind] = ct_scratch((size_t)k->n_names[kind] + 1, sizeof(char *));
        for (int i = 0; i < k->n_names[kind]; i++) ct_record_string(r, k->names[kind] + i);
    }
}

static void go_through_columns(ct_record *r, ct_columns *c) {
    ct_record_count(r, &c->n);
    ct_record_int(r, &c->width);
    ct_record_ints(r, c->n, &c->source);
    ct_record_ints(r, c->n, &c->order);
    ct_record_bools(r, c->n, &c->is_angle);
    ct_record_doubles(r, c->n, &c->start);
    ct_record_count(r, &c->n_turns);
    if (r->reads) c->turns = ct_scratch((size_t)c->n_turns + 1, sizeof *c->turns);
    for (int i = 0; i < c->n_turns; i++) {
        for (int k = 0; k < 3; k++) ct_record_int(r, &c->turns[i].first[k]);
        ct_record_int(r, &c->turns[i].proper);
        ct_record_int(r, &c->turns[i].sign);
    }
}

static void go_through_run(ct_record *r, ct_kept_run *k) {
    go_through_said(r, &k->said);
    // method
    ct_record_int(r, &k->method);
    ct_record_bool(r, &k->complete);
    ct_record_bool(r, &k->cross_limits);
    ct_record_count(r, &k->n_independent);
    ct_record_ints(r, k->n_independent, &k->independent);
    // columns
    go_through_columns(r, &k->columns);
    // of the equations
    ct_record_bool(r, &k->does_work);
    ct_record_double(r, &k->length);
    ct_record_count(r, &k->n);
    ct_record_int(r, &k->n_natural);
    ct_record_doubles(r, k->n, &k->units);
    // for other values
    ct_record_count(r, &k->n_edges);
    ct_record_bools(r, 2 * k->n_edges, &k->in_tree);
    ct_record_bool(r, &k->translates);
    ct_record_count(r, &k->n_whole);
    ct_record_ints(r, k->n_whole, &k->whole);
    ct_record_count(r, &k->m);
    ct_record_ints(r, k->m, &k->rows);
    ct_record_count(r, &k->n_dropped);
    ct_record_ints(r, k->n_dropped, &k->dropped);
    // code
    ct_record_bytes(r, &k->object, sizeof k->object);
    ct_record_count(r, &k->n_values);
    ct_record_doubles(r, k->n_values, &k->values);
}

// entries -----------------------------------------------------------------------------------------
// The record of an entry, ready to be read; false: there is none.
static bool find(ct_digest key, ct_record *r) {
    *r = (ct_record){.reads = true};
    r->text.s = ct_cache_read(CT_CACHE_STARTS, key, &r->text.n);
    return r->text.s != NULL;
}

static void go_through_form(ct_record *r, ct_kept_form *k) {
    ct_record_bool(r, &k->possible);
    ct_record_bytes(r, &k->form, sizeof k->form);
}

// An entry of any kind: a function goes through its members, which are read or written.
#define ENTRY(kind)                                                                                \
    bool ct_kept_##kind##_read(ct_digest key, ct_kept_##kind *kept) {                              \
        ct_record r;                                                                               \
        *kept = (ct_kept_##kind){0};                                                               \
        if (!find(key, &r)) return false;                                                          \
        go_through_##kind(&r, kept);                                                               \
        ct_free(r.text.s);                                                                         \
        return ct_record_is_whole(&r);                                                             \
    }                                                                                              \
    void ct_kept_##kind##_write(ct_digest key, ct_kept_##kind *kept) {                             \
        ct_record r = {0};                                                                         \
        go_through_##kind(&r, kept);                                                               \
        ct_cache_write(CT_CACHE_STARTS, key, r.text.s, r.text.n);                                  \
        ct_text_clear(&r.text);                                                                    \
    }
ENTRY(system)
ENTRY(run)
ENTRY(form)
