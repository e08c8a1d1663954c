// The text outside of functions: arrays of names, integers and numbers, tables of splines, and the
// records of a model by the names of their members. Functions are found, and translated where a
// record names them.
#include "emit/wrenches.h"
#include "run/interpret/reader.h"

#include <string.h>

// What an array or a record of the text became.
typedef struct found {
    const int *ints;
    const double *numbers;
    const char *const *strings;
    const void *record;
} found;

typedef enum member_kind {
    OF_INT,
    OF_INTS,
    OF_NUMBERS,
    OF_STRING,
    OF_STRINGS,
    OF_RECORD
} member_kind;

typedef struct member {
    const char *name;
    size_t at; // in the record
    member_kind kind;
} member;

typedef struct scan {
    ct_reader *r;
    found *found; // [names]
    ct_reader_names *names;
    int n_tables, room_tables;
} scan;

#define INT(record, name)                                                                          \
    { #name, offsetof(record, name), OF_INT }
#define INTS(record, name)                                                                         \
    { #name, offsetof(record, name), OF_INTS }
#define NUMBERS(record, name)                                                                      \
    { #name, offsetof(record, name), OF_NUMBERS }
#define STRING(record, name)                                                                       \
    { #name, offsetof(record, name), OF_STRING }
#define STRINGS(record, name)                                                                      \
    { #name, offsetof(record, name), OF_STRINGS }
#define RECORD(record, name)                                                                       \
    { #name, offsetof(record, name), OF_RECORD }
#define END                                                                                        \
    { NULL, 0, OF_INT }
static const member of_model[] = {STRING(ctk_model, name),
                                  INT(ctk_model, n),
                                  INT(ctk_model, m),
                                  INT(ctk_model, n_inputs),
                                  INT(ctk_model, n_parameters),
                                  INT(ctk_model, n_constants),
                                  INT(ctk_model, n_outputs),
                                  INT(ctk_model, n_rotations),
                                  INT(ctk_model, n_spare),
                                  INT(ctk_model, is_recursive),
                                  INT(ctk_model, n_answer),
                                  INT(ctk_model, n_light),
                                  INTS(ctk_model, light),
                                  INT(ctk_model, n_stiffness),
                                  INT(ctk_model, n_damping),
                                  INTS(ctk_model, stiffness_places),
                                  INTS(ctk_model, damping_places),
                                  INTS(ctk_model, row_first),
                                  INTS(ctk_model, row_columns),
                                  INTS(ctk_model, newton_order),
                                  INTS(ctk_model, newton_first),
                                  INTS(ctk_model, newton_after),
                                  INT(ctk_model, n_switches),
                                  INT(ctk_model, m_start),
                                  INT(ctk_model, n_switch_guards),
                                  INT(ctk_model, n_kept),
                                  INTS(ctk_model, row_switch),
                                  INTS(ctk_model, switch_start),
                                  INTS(ctk_model, switch_here),
                                  INTS(ctk_model, guard_switch),
                                  INTS(ctk_model, kept_switch),
                                  STRINGS(ctk_model, switch_names),
                                  STRINGS(ctk_model, coordinate_names),
                                  STRINGS(ctk_model, constraint_names),
                                  STRINGS(ctk_model, output_names),
                                  STRINGS(ctk_model, parameter_names),
                                  STRINGS(ctk_model, input_names),
                                  NUMBERS(ctk_model, parameters),
                                  NUMBERS(ctk_model, inputs),
                                  NUMBERS(ctk_model, q0),
                                  NUMBERS(ctk_model, qd0),
                                  NUMBERS(ctk_model, units),
                                  NUMBERS(ctk_model, row_units),
                                  RECORD(ctk_model, closure),
                                  RECORD(ctk_model, rotations),
                                  RECORD(ctk_model, initial),
                                  RECORD(ctk_model, wrenches),
                                  END};
#define OF_WRENCHES_INT(name)      INT(ctk_wrenches, name),
#define OF_WRENCHES_INTS(name, n)  INTS(ctk_wrenches, name),
#define OF_WRENCHES_NAMES(name, n) STRINGS(ctk_wrenches, name),
static const member of_wrenches[] = {
    CT_WRENCH_MEMBERS(OF_WRENCHES_INT, OF_WRENCHES_INTS, OF_WRENCHES_NAMES) END};
static const member of_closure[] = {INT(ctk_closure, n_independent),
                                    INT(ctk_closure, n_values),
                                    INT(ctk_closure, n_signs),
                                    INT(ctk_closure, n_tracked),
                                    INT(ctk_closure, n_carried),
                                    INT(ctk_closure, n_guards),
                                    INT(ctk_closure, n_steps),
                                    INT(ctk_closure, n_loops),
                                    INT(ctk_closure, n_rotations),
                                    INTS(ctk_closure, rotations),
                                    INTS(ctk_closure, independent),
                                    INTS(ctk_closure, guard_step),
                                    NUMBERS(ctk_closure, guard_scale),
                                    STRINGS(ctk_closure, step_names),
                                    STRINGS(ctk_closure, step_joints),
                                    RECORD(ctk_closure, loops),
                                    END};
static const member of_initial[] = {INT(ctk_initial, n),
                                    INT(ctk_initial, m),
                                    INT(ctk_initial, n_bodies),
                                    INT(ctk_initial, n_guards),
                                    INT(ctk_initial, n_conditions),
                                    INT(ctk_initial, n_joints),
                                    INT(ctk_initial, uses_inputs),
                                    INTS(ctk_initial, is_angle),
                                    INTS(ctk_initial, is_held),
                                    INTS(ctk_initial, has_rate),
                                    INTS(ctk_initial, row_power),
                                    INTS(ctk_initial, joint_bodies),
                                    INTS(ctk_initial, given_in),
                                    INTS(ctk_initial, guard_at),
                                    INTS(ctk_initial, guard_turns),
                                    INTS(ctk_initial, guard_proper),
                                    INTS(ctk_initial, unit_power),
                                    INTS(ctk_initial, row_unit_power),
                                    INTS(ctk_initial, condition_power),
                                    STRINGS(ctk_initial, row_names),
                                    STRINGS(ctk_initial, condition_names),
                                    END};
#undef END
#undef STRING
#undef INT
#undef INTS
#undef NUMBERS
#undef STRINGS
#undef RECORD

// Members that are functions.
static const struct {
    const char *record, *member;
} functions[CT_MODEL_FUNCTION_COUNT] = {
#define X(name, record, member) {#record, #member},
    CT_MODEL_FUNCTIONS(X)
#undef X
};

// arrays ------------------------------------------------------------------------------------------
static const int *read_ints(ct_reader *r) {
    int *x = NULL, n = 0, room = 0;
    do *CT_PUSH(x, n, room) = (int)ct_reader_need_number(r);
    while (ct_reader_take_sign(r, ','));
    return x;
}

static const double *read_numbers(ct_reader *r) {
    double *x = NULL;
    int n = 0, room = 0;
    do *CT_PUSH(x, n, room) = ct_reader_need_number(r);
    while (ct_reader_take_sign(r, ','));
    return x;
}

static const char *read_string(ct_reader *r) {
    ct_token t = ct_reader_token(r);
    if (t.kind != CT_TOKEN_STRING) {
        ct_reader_fail(r);
        return "";
    }
    r->at++;
    return ct_strdup(r->tokens.string[t.value]);
}

static const char *const *read_strings(ct_reader *r) {
    const char **x = NULL;
    int n = 0, room = 0;
    do *CT_PUSH(x, n, room) = read_string(r);
    while (ct_reader_take_sign(r, ','));
    return x;
}

// {at, {axis, axis, axis}, inverse, in_root, followed}, ...
static const ctk_rotation *read_rotations(ct_reader *r) {
    ctk_rotation *x = NULL;
    int n = 0, room = 0;
    do {
        enum { NUMBERS = 7 };
        int number[NUMBERS];
        ct_reader_need_sign(r, '{');
        for (int i = 0; i < NUMBERS; i++) {
            if (i) ct_reader_need_sign(r, ',');
            if (i == 1) ct_reader_need_sign(r, '{');
            number[i] = (int)ct_reader_need_number(r);
            if (i == 3) ct_reader_need_sign(r, '}');
        }
        ct_reader_need_sign(r, '}');
        *CT_PUSH(x, n, room) = (ctk_rotation){
            number[0], {number[1], number[2], number[3]}, number[4], number[5], number[6]};
    } while (ct_reader_take_sign(r, ','));
    return x;
}

// {n, unknowns, rows, function}, ... or {0, 0, 0, 0} where there is none
static void read_loops(scan *x) {
    ct_reader *r = x->r;
    ct_reader_names *names = x->names;
    int n_names = 0;
    do {
        ctk_loop loop = {0};
        ct_reader_need_sign(r, '{');
        loop.n = (int)ct_reader_need_number(r);
        int part[3] = {-1, -1, -1};
        for (int i = 0; i < 3; i++) {
            ct_reader_need_sign(r, ',');
            if (loop.n)
                part[i] = ct_reader_need_name(r);
            else
                ct_reader_need_number(r);
        }
        ct_reader_need_sign(r, '}');
        if (loop.n) {
            loop.unknown = x->found[part[0]].ints;
            loop.row = x->found[part[1]].ints;
        }
        *CT_PUSH(names->loops, names->n_loops, names->room_loops) = loop;
        *CT_PUSH(names->loop, n_names, names->room_names) = part[2];
    } while (ct_reader_take_sign(r, ','));
}

// {n, periodic, x, a}: a table of a spline
static void read_table(scan *x, int name) {
    ct_reader *r = x->r;
    ct_machine_table t = {.n = (int)ct_reader_need_number(r)};
    ct_reader_need_sign(r, ',');
    t.periodic = (int)ct_reader_need_number(r);
    ct_reader_need_sign(r, ',');
    t.x = x->found[ct_reader_need_name(r)].numbers;
    ct_reader_need_sign(r, ',');
    t.a = x->found[ct_reader_need_name(r)].numbers;
    if (!t.x || !t.a) ct_reader_fail(r);
    *CT_PUSH(r->machine->tables, x->n_tables, x->room_tables) = t;
    r->table_of[name] = x->n_tables;
}

// records -----------------------------------------------------------------------------------------
static bool read_function(scan *x, const char *record, const char *name) {
    for (int i = 0; i < CT_MODEL_FUNCTION_COUNT; i++)
        if (!strcmp(functions[i].record, record) && !strcmp(functions[i].member, name)) {
            x->names->function[i] = ct_reader_need_name(x->r);
            return true;
        }
    return false;
}

static void read_member(scan *x, const member *m, char *record) {
    ct_reader *r = x->r;
    void *to = record + m->at;
    if (m->kind == OF_INT) {
        *(int *)to = (int)ct_reader_need_number(r);
        return;
    }
    if (m->kind == OF_STRING) {
        *(const char **)to = read_string(r);
        return;
    }
    ct_reader_take_sign(r, '&');
    const found *f = x->found + ct_reader_need_name(r);
    const void *from = m->kind == OF_INTS      ? (const void *)f->ints
                       : m->kind == OF_NUMBERS ? (const void *)f->numbers
                       : m->kind == OF_STRINGS ? (const void *)f->strings
                                               : f->record;
    if (!from) ct_reader_fail(r);
    memcpy(to, &from, sizeof from);
}

// .member = value, ...
static void read_record(scan *x, const char *kind, const member *members, void *record, found *f) {
    ct_reader *r = x->r;
    f->record = record;
    while (!r->failed && ct_reader_take_sign(r, '.')) {
        const char *name = r->tokens.name[ct_reader_need_name(r)];
        ct_reader_need_sign(r, '=');
        const member *m = members;
        while (m->name && strcmp(m->name, name)) m++;
        if (m->name)
            read_member(x, m, record);
        else if (!read_function(x, kind, name))
            ct_reader_fail(r);
        ct_reader_take_sign(r, ',');
    }
}

// the text ----------------------------------------------------------------------------------------
// The type, the name and the content of an array or a record; the current token is behind `const`.
static void read_definition(scan *x) {
    ct_reader *r = x->r;
    ct_machine *m = r->machine;
    // type and name
    const char *type = r->tokens.name[ct_reader_need_name(r)];
    if (ct_reader_take_sign(r, '*') && !ct_reader_take_word(r, CT_WORD_CONST)) ct_reader_fail(r);
    int name = ct_reader_need_name(r);
    found *f = x->found + name;
    if (ct_reader_is_sign(r, '[')) ct_reader_skip_group(r);
    ct_reader_need_sign(r, '=');
    ct_reader_need_sign(r, '{');
    // the content: arrays, tables of splines, records
    if (!strcmp(type, "int"))
        f->ints = read_ints(r);
    else if (!strcmp(type, "double"))
        f->numbers = read_numbers(r);
    else if (!strcmp(type, "char"))
        f->strings = read_strings(r);
    else if (!strcmp(type, "table"))
        read_table(x, name);
    else if (!strcmp(type, "ctk_rotation"))
        f->record = read_rotations(r);
    else if (!strcmp(type, "ctk_loop")) {
        read_loops(x);
        f->record = x->names->loops;
    } else if (!strcmp(type, "ctk_closure"))
        read_record(x, "closure", of_closure, &m->closure, f);
    else if (!strcmp(type, "ctk_initial"))
        read_record(x, "initial", of_initial, &m->initial, f);
    else if (!strcmp(type, "ctk_wrenches"))
        read_record(x, "wrenches", of_wrenches, &m->wrenches, f);
    else if (!strcmp(type, "ctk_model"))
        read_record(x, "model", of_model, &m->model, f);
    else
        ct_reader_fail(r);
    ct_reader_need_sign(r, '}');
    ct_reader_need_sign(r, ';');
}

// How far the text goes into each array: name[number], and name[i] below the end of its loop.
static void note_length(ct_reader *r, int *end) {
    const ct_token *t = r->tokens.token + r->at;
    if (t[0].kind == CT_TOKEN_SIGN && t[0].value == '<' && t[1].kind == CT_TOKEN_NUMBER)
        *end = (int)r->tokens.number[t[1].value];
    if (t[0].kind != CT_TOKEN_NAME || t[1].kind != CT_TOKEN_SIGN || t[1].value != '[') return;
    int n = t[2].kind == CT_TOKEN_NUMBER ? (int)r->tokens.number[t[2].value] + 1 : *end;
    if (n > r->longest[t[0].value]) r->longest[t[0].value] = n;
}

// static [CT_PART] type name(arguments) { ... }; the current token is at the type.
static void find_function(ct_reader *r) {
    int name = -1, end = 0;
    while (!ct_reader_is_sign(r, '(') && !r->failed) name = ct_reader_need_name(r);
    int head = r->at + 1;
    ct_reader_skip_group(r);
    if (!ct_reader_is_sign(r, '{')) ct_reader_fail(r);
    if (r->failed || name < 0) return;
    int body = r->at + 1;
    *CT_PUSH_SCRATCH(r->functions, r->n_functions, r->room_functions) =
        (ct_source_function){name, head, body};
    r->function_of[name] = r->n_functions;
    ct_reader_skip_group(r);
    for (int after = r->at, i = body; i < after && !r->failed; i++) {
        r->at = i;
        note_length(r, &end);
        r->at = after;
    }
}

void ct_reader_tables(ct_reader *r, ct_reader_names *names) {
    scan x = {.r = r, .names = names};
    x.found = ct_scratch((size_t)r->tokens.n_names, sizeof *x.found);
    for (int i = 0; i < CT_MODEL_FUNCTION_COUNT; i++) names->function[i] = -1;
    while (ct_reader_token(r).kind != CT_TOKEN_END) {
        if (ct_reader_take_word(r, CT_WORD_TYPEDEF)) {
            // the record of a spline, which is the machine's own
            while (!ct_reader_is_sign(r, '{') && !r->failed) ct_reader_need_name(r);
            ct_reader_skip_group(r);
            ct_reader_need_name(r);
            ct_reader_need_sign(r, ';');
            continue;
        }
        ct_reader_take_word(r, CT_WORD_STATIC);
        if (ct_reader_take_word(r, CT_WORD_CONST))
            read_definition(&x);
        else
            find_function(r);
    }
}
