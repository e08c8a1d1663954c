// Quantities that expressions measure: functions of points and bodies, x(body.point), wx(body); of
// forces and joints, fz(tyre), mz(J); accelerations J''; energies of the model; extensions of springs
// in their laws.
// Each is a probe of the model with a symbol, one for each way of writing it.
#include "model/read/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a function takes, and what it measures.
typedef enum takes { TAKES_POINT, TAKES_POINTS, TAKES_BODY } takes;
typedef enum measures { MEASURES_POSITION, MEASURES_VELOCITY, MEASURES_OUTPUT } measures;
static const struct {
    const char *name;
    takes takes;
    measures measures;
} functions[] = {
#define X(name, text, takes, measures) {text, TAKES_##takes, MEASURES_##measures},
    CT_POINT_FUNCTIONS(X) CT_OUTPUT_FUNCTIONS(X)
#undef X
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

// The probe of a name, or a new one.
static int add_probe(ct_reader *r, const char *name, ct_probe probe) {
    ct_model *m = r->model;
    int found = ct_name_map_get(&r->probes, name);
    if (found >= 0) return found;
    probe.symbol = ct_symbol(
        r->pool, probe.kind == CT_PROBE_REACTION ? CT_SYMBOL_REACTION : CT_SYMBOL_OTHER, name);
    *CT_PUSH(m->probes, m->n_probes, m->room_probes) = probe;
    ct_name_map_set(&r->probes, name, m->n_probes - 1);
    return m->n_probes - 1;
}

// The symbol of that probe.
static ct_ex symbol_of(ct_reader *r, const char *name, ct_probe probe) {
    int i = add_probe(r, name, probe);
    return r->model->probes[i].symbol;
}

// points and bodies ------------------------------------------------------------------------------
static int function_of(const char *function) {
    int kind = 0;
    while (kind < FUNCTIONS && strcmp(functions[kind].name, function)) kind++;
    return kind < FUNCTIONS ? kind : -1;
}

static int point_probe(ct_reader *r, int kind, int n, const char *const *names, char *message,
                       size_t bytes) {
    const char *function = functions[kind].name;
    const bool of_body = functions[kind].takes == TAKES_BODY;
    const int wanted = functions[kind].takes == TAKES_POINTS ? 2 : 1;
    ct_probe probe = {.kind = (ct_probe_kind)kind};
    if (n != wanted || (of_body && strchr(names[0], '.'))) {
        if (of_body)
            snprintf(message, bytes, "%s takes one body, not a point of it or several", function);
        else
            snprintf(message, bytes, "%s takes %d point%s (body.point), not %d", function, wanted,
                     wanted > 1 ? "s" : "", n);
        return -1;
    }
    // bodies and places of the points
    for (int i = 0; i < n; i++)
        if (!ct_point_named(r, names[i], &probe.body[i], &probe.at[i], message, bytes)) return -1;
    if (n == 1) probe.body[1] = -1;
    char *name = n == 1 ? ct_scratch_format("%s(%s)", function, names[0])
                        : ct_scratch_format("%s(%s, %s)", function, names[0], names[1]);
    return add_probe(r, name, probe);
}

// forces -----------------------------------------------------------------------------------------
static int force_function(const char *function) {
    for (int i = 0; i < CT_FORCE_QUANTITY_COUNT; i++)
        if (!strcmp(function, ct_force_quantity_name((ct_force_quantity)i))) return i;
    return -1;
}

static bool gives(ct_force_type type, int quantity) {
    return ct_force_traits_of(type)->gives >> quantity & 1;
}

// The types that give a quantity: "tyre, bushing, contact or drag".
static const char *givers(ct_reader *r, int quantity) {
    int all = 0, n = 0;
    for (int i = 0; i < CT_FORCE_TYPE_COUNT; i++) all += gives((ct_force_type)i, quantity);
    const char *list = "";
    for (int i = 0; i < CT_FORCE_TYPE_COUNT; i++) {
        if (!gives((ct_force_type)i, quantity)) continue;
        list = ct_show_format(&r->shown, "%s%s%s", list,
                              !n             ? ""
                              : n == all - 1 ? " or "
                                             : ", ",
                              ct_force_type_name((ct_force_type)i));
        n++;
    }
    return list;
}

// joints, motions and drives ---------------------------------------------------------------------
static bool is_wrench(int quantity) {
    return quantity >= 0 && CT_GIVES_WRENCH >> quantity & 1;
}

static int joint_named(const ct_model *model, const char *name) {
    for (int i = 0; i < model->n_joints; i++)
        if (model->joints[i].name && !strcmp(model->joints[i].name, name)) return i;
    return -1;
}

// True if two names differ in blanks alone: distance(a.P,b.Q) and distance(a.P, b.Q).
static bool is_same(const char *a, const char *b) {
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b) return false;
        if (!*a) return true;
    }
}

static int motion_named(const ct_model *model, const char *name) {
    for (int i = 0; i < model->n_motions; i++)
        if (!strcmp(model->motions[i].name, name)) return i;
    for (int i = 0; i < model->n_motions && strchr(name, '('); i++)
        if (is_same(model->motions[i].name, name)) return i;
    return -1;
}

static int drive_named(const ct_model *model, const char *name) {
    for (int i = 0; i < model->n_drives; i++)
        if (!strcmp(model->drives[i].name, name)) return i;
    return -1;
}

// What a joint carries: its wrench, or the multiplier of a coupling. Returns -1 with a message where it
// has none.
static int joint_probe(ct_reader *r, const char *function, int quantity, const char *name,
                       int joint, char *message, size_t bytes) {
    const ct_joint *j = r->model->joints + joint;
    const char *shown = ct_show(&r->shown, name), *type = ct_joint_type_name(j->type);
    const bool is_coupling = ct_joint_is_coupling(j->type);
    if (is_coupling && is_wrench(quantity))
        snprintf(message, bytes, "'%s' is a %s, which has a multiplier and no %s: write lambda(%s)",
                 shown, type, function, shown);
    else if (!is_coupling && !is_wrench(quantity))
        snprintf(
            message, bytes,
            "'%s' is of type %s: lambda(...) takes a gear, rack or constraint; a joint carries "
            "fx(%s) to mz(%s)",
            shown, type, shown, shown);
    else if (j->is_virtual)
        snprintf(message, bytes, "'%s' is virtual: it carries nothing", shown);
    else {
        ct_probe probe = {.kind = CT_PROBE_REACTION, .body = {-1, -1}, .joint = joint};
        probe.part = is_coupling ? 0 : quantity - CT_QUANTITY_FX;
        probe.motion = probe.drive = -1;
        return add_probe(r, ct_scratch_format("%s(%s)", function, name), probe);
    }
    return -1;
}

// The effort of a motion or a drive by name; -1, without a message, where there is neither.
static int effort_probe(ct_reader *r, const char *name) {
    ct_probe probe = {.kind = CT_PROBE_REACTION, .body = {-1, -1}, .joint = -1};
    probe.motion = motion_named(r->model, name);
    probe.drive = drive_named(r->model, name);
    if (probe.motion < 0 && probe.drive < 0) return -1;
    return add_probe(r, ct_scratch_format("effort(%s)", name), probe);
}

// What else a name is: a motion where efforts are asked for, a joint or a body; "" if nothing.
static const char *other_meaning(ct_reader *r, const char *name, int quantity) {
    if (quantity == CT_QUANTITY_EFFORT && motion_named(r->model, name) >= 0) return "motion";
    if (ct_name_map_get(&r->joints, name) >= 0) return "joint";
    return ct_name_map_get(&r->bodies, name) >= 0 ? "body" : "";
}

// True if what has the other meaning has such a quantity, too: the effort of a motion, the reaction of
// a joint. A tyre may have the name of a joint.
static bool is_ambiguous(const char *other, ct_force_type type, int quantity) {
    if (quantity == CT_QUANTITY_EFFORT) return !strcmp(other, "motion");
    return is_wrench(quantity) && !strcmp(other, "joint") && type != CT_FORCE_TYRE;
}

// What beside forces has a quantity, as the end of "takes ..".
static const char *others(int quantity) {
    return is_wrench(quantity)              ? "a joint, or "
           : quantity == CT_QUANTITY_EFFORT ? "a motion, a drive, or "
                                            : "";
}

// forces by name ---------------------------------------------------------------------------------
// The force of that name, or -1 with a message.
static int find_force(ct_reader *r, const char *name, int quantity, char *message, size_t bytes) {
    const ct_model *m = r->model;
    const char *function = ct_force_quantity_name((ct_force_quantity)quantity);
    const char *shown = ct_show(&r->shown, name), *kinds = givers(r, quantity);
    const char *other = other_meaning(r, name, quantity), *also = others(quantity);
    const char **known = ct_scratch((size_t)(m->n_forces + m->n_joints) + 1, sizeof *known);
    int found = -1, n = 0;
    // the force of that name, and those that have the quantity
    for (int i = 0; i < m->n_forces; i++) {
        if (gives(m->forces[i].type, quantity)) known[n++] = m->forces[i].name;
        if (!strcmp(m->forces[i].name, name)) found = i;
    }
    for (int i = 0; i < m->n_joints && is_wrench(quantity); i++) known[n++] = m->joints[i].name;
    bool good = found >= 0 && gives(m->forces[found].type, quantity);
    if (good && !is_ambiguous(other, m->forces[found].type, quantity)) return found;
    // two meanings, a force of another type, no force, nothing at all
    if (good)
        snprintf(message, bytes,
                 "'%s' is a force and a %s: rename one of them, so that %s(...) has one meaning",
                 shown, other, function);
    else if (found >= 0)
        snprintf(message, bytes, "'%s' is of type %s: %s(...) takes %sa force of type %s", shown,
                 ct_force_type_name(m->forces[found].type), function, also, kinds);
    else if (*other)
        snprintf(message, bytes, "'%s' is a %s: %s(...) takes %sa force of type %s", shown, other,
                 function, also, kinds);
    else
        snprintf(message, bytes, "there is no %sforce '%s' of type %s%s",
                 is_wrench(quantity)              ? "joint or "
                 : quantity == CT_QUANTITY_EFFORT ? "motion, drive or "
                                                  : "",
                 shown, kinds, ct_hint(r, name, n, known));
    return -1;
}

// True if a force of that name has the quantity.
static bool has_force(const ct_model *model, const char *name, int quantity) {
    for (int i = 0; i < model->n_forces && quantity >= 0; i++)
        if (!strcmp(model->forces[i].name, name)) return gives(model->forces[i].type, quantity);
    return false;
}

static int force_probe(ct_reader *r, int quantity, const char *name, char *message, size_t bytes) {
    const char *function = ct_force_quantity_name((ct_force_quantity)quantity);
    int force = find_force(r, name, quantity, message, bytes);
    if (force < 0) return -1;
    ct_probe probe = {.kind = CT_PROBE_FORCE,
                      .body = {-1, -1},
                      .force = force,
                      .quantity = (ct_force_quantity)quantity};
    // where it is a drive, statics and inverse dynamics find it
    bool found = quantity == CT_QUANTITY_EFFORT || quantity == CT_QUANTITY_TENSION;
    probe.joint = probe.motion = -1;
    probe.drive = found ? drive_named(r->model, name) : -1;
    return add_probe(r, ct_scratch_format("%s(%s)", function, name), probe);
}

// A quantity of a joint, a motion, a drive or a force.
static int through_probe(ct_reader *r, const char *function, int n, const char *const *names,
                         char *message, size_t bytes) {
    const int quantity = force_function(function); // -1: lambda
    if (n != 1) {
        snprintf(message, bytes, "%s takes the name of one %s, not %d", function,
                 quantity < 0          ? "gear, rack or constraint"
                 : is_wrench(quantity) ? "joint or force"
                                       : "force",
                 n);
        return -1;
    }
    const int joint = joint_named(r->model, names[0]);
    const bool by_force = has_force(r->model, names[0], quantity);
    if (quantity < 0 && joint < 0) {
        snprintf(message, bytes, "there is no gear, rack or constraint '%s'%s",
                 ct_show(&r->shown, names[0]), ct_hint_map(r, names[0], &r->joints));
        return -1;
    }
    // joints, unless a force has the name; motions and drives; forces
    if (joint >= 0 && (quantity < 0 || (is_wrench(quantity) && !by_force)))
        return joint_probe(r, function, quantity, names[0], joint, message, bytes);
    int effort = quantity == CT_QUANTITY_EFFORT && !by_force ? effort_probe(r, names[0]) : -1;
    return effort >= 0 ? effort : force_probe(r, quantity, names[0], message, bytes);
}

// by functions -----------------------------------------------------------------------------------
bool ct_is_quantity(const char *function, bool *is_velocity, bool *is_output) {
    int kind = function_of(function);
    *is_velocity = kind >= 0 && functions[kind].measures == MEASURES_VELOCITY;
    *is_output = kind < 0 || functions[kind].measures == MEASURES_OUTPUT;
    return kind >= 0 || force_function(function) >= 0 || !strcmp(function, "lambda");
}

int ct_probe_get(ct_reader *r, const char *function, int n, const char *const *names, char *message,
                 size_t bytes) {
    int kind = function_of(function);
    if (kind >= 0) return point_probe(r, kind, n, names, message, bytes);
    return through_probe(r, function, n, names, message, bytes);
}

// by names ---------------------------------------------------------------------------------------
bool ct_energy_symbol(ct_reader *r, const char *name, ct_ex *value) {
    static const struct {
        const char *name;
        ct_probe_kind kind;
    } energies[] = {
#define X(name, text) {text, CT_PROBE_##name},
        CT_OUTPUT_NAMES(X)
#undef X
    };
    for (size_t i = 0; i < sizeof energies / sizeof *energies; i++)
        if (!strcmp(energies[i].name, name)) {
            ct_probe probe = {.kind = energies[i].kind, .body = {-1, -1}};
            if (r->allowed & CT_MAY_OUTPUT) *value = symbol_of(r, name, probe);
            return true;
        }
    return false;
}

ct_ex ct_acceleration_symbol(ct_reader *r, int coordinate) {
    ct_probe probe = {.kind = CT_PROBE_ACCELERATION, .body = {-1, -1}, .coordinate = coordinate};
    char *name = ct_scratch_format("%s''", r->model->coordinates[coordinate].name);
    return symbol_of(r, name, probe);
}

ct_ex ct_law_symbol(ct_reader *r, int force, ct_probe_kind kind) {
    const char *what = kind == CT_PROBE_EXTENSION ? "extension" : "rate";
    ct_probe probe = {.kind = kind, .body = {-1, -1}, .force = force};
    char *name = ct_scratch_format("%s of %s", what, r->model->forces[force].name);
    return symbol_of(r, name, probe);
}
