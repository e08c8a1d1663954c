// Plain values of the file (maps, lists, words, names) and the messages about them.
#define _POSIX_C_SOURCE 200809L
#include "model/read/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool ct_is_noisy(const ct_reader *r) {
    enum { HINTS_MAX = 200 };
    return ct_context_error_count(r->ctx) > HINTS_MAX;
}

void ct_owner(ct_reader *r, const char *kind, const char *name) {
    snprintf(r->owner, sizeof r->owner, *kind ? "%s '%s'" : "%s%s", kind,
             *kind ? ct_show(&r->shown, name) : "");
}

const char *ct_of(ct_reader *r, const char *what) {
    return *r->owner ? ct_show_format(&r->shown, "%s of %s", what, r->owner) : what;
}

void ct_note_condition(ct_reader *r, ct_condition_kind kind, ct_ex value, const char *what) {
    ct_model *m = r->model;
    if (ct_ex_kinds(r->pool, value) != 1u << CT_SYMBOL_PARAMETER) return;
    // "mass of body 'crank'" without quotes: whoever tells it has his own
    char *name = ct_strdup(what), *to = name;
    for (const char *from = what; *from; from++)
        if (*from != '\'') *to++ = *from;
    *to = '\0';
    *CT_PUSH(m->conditions, m->n_conditions, m->room_conditions) =
        (ct_condition){kind, value, 0, name};
}

const char *ct_hint(ct_reader *r, const char *name, int n, const char *const *names) {
    enum { NAMES_MAX = 2000 };
    if (ct_is_noisy(r) || n > NAMES_MAX) return "";
    const char *near = ct_nearest(name, names, n);
    if (near && ct_edit_distance(name, near) >= (int)strlen(name) && strcasecmp(name, near))
        return ""; // nothing of the name is left
    return near ? ct_show_format(&r->shown, "; did you mean '%s'?", ct_show(&r->shown, near)) : "";
}

const char *ct_hint_map(ct_reader *r, const char *name, const ct_name_map *map) {
    if (ct_is_noisy(r)) return "";
    const char **names = ct_scratch((size_t)map->n, sizeof *names);
    int n = 0;
    for (int i = 0; i < map->room; i++)
        if (map->name[i]) names[n++] = map->name[i];
    return ct_hint(r, name, n, names);
}

const char *ct_list(ct_reader *r, int n, const char *const *names) {
    char text[200] = "";
    ct_shown words = {0}; // may be many: not at the cost of the reader's
    size_t used = 0;
    for (int i = 0; i < n; i++) {
        const char *word = ct_show(&words, names[i]);
        if (used + strlen(word) + 8 > sizeof text) {
            strcpy(text + used, ", ...");
            break;
        }
        strcpy(text + used, i ? ", " : "");
        strcat(text + used, word);
        used += strlen(text + used);
    }
    return ct_show_format(&r->shown, "%s", text);
}

const char *ct_hint_or_list(ct_reader *r, const char *name, int n, const char *const *names) {
    const char *hint = ct_hint(r, name, n, names);
    return *hint ? hint : ct_show_format(&r->shown, " (known: %s)", ct_list(r, n, names));
}

static const char *kind_name(const ct_yaml *node) {
    if (ct_yaml_is_null(node)) return "nothing";
    return node->kind == CT_YAML_MAP    ? "a map"
           : node->kind == CT_YAML_LIST ? "a list"
                                        : "a single value";
}

bool ct_read_map(ct_reader *r, const ct_yaml *node, const char *what) {
    if (node->kind == CT_YAML_MAP) return true;
    ct_error_at(r->ctx, node->place, "%s must be a map {name: value, ...}, not %s", what,
                kind_name(node));
    return false;
}

bool ct_read_list(ct_reader *r, const ct_yaml *node, int n, const char *what, const char *form) {
    if (node->kind != CT_YAML_LIST)
        ct_error_at(r->ctx, node->place, "%s must be a list %s, not %s", what, form,
                    kind_name(node));
    else if (n >= 0 && node->n != n)
        ct_error_at(r->ctx, node->place, "%s must have %d entries, %s, not %d", what, n, form,
                    node->n);
    else
        return true;
    return false;
}

const char *ct_read_text(ct_reader *r, const ct_yaml *node, const char *what) {
    if (node->kind == CT_YAML_SCALAR && *node->text) return node->text;
    ct_error_at(r->ctx, node->place, "%s must be a word, not %s", what, kind_name(node));
    return NULL;
}

int ct_read_choice(ct_reader *r, const ct_yaml *node, const char *key, int n,
                   const char *const *names) {
    const char *text = ct_read_text(r, node, ct_of(r, key));
    if (!text) return -1;
    for (int i = 0; i < n; i++)
        if (!strcmp(text, names[i])) return i;
    ct_error_at(r->ctx, node->place, "unknown %s '%s'%s%s%s", key, ct_show(&r->shown, text),
                *r->owner ? " of " : "", r->owner, ct_hint_or_list(r, text, n, names));
    return -1;
}

const ct_yaml *ct_read_needed(ct_reader *r, const ct_yaml *map, const char *key) {
    const ct_yaml *node = ct_yaml_get(map, key);
    if (!node) ct_error_at(r->ctx, map->place, "%s needs %s: add it", r->owner, key);
    return node;
}

bool ct_read_bool(ct_reader *r, const ct_yaml *node, const char *what, bool *value) {
    static const char *const words[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
    for (int i = 0; node->kind == CT_YAML_SCALAR && i < 6; i++)
        if (!strcmp(node->text, words[i])) {
            *value = i < 3;
            return true;
        }
    ct_error_at(r->ctx, node->place, "%s must be true or false", what);
    return false;
}

bool ct_has_control(const char *s) {
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s, d = (unsigned char)s[1];
        if (c < 0x20 || c == 0x7F || (c == 0xC2 && d >= 0x80 && d < 0xA0)) return true;
    }
    return false;
}

bool ct_read_name(ct_reader *r, const ct_yaml *key, const char *what) {
    if (!*key->text)
        ct_error_at(r->ctx, key->place, "a %s needs a name", what);
    else if (ct_has_control(key->text))
        ct_error_at(r->ctx, key->place, "the name of %s '%s' holds a control character: remove it",
                    what, ct_show(&r->shown, key->text));
    else if (strchr(key->text, '.'))
        ct_error_at(r->ctx, key->place,
                    "the name of %s '%s' holds a dot, which separates a name from its part: use _",
                    what, ct_show(&r->shown, key->text));
    else
        return true;
    return false;
}

// Words with a meaning of their own. x(p) and the like are only ever calls, so x, y, z stay free.
static bool is_reserved(const char *s) {
    static const char *const calls[] = {"x", "y", "z", "vx", "vy", "vz", "distance"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(s, calls[i])) return false;
    for (int i = 0; ct_builtin_names[i]; i++)
        if (!strcmp(s, ct_builtin_names[i])) return true;
    return false;
}

bool ct_read_identifier(ct_reader *r, const ct_yaml *key, const char *what) {
    if (!ct_is_identifier(key->text))
        ct_error_at(r->ctx, key->place,
                    "%s '%s' must be named with letters, digits and _ (a letter first)", what,
                    ct_show(&r->shown, key->text));
    else if (is_reserved(key->text))
        ct_error_at(r->ctx, key->place, "%s '%s' has the name of something built in: rename it",
                    what, key->text);
    else
        return true;
    return false;
}

void ct_read_keys(ct_reader *r, const ct_yaml *map, const char *what, int n,
                  const char *const *keys) {
    for (int i = 0; i + 1 < map->n; i += 2) {
        const char *key = map->item[i]->text;
        bool known = false;
        for (int k = 0; k < n; k++) known |= !strcmp(key, keys[k]);
        if (!known)
            ct_error_at(r->ctx, map->item[i]->place, "unknown key '%s' in %s%s",
                        ct_show(&r->shown, key), what, ct_hint_or_list(r, key, n, keys));
    }
}
