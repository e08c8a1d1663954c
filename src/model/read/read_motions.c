// Prescribed motions, the start (`initial` and `guess`), and the outputs.
#include "model/read/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The target of a motion: a coordinate, or a position such as x(cart.P).
static bool read_target(ct_reader *r, const ct_yaml *key, ct_motion *motion) {
    ct_ex value;
    ct_parse_error error = {0};
    motion->coordinate = motion->probe = -1;
    // a coordinate
    if (ct_name_map_get(&r->coordinates, key->text) >= 0 || !strchr(key->text, '(')) {
        motion->coordinate = ct_read_coordinate(r, key, "motions");
        return motion->coordinate >= 0;
    }
    // a position such as x(cart.P), which the expressions know as a measured quantity
    if (!ct_read_expr_text(r, key->text, CT_OF_POSITION, "motions", &value, &error)) {
        ct_error_at(r->ctx, ct_yaml_place(r->file, key, error.offset), "motions: %s",
                    error.message);
        return false;
    }
    for (int i = 0; i < r->model->n_probes; i++)
        if (r->model->probes[i].symbol == value) motion->probe = i;
    if (motion->probe < 0) {
        ct_error_at(r->ctx, key->place,
                    "motions: '%s' is neither a coordinate nor a position such as x(body.point)",
                    ct_show(&r->shown, key->text));
        return false;
    }
    // points of ground do not move
    const ct_probe *probe = &r->model->probes[motion->probe];
    if (probe->body[0] == 0 && probe->body[1] <= 0) {
        ct_error_at(r->ctx, key->place, "motions: '%s' is fixed to ground and cannot move",
                    ct_show(&r->shown, key->text));
        return false;
    }
    return true;
}

// The value of a motion, an expression of time.
static void read_value(ct_reader *r, const ct_yaml *node, ct_motion *motion) {
    if (node->kind == CT_YAML_MAP && ct_yaml_get(node, "active"))
        ct_error_at(
            r->ctx, node->place,
            "active of %s is not supported yet in this version: give active to a joint or a "
            "constraint",
            r->owner);
    else
        ct_read_expr(r, node, CT_OF_TIME, r->owner, &motion->value);
}

void ct_read_motions(ct_reader *r) {
    const ct_yaml *map = ct_yaml_get(r->root, "motions");
    if (!map || ct_yaml_is_null(map) || !ct_read_map(r, map, "motions")) return;
    ct_name_map seen = {0}; // the same target may be written in two ways
    for (int i = 0; i + 1 < map->n; i += 2) {
        const ct_yaml *key = map->item[i];
        ct_motion motion = {.place = key->place};
        bool ok = read_target(r, key, &motion);
        ct_owner(r, "motion", key->text);
        read_value(r, map->item[i + 1], &motion);
        if (!ok) continue;
        char number[32];
        snprintf(number, sizeof number, "%c%d", motion.probe < 0 ? 'q' : 'p',
                 motion.probe < 0 ? motion.coordinate : motion.probe);
        if (ct_name_map_get(&seen, number) >= 0)
            ct_error_at(r->ctx, key->place, "'%s' is moved twice: remove one motion",
                        ct_show(&r->shown, key->text));
        ct_name_map_set(&seen, number, i);
        motion.name = ct_strdup(key->text);
        *CT_PUSH(r->model->motions, r->model->n_motions, r->model->room_motions) = motion;
    }
    ct_name_map_clear(&seen);
    ct_owner(r, "", "");
}

// Reads an entry of `initial` or `guess`: a value, or [value, rate] in `initial`.
static void read_start(ct_reader *r, const ct_yaml *key, const ct_yaml *node, bool is_guess,
                       ct_start *start) {
    ct_owner(r, is_guess ? "guess" : "initial value", key->text);
    if (node->kind != CT_YAML_LIST) {
        ct_read_expr(r, node, CT_CONSTANT, r->owner, &start->value);
        return;
    }
    if (is_guess) {
        ct_error_at(r->ctx, node->place, "%s is one value: rates stand in initial", r->owner);
        return;
    }
    if (!ct_read_list(r, node, 2, r->owner, "[value, rate]")) return;
    ct_read_expr(r, node->item[0], CT_CONSTANT, r->owner, &start->value);
    ct_read_expr(r, node->item[1], CT_CONSTANT, ct_of(r, "rate"), &start->rate);
    start->has_rate = true;
}

static void read_start_list(ct_reader *r, const char *section, bool is_guess) {
    const ct_yaml *map = ct_yaml_get(r->root, section);
    ct_model *m = r->model;
    if (!map || ct_yaml_is_null(map) || !ct_read_map(r, map, section)) return;
    for (int i = 0; i + 1 < map->n; i += 2) {
        ct_start start = {.place = map->item[i]->place};
        ct_owner(r, "", "");
        start.coordinate = ct_read_coordinate(r, map->item[i], section);
        read_start(r, map->item[i], map->item[i + 1], is_guess, &start);
        if (start.coordinate < 0) continue;
        if (is_guess)
            *CT_PUSH(m->guess, m->n_guess, m->room_guess) = start;
        else
            *CT_PUSH(m->initial, m->n_initial, m->room_initial) = start;
    }
    ct_owner(r, "", "");
}

void ct_read_starts(ct_reader *r) {
    read_start_list(r, "initial", false);
    read_start_list(r, "guess", true);
}

// An output is a column of the result, beside t, the coordinates, and their rates.
static bool check_column(ct_reader *r, const ct_yaml *key) {
    size_t n = strlen(key->text);
    char *stem = ct_scratch_strdup(key->text);
    while (n && stem[n - 1] == '\'') // rates and accelerations
        stem[--n] = '\0';
    bool taken = !strcmp(key->text, "t") || ct_name_map_get(&r->coordinates, stem) >= 0;
    if (taken)
        ct_error_at(r->ctx, key->place,
                    "output '%s' has the name of another column of the result: rename it",
                    ct_show(&r->shown, key->text));
    return !taken;
}

void ct_read_outputs(ct_reader *r) {
    const ct_yaml *map = ct_yaml_get(r->root, "outputs");
    if (!map || ct_yaml_is_null(map) || !ct_read_map(r, map, "outputs")) return;
    for (int i = 0; i + 1 < map->n; i += 2) {
        const ct_yaml *key = map->item[i];
        ct_read_name(r, key, "output");
        check_column(r, key);
        ct_owner(r, "output", key->text);
        ct_output output = {.place = key->place};
        ct_read_expr(r, map->item[i + 1], CT_OF_OUTPUT, r->owner, &output.value);
        output.name = ct_strdup(key->text);
        ct_name_map_set(&r->outputs, output.name, r->model->n_outputs);
        *CT_PUSH(r->model->outputs, r->model->n_outputs, r->model->room_outputs) = output;
    }
    ct_owner(r, "", "");
}
