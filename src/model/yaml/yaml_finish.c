// The end of a list or map: calls that YAML split at their commas are joined, merges (<<) carried
// out, keys that are no text or stand twice reported. Also the place of a character inside a
// scalar.
#include "model/yaml/yaml.h"

#include <stdlib.h>
#include <string.h>

bool ct_yaml_is_null(const ct_yaml *node) {
    return node->kind == CT_YAML_SCALAR && node->plain &&
           (!*node->text || !strcmp(node->text, "~") || !strcmp(node->text, "null"));
}

static int find_key(const ct_yaml *map, const char *key) {
    if (map && map->kind == CT_YAML_MAP)
        for (int i = 0; i + 1 < map->n; i += 2)
            if (!strcmp(map->item[i]->text, key)) return i;
    return -1;
}

ct_yaml *ct_yaml_key(const ct_yaml *map, const char *key) {
    int i = find_key(map, key);
    return i < 0 ? NULL : map->item[i];
}

ct_yaml *ct_yaml_get(const ct_yaml *map, const char *key) {
    int i = find_key(map, key);
    return i < 0 ? NULL : map->item[i + 1];
}

// Open minus closed parentheses of a plain scalar.
static int balance(const ct_yaml *node) {
    int n = 0;
    if (node->kind != CT_YAML_SCALAR || !node->plain) return 0;
    for (const char *s = node->text; *s; s++) n += (*s == '(') - (*s == ')');
    return n;
}

// {a: max(1, 2)} arrives as {a: "max(1", "2)": null}. From a scalar that leaves a parenthesis open,
// the following pieces up to the one that closes it; `last` is that piece. Pieces stand `step`
// apart (2 for the keys of a map, whose values must then be empty).
static bool split_call(const ct_yaml *node, int first, int next, int step, int *last) {
    int open = balance(node->item[first]);
    bool starts_as_key = step == 2 && first + 2 == next;
    if (open <= 0) return false;
    for (int i = next; i + step <= node->n; i += step) {
        const ct_yaml *piece = node->item[i];
        if (piece->kind != CT_YAML_SCALAR || !piece->plain) return false;
        bool has_value = step == 2 && !ct_yaml_is_null(node->item[i + 1]);
        open += balance(piece);
        if (open == 0 && (!has_value || starts_as_key)) {
            *last = i;
            return true;
        }
        if (open <= 0 || has_value) return false;
    }
    return false;
}

// Joins the pieces, says so once, and removes them, so that nothing else stumbles over them.
static void join(ct_yaml_file *file, ct_yaml *node, int first, int next, int step, int last) {
    ct_text text = {0};
    ct_text_add(&text, node->item[first]->text);
    for (int i = next; i <= last; i += step) {
        ct_text_add(&text, ", ");
        ct_text_add(&text, node->item[i]->text);
    }
    ct_yaml *whole = ct_yaml_node(file, CT_YAML_SCALAR, node->item[first]->place);
    whole->text = ct_text_take(&text);
    whole->start_place = whole->place;
    ct_error_at(file->ctx, whole->place,
                "YAML splits this call at its comma: inside { } and [ ] put the expression in "
                "quotes, \"%s\"",
                ct_show(&file->shown, whole->text));
    node->item[first] = whole;
    if (step == 2 && first + 2 == next)
        node->item[first + 1] =
            node->item[last + 1]; // a split key takes the value of its last piece
    int removed = last + step - next;
    memmove(node->item + next, node->item + last + step,
            (size_t)(node->n - last - step) * sizeof *node->item);
    node->n -= removed;
}

static void join_split_calls(ct_yaml_file *file, ct_yaml *node) {
    int last;
    if (node->kind == CT_YAML_LIST)
        for (int i = 0; i < node->n; i++) {
            if (split_call(node, i, i + 1, 1, &last)) join(file, node, i, i + 1, 1, last);
        }
    else
        for (int i = 0; i + 1 < node->n; i += 2) {
            if (ct_yaml_is_null(node->item[i + 1]) && split_call(node, i, i + 2, 2, &last))
                join(file, node, i, i + 2, 2, last);
            if (split_call(node, i + 1, i + 2, 2, &last)) join(file, node, i + 1, i + 2, 2, last);
        }
}

static void merge_from(ct_yaml_file *file, ct_yaml *map, ct_name_map *known, const ct_yaml *other) {
    if (other->kind != CT_YAML_MAP) {
        ct_error_at(file->ctx, other->place, "<< merges maps; this is none");
        return;
    }
    for (int i = 0; i + 1 < other->n; i += 2) {
        if (ct_name_map_get(known, other->item[i]->text) >= 0)
            continue; // what the map says itself, or an earlier merge, goes first
        ct_name_map_set(known, other->item[i]->text, map->n);
        *CT_PUSH(map->item, map->n, map->room) = other->item[i];
        *CT_PUSH(map->item, map->n, map->room) = other->item[i + 1];
    }
}

static void merge(ct_yaml_file *file, ct_yaml *map) {
    int at = 0;
    while (at + 1 < map->n && (!map->item[at]->plain || strcmp(map->item[at]->text, "<<"))) at += 2;
    if (at + 1 >= map->n) return;
    ct_yaml *from = map->item[at + 1];
    memmove(map->item + at, map->item + at + 2, (size_t)(map->n - at - 2) * sizeof *map->item);
    map->n -= 2;
    ct_name_map known = {0};
    for (int i = 0; i + 1 < map->n; i += 2) ct_name_map_set(&known, map->item[i]->text, i);
    if (from->kind == CT_YAML_LIST)
        for (int k = 0; k < from->n; k++) merge_from(file, map, &known, from->item[k]);
    else
        merge_from(file, map, &known, from);
    ct_name_map_clear(&known);
}

// Drops keys that are no text and keys that stand twice, with a message each.
static void check_keys(ct_yaml_file *file, ct_yaml *map) {
    ct_name_map seen = {0};
    int n = 0;
    for (int i = 0; i + 1 < map->n; i += 2) {
        // a list or map as a key
        ct_yaml *key = map->item[i];
        if (key->kind != CT_YAML_SCALAR) {
            ct_error_at(file->ctx, key->place, "a name was expected here, not a %s",
                        key->kind == CT_YAML_MAP ? "map" : "list");
            continue;
        }
        // a key that stands twice: the first one counts
        int first = ct_name_map_get(&seen, key->text);
        if (first >= 0) {
            ct_place p = map->item[first]->place;
            ct_error_at(file->ctx, key->place,
                        "'%s' stands twice (first at %d:%d): rename or remove one",
                        ct_show(&file->shown, key->text), p.line, p.column);
            continue;
        }
        // kept, closing up
        ct_name_map_set(&seen, key->text, n);
        map->item[n] = key;
        map->item[n + 1] = map->item[i + 1];
        n += 2;
    }
    map->n = n;
    ct_name_map_clear(&seen);
}

void ct_yaml_finish(ct_yaml_file *file, ct_yaml *node) {
    if (node->flow) join_split_calls(file, node);
    if (node->kind != CT_YAML_MAP) return;
    check_keys(file, node);
    merge(file, node);
}

// Follows the text of a scalar through the source: equal characters step together, a folded line
// break is white space there, a doubled quote is one here. Anything else: the scalar's own place.
ct_place ct_yaml_place(const ct_yaml_file *file, const ct_yaml *node, size_t offset) {
    ct_place place = node->start_place;
    size_t at = node->start;
    for (size_t i = 0; i < offset && node->text[i]; i++) {
        if (at >= file->bytes) return node->place;
        char want = node->text[i], have = file->source[at];
        if (want != have && want != ' ' && want != '\n') return node->place;
        if (want == have && want != '\n') {
            at += 1 + (want == '\'' && !node->plain && at + 1 < file->bytes &&
                       file->source[at + 1] == '\'');
            place.column += ((unsigned char)want & 0xC0) != 0x80;
            continue;
        }
        bool broken = false;
        for (; at < file->bytes && strchr(" \t\r\n", file->source[at]); at++) {
            broken |= file->source[at] == '\n';
            place = file->source[at] == '\n' ? (ct_place){place.line + 1, 1}
                                             : (ct_place){place.line, place.column + 1};
        }
        if (!broken) return node->place;
    }
    return place;
}
