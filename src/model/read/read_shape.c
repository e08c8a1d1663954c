// Shapes: how bodies are drawn. Nothing else in the model depends on them.
#include "model/read/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SHAPE_KEYS(X)                                                                              \
    X(TYPE, "type")                                                                                \
    X(SIZE, "size")                                                                                \
    X(RADIUS, "radius")                                                                            \
    X(LENGTH, "length")                                                                            \
    X(AXIS, "axis")                                                                                \
    X(BETWEEN, "between")                                                                          \
    X(PATH, "path")                                                                                \
    X(SCALE, "scale")                                                                              \
    X(POSITION, "position")                                                                        \
    X(ORIENT, "orient")                                                                            \
    X(COLOUR, "colour")                                                                            \
    X(COLOR, "color")                                                                              \
    X(OPACITY, "opacity")
enum {
#define X(name, text) BIT_##name,
    SHAPE_KEYS(X)
#undef X
        KEY_COUNT
};
enum {
#define X(name, text) HAS_##name = 1 << BIT_##name,
    SHAPE_KEYS(X)
#undef X
        LOOK = HAS_TYPE | HAS_COLOUR | HAS_COLOR | HAS_OPACITY,
    PLACED = LOOK | HAS_POSITION | HAS_ORIENT
};
static const char *const key_names[] = {
#define X(name, text) text,
    SHAPE_KEYS(X)
#undef X
};
static const char *const type_names[] = {
#define X(name, text) text,
    CT_SHAPE_TYPES(X)
#undef X
};

// Keys that each type takes, and keys that it needs.
static const struct {
    unsigned takes, needs;
} rules[CT_SHAPE_TYPE_COUNT] = {
    [CT_SHAPE_BOX] = {PLACED | HAS_SIZE, HAS_SIZE},
    [CT_SHAPE_CYLINDER] = {PLACED | HAS_RADIUS | HAS_LENGTH | HAS_AXIS, HAS_RADIUS | HAS_LENGTH},
    [CT_SHAPE_SPHERE] = {PLACED | HAS_RADIUS, HAS_RADIUS},
    [CT_SHAPE_CAPSULE] = {PLACED | HAS_RADIUS | HAS_LENGTH | HAS_AXIS, HAS_RADIUS | HAS_LENGTH},
    [CT_SHAPE_LINK] = {LOOK | HAS_BETWEEN | HAS_RADIUS, HAS_BETWEEN},
    [CT_SHAPE_FILE] = {PLACED | HAS_PATH | HAS_SCALE, HAS_PATH},
};

static const struct {
    const char *name;
    int value;
} colours[] = {{"black", 0x202124},  {"white", 0xf5f5f5},  {"grey", 0x8a8f98},
               {"gray", 0x8a8f98},   {"silver", 0xc0c4ca}, {"red", 0xc8383e},
               {"orange", 0xe08a2c}, {"yellow", 0xe3c23b}, {"green", 0x3f9a54},
               {"teal", 0x2a9d95},   {"blue", 0x3b74b9},   {"navy", 0x24406e},
               {"purple", 0x8059a8}, {"pink", 0xd877a0},   {"brown", 0x8c6448},
               {"steel", 0x7d8ea3},  {"brass", 0xb99b4b},  {"copper", 0xb0704d}};
enum { COLOUR_COUNT = sizeof colours / sizeof *colours };

static void check_keys(ct_reader *r, const ct_yaml *map, ct_shape_type type) {
    unsigned given = 0, takes = rules[type].takes;
    const char *known[KEY_COUNT];
    int n = 0;
    for (int k = 0; k < KEY_COUNT; k++)
        if (takes >> k & 1 && k != BIT_COLOR) known[n++] = key_names[k];
    for (int i = 0; i + 1 < map->n; i += 2) {
        const char *key = map->item[i]->text;
        int k = 0;
        while (k < KEY_COUNT && strcmp(key, key_names[k])) k++;
        given |= k < KEY_COUNT ? 1u << k : 0;
        if (k < KEY_COUNT && !(takes >> k & 1))
            ct_error_at(r->ctx, map->item[i]->place, "%s (%s) takes no %s (it takes: %s)", r->owner,
                        type_names[type], key, ct_list(r, n, known));
        else if (k == KEY_COUNT)
            ct_error_at(r->ctx, map->item[i]->place, "unknown key '%s' in %s%s",
                        ct_show(&r->shown, key), r->owner, ct_hint_or_list(r, key, n, known));
    }
    for (int k = 0; k < KEY_COUNT; k++)
        if (rules[type].needs & ~given & 1u << k)
            ct_error_at(r->ctx, map->place, "%s (%s) needs %s: add it", r->owner, type_names[type],
                        key_names[k]);
}

// Reads a length that must be positive.
static void read_length(ct_reader *r, const ct_yaml *map, const char *key, ct_ex *value) {
    double number;
    if (ct_read_constant(r, map, key, value, &number) && !(number > 0))
        ct_error_at(r->ctx, ct_yaml_get(map, key)->place, "%s must be greater than zero, not %g",
                    ct_of(r, key), number);
}

static void read_size(ct_reader *r, const ct_yaml *node, ct_vec3 *size) {
    double number[3];
    if (!ct_read_list(r, node, 3, ct_of(r, "size"), "[along x, along y, along z]") ||
        !ct_read_vector(r, node, CT_CONSTANT, ct_of(r, "size"), size) ||
        !ct_number3(r, size, number))
        return;
    for (int i = 0; i < 3; i++)
        if (!(number[i] > 0))
            ct_error_at(r->ctx, node->item[i]->place, "%s must be greater than zero, not %g",
                        ct_of(r, "size"), number[i]);
}

// The two points of a link, apart from each other.
static void read_ends(ct_reader *r, const ct_yaml *node, int body, ct_vec3 *end) {
    const char *what = ct_of(r, "'between'");
    double a[3], b[3];
    if (!ct_read_list(r, node, 2, what, "[P, Q] of points")) return;
    for (int k = 0; k < 2; k++)
        if (!ct_read_position(r, node->item[k], body, what, &end[k])) return;
    if (ct_number3(r, &end[0], a) && ct_number3(r, &end[1], b) && a[0] == b[0] && a[1] == b[1] &&
        a[2] == b[2])
        ct_error_at(r->ctx, node->place, "%s: the two points are the same", what);
}

static void read_orient(ct_reader *r, const ct_yaml *node, ct_mat3 *orient) {
    ct_mat3 both[2] = {*orient, *orient};
    if (!ct_read_list(r, node, 3, ct_of(r, "orient"), "[roll, pitch, yaw]")) return;
    ct_read_orient(r, node, both);
    *orient = both[0];
}

static void read_path(ct_reader *r, const ct_yaml *node, ct_shape *shape) {
    const char *text = ct_read_text(r, node, ct_of(r, "path"));
    const char *dot = text ? strrchr(text, '.') : NULL;
    if (!text) return;
    if (!dot || (strcasecmp(dot, ".stl") && strcasecmp(dot, ".obj"))) {
        ct_error_at(r->ctx, node->place, "%s: '%s' must be a file that ends in .stl or .obj",
                    ct_of(r, "path"), ct_show(&r->shown, text));
        return;
    }
    ct_free(shape->path);
    shape->path = ct_strdup(text);
}

// Reads a colour: a name of the table or "#rrggbb".
static void read_colour(ct_reader *r, const ct_yaml *node, int *colour) {
    const char *text = ct_read_text(r, node, ct_of(r, "colour")), *names[COLOUR_COUNT];
    char *end;
    if (!text) return;
    for (int i = 0; i < COLOUR_COUNT; i++) {
        names[i] = colours[i].name;
        if (!strcasecmp(text, names[i])) {
            *colour = colours[i].value;
            return;
        }
    }
    if (*text == '#' && strlen(text) == 7 && strspn(text + 1, "0123456789abcdefABCDEF") == 6) {
        *colour = (int)strtol(text + 1, &end, 16);
        return;
    }
    ct_error_at(r->ctx, node->place, "%s: '%s' is no colour: write \"#rrggbb\" or a name%s",
                ct_of(r, "colour"), ct_show(&r->shown, text),
                ct_hint_or_list(r, text, COLOUR_COUNT, names));
}

static void read_look(ct_reader *r, const ct_yaml *map, ct_shape *shape) {
    const ct_yaml *node;
    double number;
    if ((node = ct_yaml_get(map, "colour"))) read_colour(r, node, &shape->colour);
    if ((node = ct_yaml_get(map, "color"))) read_colour(r, node, &shape->colour);
    if (ct_read_constant(r, map, "opacity", &shape->opacity, &number) &&
        !(number > 0 && number <= 1))
        ct_error_at(r->ctx, ct_yaml_get(map, "opacity")->place,
                    "%s must be between 0 (invisible, not allowed) and 1, not %g",
                    ct_of(r, "opacity"), number);
}

static void read_shape(ct_reader *r, const ct_yaml *map, int body) {
    const ct_yaml *node;
    // defaults: along z, at the origin, no colour of its own
    ct_shape shape = {.place = map->place,
                      .axis = ct_vec3_zero(),
                      .position = ct_vec3_zero(),
                      .orient = ct_mat3_identity(),
                      .colour = -1,
                      .scale = CT_ONE,
                      .opacity = CT_ONE};
    shape.axis.v[2] = CT_ONE;
    // type, and the keys that belong to it
    if (!ct_read_map(r, map, r->owner) || !(node = ct_read_needed(r, map, "type"))) return;
    int type = ct_read_choice(r, node, "type", CT_SHAPE_TYPE_COUNT, type_names);
    if (type < 0) return;
    shape.type = (ct_shape_type)type;
    check_keys(r, map, shape.type);
    // sizes
    unsigned takes = rules[type].takes;
    if (takes & HAS_SIZE && (node = ct_yaml_get(map, "size"))) read_size(r, node, &shape.size);
    if (takes & HAS_RADIUS) read_length(r, map, "radius", &shape.radius);
    if (takes & HAS_LENGTH) read_length(r, map, "length", &shape.length);
    if (takes & HAS_SCALE) read_length(r, map, "scale", &shape.scale);
    // places and directions
    if (takes & HAS_AXIS && (node = ct_yaml_get(map, "axis")))
        ct_read_axis(r, node, body, ct_of(r, "axis"), &shape.axis);
    if (takes & HAS_BETWEEN && (node = ct_yaml_get(map, "between")))
        read_ends(r, node, body, shape.end);
    if (takes & HAS_PATH && (node = ct_yaml_get(map, "path"))) read_path(r, node, &shape);
    if (takes & HAS_POSITION && (node = ct_yaml_get(map, "position")))
        ct_read_position(r, node, body, ct_of(r, "position"), &shape.position);
    if (takes & HAS_ORIENT && (node = ct_yaml_get(map, "orient")))
        read_orient(r, node, &shape.orient);
    // colour and opacity
    read_look(r, map, &shape);
    ct_body *b = &r->model->bodies[body];
    *CT_PUSH(b->shapes, b->n_shapes, b->room_shapes) = shape;
}

void ct_read_shapes(ct_reader *r, const ct_yaml *node, int body) {
    const char *name = r->model->bodies[body].name;
    bool list = node->kind == CT_YAML_LIST;
    for (int i = 0; i < (list ? node->n : 1); i++) {
        ct_owner(r, "shape of body", name);
        read_shape(r, list ? node->item[i] : node, body);
    }
    ct_owner(r, "body", name);
}

void ct_read_ground_shapes(ct_reader *r) {
    const ct_yaml *node = ct_yaml_get(r->root, "shape");
    if (node) ct_read_shapes(r, node, 0);
    ct_owner(r, "", "");
}
