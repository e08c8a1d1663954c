// Reads a polynomial-system file: unknowns, parameters, equations, order, the unknown of the
// eliminant. Reading goes on after a mistake, so that one run reports them all.
#include "configurations/polynomials.h"
#include "model/read/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM_KEYS "cotree", "name", "parameters", "unknowns", "equations", "order", "hide"
static const char *const sections[] = {SYSTEM_KEYS};

static bool is_polynomial_system(const ct_reader *r) {
    return r->root->kind == CT_YAML_MAP && !ct_yaml_get(r->root, "bodies") &&
           (ct_yaml_key(r->root, "unknowns") || ct_yaml_key(r->root, "equations"));
}

// unknowns are coordinates of no joint ------------------------------------------------------------
static void read_unknown(ct_reader *r, const ct_yaml *node) {
    ct_model *m = r->model;
    if (node->kind != CT_YAML_SCALAR || ct_yaml_is_null(node)) {
        ct_error_at(r->ctx, node->place, "an unknown must be a name");
        return;
    }
    if (!ct_read_identifier(r, node, "unknown")) return;
    if (ct_name_map_get(&r->coordinates, node->text) >= 0) {
        ct_error_at(r->ctx, node->place, "unknown '%s' stands here twice", node->text);
        return;
    }
    const ct_yaml *parameters = ct_yaml_get(r->root, "parameters");
    if (parameters && parameters->kind == CT_YAML_MAP && ct_yaml_get(parameters, node->text)) {
        ct_error_at(r->ctx, node->place, "'%s' is a parameter, too: rename one of them",
                    node->text);
        return;
    }
    ct_name_map_set(&r->coordinates, node->text, m->n_coordinates);
    ct_coordinate *c = CT_PUSH(m->coordinates, m->n_coordinates, m->room_coordinates);
    *c = (ct_coordinate){.name = ct_strdup(node->text), .joint = -1};
    c->q = ct_symbol(r->pool, CT_SYMBOL_COORDINATE, node->text);
    c->qd = ct_symbol(r->pool, CT_SYMBOL_RATE, node->text);
}

static void read_unknowns(ct_reader *r) {
    const ct_yaml *list = ct_yaml_get(r->root, "unknowns");
    if (!list || ct_yaml_is_null(list)) {
        ct_error_at(r->ctx, list ? list->place : r->root->place,
                    "a polynomial system needs its unknowns: unknowns: [x, y]");
        return;
    }
    if (!ct_read_list(r, list, -1, "unknowns", "[x, y, ...]")) return;
    if (!list->n) ct_error_at(r->ctx, list->place, "there are no unknowns");
    for (int i = 0; i < list->n; i++) read_unknown(r, list->item[i]);
    if (list->n > CT_UNKNOWNS_MAX)
        ct_error_at(r->ctx, list->place, "%d unknowns are too many: at most %d", list->n,
                    CT_UNKNOWNS_MAX);
}

static int read_reference(ct_reader *r, const ct_yaml *node, const char *what) {
    const char *text = ct_read_text(r, node, what);
    int k = text ? ct_name_map_get(&r->coordinates, text) : -1;
    if (text && k < 0)
        ct_error_at(r->ctx, node->place, "%s: there is no unknown '%s'%s", what,
                    ct_show(&r->shown, text), ct_hint_map(r, text, &r->coordinates));
    return k;
}

// Greatest first: those that `order` names, then the others as they stand in `unknowns`.
static int *read_order(ct_reader *r) {
    int n = r->model->n_coordinates, count = 0, *order = ct_alloc((size_t)n + 1, sizeof *order);
    const ct_yaml *list = ct_yaml_get(r->root, "order");
    bool *seen = ct_alloc((size_t)n + 1, sizeof *seen);
    if (list && ct_read_list(r, list, -1, "order", "[greatest, ..., smallest]"))
        for (int i = 0; i < list->n; i++) {
            int k = read_reference(r, list->item[i], "order");
            if (k >= 0 && seen[k])
                ct_error_at(r->ctx, list->item[i]->place, "order: '%s' stands here twice",
                            r->model->coordinates[k].name);
            else if (k >= 0) {
                seen[k] = true;
                order[count++] = k;
            }
        }
    for (int k = 0; k < n; k++)
        if (!seen[k]) order[count++] = k;
    ct_free(seen);
    return order;
}

// equations ---------------------------------------------------------------------------------------
typedef struct equations {
    fmpq_mpoly_struct *f; // those that are not zero
    int n, room;
} equations;

static void read_equations(ct_reader *r, ct_trig *trig, ct_polynomials *s, equations *list) {
    const ct_yaml *node = ct_yaml_get(r->root, "equations");
    // equations must be given
    if (!node || ct_yaml_is_null(node)) {
        ct_error_at(r->ctx, node ? node->place : r->root->place,
                    "a polynomial system needs equations: equations: [x^2 + y^2 - 1, ...]");
        return;
    }
    if (!ct_read_list(r, node, -1, "equations", "[x^2 + y^2 - 1, ...]")) return;
    if (!node->n) ct_error_at(r->ctx, node->place, "there are no equations");
    s->texts = ct_alloc((size_t)node->n + 1, sizeof *s->texts);
    s->places = ct_alloc((size_t)node->n + 1, sizeof *s->places);
    // each as a polynomial; zero is no equation
    for (int i = 0; i < node->n; i++) {
        fmpq_mpoly_t f;
        char what[32];
        snprintf(what, sizeof what, "equation %d", i + 1);
        fmpq_mpoly_init(f, trig->ctx);
        bool ok = ct_read_polynomial(r, trig, node->item[i], what, f);
        if (ok && fmpq_mpoly_is_zero(f, trig->ctx))
            ct_warning_at(r->ctx, node->item[i]->place, "%s is 0 = 0 and says nothing", what);
        // kept with its text and place, for messages
        if (ok && !fmpq_mpoly_is_zero(f, trig->ctx)) {
            s->texts[s->n] = ct_strdup(node->item[i]->text);
            s->places[s->n++] = node->item[i]->place;
            *CT_PUSH(list->f, list->n, list->room) = *f;
        } else {
            fmpq_mpoly_clear(f, trig->ctx);
        }
    }
}

static void warn_of_absent(ct_reader *r, const ct_trig *trig, const equations *list, int written) {
    const ct_yaml *names = ct_yaml_get(r->root, "unknowns");
    int n = r->model->n_coordinates;
    int *used = ct_alloc(3 * (size_t)n + 1, sizeof *used);
    for (int i = 0; i < list->n; i++) {
        int *in = ct_alloc(3 * (size_t)n + 1, sizeof *in);
        fmpq_mpoly_used_vars(in, list->f + i, trig->ctx);
        for (int k = 0; k < 3 * n; k++) used[k] |= in[k];
        ct_free(in);
    }
    for (int k = 0; k < written; k++)
        if (!used[3 * k] && !used[3 * k + 1] && !used[3 * k + 2])
            ct_warning_at(r->ctx, names->item[k]->place,
                          "unknown '%s' appears in no equation: it stays free",
                          r->model->coordinates[k].name);
    ct_free(used);
}

// x, or c_x and s_x of an angle x; -1 after a message
static int find_hidden(ct_reader *r, const ct_trig_system *system, const char *name,
                       ct_place place) {
    for (int k = 0; k < system->ring->n; k++) {
        const char *symbol = ct_symbol_name(r->pool, r->model->coordinates[system->symbol[k]].q);
        if (!strcmp(system->ring->names[k], name) || !strcmp(symbol, name)) return k;
    }
    ct_error_at(r->ctx, place, "%shide: there is no unknown '%s'%s", place.line ? "" : "--",
                ct_show(&r->shown, name),
                ct_hint(r, name, system->ring->n, (const char *const *)system->ring->names));
    return -1;
}

static void read_hide(ct_reader *r, const char *option, ct_polynomials *s) {
    const ct_yaml *node = ct_yaml_get(r->root, "hide");
    s->hide = -1;
    const char *name = node ? ct_read_text(r, node, "hide") : NULL;
    if (name) s->hide = find_hidden(r, &s->system, name, node->place);
    if (option) s->hide = find_hidden(r, &s->system, option, (ct_place){0, 0});
}

static void keep_stand_ins(const ct_rationals *rationals, ct_polynomials *s) {
    s->stand_ins = ct_alloc((size_t)rationals->n_replaced + 1, sizeof *s->stand_ins);
    for (int i = 0; i < rationals->n_replaced; i++)
        s->stand_ins[s->n_stand_ins++] =
            ct_print(rationals->pool, rationals->replaced[i], CT_STYLE_TEXT);
}

// Parameters that stay symbols become unknowns of their names. Another parameter that uses one has
// no number then.
static void free_parameters(ct_reader *r, int n, const char *const *names) {
    ct_model *m = r->model;
    for (int i = 0; i < n; i++) {
        int p = ct_name_map_get(&r->parameters, names[i]);
        if (p < 0) continue; // an unknown: its place is the caller's matter
        for (int k = 0; k < m->n_parameters; k++)
            if (k != p && ct_depends(r->pool, ct_model_parameter(m, k), m->parameters[p].symbol))
                ct_error_at(r->ctx, (ct_place){0, 0},
                            "parameter '%s' uses '%s', which stays a symbol: write it out in the "
                            "equations",
                            m->parameters[k].name, names[i]);
        ct_name_map_set(&r->coordinates, names[i], m->n_coordinates);
        ct_coordinate *c = CT_PUSH(m->coordinates, m->n_coordinates, m->room_coordinates);
        *c = (ct_coordinate){.name = ct_strdup(names[i]), .joint = -1};
        c->q = ct_symbol(r->pool, CT_SYMBOL_COORDINATE, names[i]);
        c->qd = ct_symbol(r->pool, CT_SYMBOL_RATE, names[i]);
    }
}

typedef struct choices {
    const char *hide;
    int n_symbolic;
    const char *const *symbolic;
} choices;

static void read_system(ct_reader *r, const choices *with, ct_polynomials *s) {
    ct_model *m = r->model;
    int errors = ct_context_error_count(r->ctx);
    ct_rationals constants;
    ct_trig ring;
    equations list = {0};
    // name, unknowns, parameters, order of the unknowns
    ct_read_keys(r, r->root, "the polynomial system", sizeof sections / sizeof *sections, sections);
    ct_read_head(r);
    read_unknowns(r);
    ct_read_parameters(r);
    int written = m->n_coordinates;
    free_parameters(r, with->n_symbolic, with->symbolic);
    ct_ex *symbols = ct_alloc((size_t)m->n_coordinates + 1, sizeof *symbols);
    for (int k = 0; k < m->n_coordinates; k++) symbols[k] = m->coordinates[k].q;
    int *order = read_order(r);
    // equations in a ring of all unknowns, with their sines and cosines
    ct_rationals_init(&constants, m, (ct_symbolic){0});
    ct_trig_init(&ring, &constants, m->n_coordinates, symbols);
    if (m->n_coordinates <= CT_UNKNOWNS_MAX) read_equations(r, &ring, s, &list);
    // without a mistake: the system for the solver, and the unknown of the eliminant
    if (ct_context_error_count(r->ctx) == errors) {
        warn_of_absent(r, &ring, &list, written);
        ct_trig_system_new(r->ctx, &ring, list.n, list.f, m->n_coordinates, order, &s->system);
        int both = s->system.bare_and_angle;
        if (both >= 0)
            ct_error_at(r->ctx,
                        both < written ? ct_yaml_get(r->root, "unknowns")->item[both]->place
                                       : (ct_place){0, 0},
                        "unknown '%s' stands alone and inside sin or cos: that is not polynomial",
                        m->coordinates[both].name);
        if (s->system.ring) read_hide(r, with->hide, s);
    }
    // constants that rationals stand for
    keep_stand_ins(&constants, s);
    for (int i = 0; i < list.n; i++) fmpq_mpoly_clear(list.f + i, ring.ctx);
    ct_free(list.f);
    ct_trig_clear(&ring);
    ct_rationals_clear(&constants);
    ct_free(symbols);
    ct_free(order);
}

ct_status ct_polynomials_read_text(ct_context *ctx, const char *path, const char *text,
                                   size_t bytes, int n_set, const char *const *set,
                                   const char *hide, int n_symbolic, const char *const *symbolic,
                                   ct_polynomials **system) {
    int errors = ct_context_error_count(ctx);
    *system = NULL;
    // limits before anything is read
    ct_context_set_file(ctx, path);
    if (bytes > CT_FILE_BYTES_MAX)
        return ct_fail(ctx, CT_WRONG_MODEL, "this file is larger than %d MB: a system is not",
                       CT_FILE_BYTES_MAX >> 20);
    // reader with an empty model, whose coordinates are the unknowns
    ct_reader *r = ct_alloc(1, sizeof *r);
    ct_polynomials *s = ct_alloc(1, sizeof *s);
    s->model = ct_alloc(1, sizeof *s->model);
    s->system.bare_and_angle = -1;
    r->ctx = ctx;
    r->n_set = set ? n_set : 0;
    r->set = set;
    ct_reader_init(r, s->model, path ? path : "");
    // a mechanism is left to its own reader
    r->file = ct_yaml_parse(ctx, text, bytes);
    r->root = r->file->root;
    bool mine = r->root && is_polynomial_system(r);
    choices with = {hide, n_symbolic, symbolic};
    if (mine) read_system(r, &with, s);
    // with any message there is no system
    bool wrong = ct_context_error_count(ctx) > errors;
    if (mine && !wrong) *system = s;
    return wrong ? CT_WRONG_MODEL : CT_OK;
}
