// Settings of formulation and run: trees and independent coordinates by hand, `simulate:`.
#include "model/read/read.h"

#include <math.h>
#include <string.h>

static bool read_entry(ct_reader *r, const ct_yaml *node, const char *what, ct_tree_entry *entry) {
    const char *name = ct_read_text(r, node, what);
    if (!name) return false;
    int body = ct_name_map_get(&r->bodies, name), joint = ct_name_map_get(&r->joints, name);
    *entry = (ct_tree_entry){node->place, body >= 0, body >= 0 ? body : joint};
    const char *shown = ct_show(&r->shown, name);
    if (body == 0)
        ct_error_at(r->ctx, node->place, "%s: ground is the root of every tree: remove it here",
                    what);
    else if (joint >= 0 && r->model->joints[joint].body[0] < 0 &&
             ct_joint_is_coupling(r->model->joints[joint].type))
        ct_error_at(r->ctx, node->place, "%s: '%s' (%s) joins no bodies and cannot be a branch",
                    what, shown, ct_joint_type_name(r->model->joints[joint].type));
    else if (body > 0 || joint >= 0)
        return true;
    else if (ct_name_map_get(&r->broken, name) < 0) {
        const char *hint = ct_hint_map(r, name, &r->joints);
        ct_error_at(r->ctx, node->place, "%s: there is no joint or body '%s'%s", what, shown,
                    *hint ? hint : ct_hint_map(r, name, &r->bodies));
    }
    return false;
}

static void read_tree(ct_reader *r, const ct_yaml *trees, const char *key, ct_tree_entry **list,
                      int *n, int *room) {
    const ct_yaml *node = ct_yaml_get(trees, key);
    const char *what = ct_show_format(&r->shown, "trees, %s", key);
    if (!node) {
        ct_error_at(r->ctx, trees->place, "trees needs %s: a list of joints and bodies", key);
        return;
    }
    if (!ct_read_list(r, node, -1, what, "of joints and bodies")) return;
    ct_name_map seen = {0};
    for (int i = 0; i < node->n; i++) {
        ct_tree_entry entry;
        what = ct_show_format(&r->shown, "trees, %s", key);
        if (!read_entry(r, node->item[i], what, &entry)) continue;
        if (ct_name_map_get(&seen, node->item[i]->text) >= 0) {
            ct_error_at(r->ctx, node->item[i]->place, "%s: '%s' stands twice: remove one", what,
                        ct_show(&r->shown, node->item[i]->text));
            continue;
        }
        ct_name_map_set(&seen, node->item[i]->text, i);
        *CT_PUSH(*list, *n, *room) = entry;
    }
    ct_name_map_clear(&seen);
}

static void read_independent(ct_reader *r) {
    const ct_yaml *node = ct_yaml_get(r->root, "independent");
    ct_model *m = r->model;
    if (!node || !ct_read_list(r, node, -1, "independent", "of coordinates")) return;
    ct_name_map seen = {0};
    for (int i = 0; i < node->n; i++) {
        const char *name = ct_read_text(r, node->item[i], "independent");
        if (!name) continue;
        // trees by hand may have coordinates of bodies, links leave swings: both are not known here
        bool known = m->has_trees || ct_model_may_swing(m, name) ||
                     ct_read_coordinate(r, node->item[i], "independent") >= 0;
        if (ct_name_map_get(&seen, name) >= 0) {
            ct_error_at(r->ctx, node->item[i]->place, "independent: '%s' stands twice: remove one",
                        ct_show(&r->shown, name));
            continue;
        }
        ct_name_map_set(&seen, name, i);
        if (known)
            *CT_PUSH(m->independent, m->n_independent, m->room_independent) =
                (ct_name_at){node->item[i]->place, ct_strdup(name)};
    }
    ct_name_map_clear(&seen);
}

#define TREES_KEYS "rotation", "translation"

void ct_read_trees(ct_reader *r) {
    static const char *const keys[] = {TREES_KEYS};
    const ct_yaml *trees = ct_yaml_get(r->root, "trees");
    ct_model *m = r->model;
    if (trees && !ct_yaml_is_null(trees) && ct_read_map(r, trees, "trees")) {
        ct_read_keys(r, trees, "trees", sizeof keys / sizeof *keys, keys);
        m->has_trees = true;
        read_tree(r, trees, "rotation", &m->rotation, &m->n_rotation, &m->room_rotation);
        read_tree(r, trees, "translation", &m->translation, &m->n_translation,
                  &m->room_translation);
    }
    read_independent(r);
}

static void read_word(ct_reader *r, const ct_yaml *map, const char *key, int n,
                      const char *const *words, char **value) {
    const ct_yaml *node = ct_yaml_get(map, key);
    int i = node ? ct_read_choice(r, node, key, n, words) : -1;
    if (i >= 0) *value = ct_strdup(words[i]);
}

#define SIMULATE_KEYS                                                                              \
    "time", "step", "output_step", "method", "integrator", "alpha", "beta", "penalty", "zeta",     \
        "omega", "rtol", "atol"

void ct_read_simulate(ct_reader *r) {
#define X(enumerator, ...) CT_NAME_OF(__VA_ARGS__, 0),
    static const char *const methods[] = {CT_METHODS(X) CT_METHODS_LATER(X)};
    static const char *const integrators[] = {CT_INTEGRATORS_CHOSEN(X) CT_INTEGRATORS(X)
                                                  CT_INTEGRATORS_ADAPTIVE(X)};
#undef X
    static const char *const keys[] = {SIMULATE_KEYS};
    ct_settings *s = &r->model->settings;
    // members of the settings, in the order of the keys; NULL for words
    double *numbers[] = {&s->time, &s->step,    &s->output_step, NULL,      NULL,     &s->alpha,
                         &s->beta, &s->penalty, &s->zeta,        &s->omega, &s->rtol, &s->atol};
    // numbers: positive, for some zero is allowed
    const ct_yaml *map = ct_yaml_get(r->root, "simulate");
    if (!map || ct_yaml_is_null(map) || !ct_read_map(r, map, "simulate")) return;
    int n = sizeof keys / sizeof *keys;
    ct_read_keys(r, map, "simulate", n, keys);
    for (int i = 0; i < n; i++) {
        ct_ex value;
        double number;
        bool may_be_zero =
            numbers[i] == &s->alpha || numbers[i] == &s->beta || numbers[i] == &s->zeta;
        if (!numbers[i] || !ct_read_constant(r, map, keys[i], &value, &number) || !isfinite(number))
            continue;
        if (ct_ex_kinds(r->pool, value) && !s->varying) s->varying = keys[i];
        if (number > 0 || (number == 0 && may_be_zero))
            *numbers[i] = number;
        else
            ct_error_at(r->ctx, ct_yaml_get(map, keys[i])->place,
                        "simulate: %s is %g: it must be %s", keys[i], number,
                        may_be_zero ? "zero or more" : "positive");
    }
    // words
    read_word(r, map, "method", sizeof methods / sizeof *methods, methods, &s->method);
    read_word(r, map, "integrator", sizeof integrators / sizeof *integrators, integrators,
              &s->integrator);
}
