// Reactions of joints as C: one function for the equations A x = b, one for the columns y(x), and
// tables that say how x is eliminated (ctk_wrenches.h).
#include "emit/emit_inside.h"
#include "emit/wrenches.h"
#include "formulate/whole_rotation.h"
#include "util/text/csv.h"

#include <stdio.h>
#include <string.h>

#define MOTION                                                                                     \
    "const double *restrict c, double t, const double *restrict q, const double *restrict qd,\n"   \
    "                          const double *restrict qdd, const double *restrict u,\n"            \
    "                          "

static void name_symbols(ct_emitter *e, const ct_reactions *r) {
    char text[64];
    ct_emitter_name_symbols(e);
    for (int k = 0; k < e->f->n; k++) {
        snprintf(text, sizeof text, "qdd[%d]", k);
        ct_writer_name(e->w, r->qdd[k], text);
    }
    for (int k = 0; k < r->n_unknowns; k++) {
        snprintf(text, sizeof text, "x[%d]", k);
        ct_writer_name(e->w, r->unknown[k], text);
    }
    for (int k = 0; k < r->n_common; k++) {
        snprintf(text, sizeof text, "v[%d]", k);
        ct_writer_name(e->w, r->common[k].symbol, text);
    }
}

// Equations that code has: of a tree without unknowns none, columns follow from the motion.
static int n_emitted(const ct_reactions *r) {
    return r->n_unknowns || r->n_frictions ? r->n_equations : 0;
}

// Columns, least or not, and the numbers behind them.
static void column_targets(ct_emitter *e, const ct_reactions *r, const ct_ex *column) {
    for (int i = 0; i < r->groups.n_columns; i++) ct_emitter_target(e, "y", i, column[i]);
    for (int i = 0; i < r->n_more; i++)
        ct_emitter_target(e, "y", r->groups.n_columns + i, r->more[i]);
}

static void functions(ct_emitter *e, const ct_reactions *r) {
    for (int i = 0; i < r->n_entries; i++) ct_emitter_target(e, "a", i, r->entries[i].value);
    for (int i = 0; i < n_emitted(r); i++) ct_emitter_target(e, "b", i, r->right[i]);
    for (int i = 0; i < r->n_common; i++) ct_emitter_target(e, "v", i, r->common[i].value);
    ct_emitter_function(e,
                        "wrench_system(" MOTION "double *restrict a, double *restrict b, "
                        "double *restrict v)",
                        "c t q qd qdd u a b v", NULL);
    column_targets(e, r, r->column);
    ct_emitter_function(e,
                        "wrench_columns(" MOTION "const double *restrict v, const double *restrict "
                        "x, double *restrict y)",
                        "c t q qd qdd u v x y", NULL);
    if (!r->n_loose) return;
    column_targets(e, r, r->least);
    for (int i = 0; i < r->n_loose; i++) ct_emitter_target(e, "share", i, r->share[i]);
    ct_emitter_function(e,
                        "wrench_least(" MOTION "const double *restrict v, const double *restrict "
                        "x, double *restrict y, double *restrict share)",
                        "c t q qd qdd u v x y share", NULL);
}

static const char **names_of(const ct_reaction_groups *groups) {
    const char **names = ct_scratch((size_t)groups->n_columns + 1, sizeof *names);
    for (int i = 0; i < groups->n; i++) {
        const ct_reaction_group *g = groups->item + i;
        for (int k = 0; k < g->n; k++)
            names[g->first + k] =
                ct_scratch_format("%s.%s", g->name, ct_reaction_column_name(g, k));
    }
    return names;
}

ctk_wrenches ct_wrenches_of(const ct_reactions *r) {
    const ct_reaction_groups *groups = &r->groups;
    int *row = ct_scratch((size_t)r->n_entries + 1, sizeof *row),
        *column = ct_scratch((size_t)r->n_entries + 1, sizeof *column),
        *first = ct_scratch((size_t)groups->n + 1, sizeof *first);
    const char **names = ct_scratch((size_t)groups->n + 1, sizeof *names);
    // where entries stand; groups with their first columns
    for (int i = 0; i < r->n_entries; i++) {
        row[i] = r->entries[i].row;
        column[i] = r->entries[i].column;
    }
    for (int i = 0; i < groups->n; i++) {
        names[i] = groups->item[i].name;
        first[i] = groups->item[i].first;
    }
    first[groups->n] = groups->n_columns;
    return (ctk_wrenches){.n_unknowns = r->n_unknowns,
                          .n_equations = r->n_equations,
                          .n_entries = r->n_entries,
                          .n_columns = groups->n_columns,
                          .n_efforts = groups->n_efforts,
                          .n_more = r->n_more,
                          .n_fronts = r->n_fronts,
                          .entry_row = row,
                          .entry_column = column,
                          .equation_power = r->equation_power,
                          .unknown_power = r->unknown_power,
                          .column_power = r->column_power,
                          .fronts = ct_reactions_list_fronts(r, NULL),
                          .column_names = names_of(groups),
                          .n_frictions = r->n_frictions,
                          .friction_column = r->friction_column,
                          .n_groups = groups->n,
                          .group_names = names,
                          .group_first = first,
                          .n_loose = r->n_loose,
                          .n_common = r->n_common};
}

static ctk_wrenches emitted(const ct_reactions *r) {
    ctk_wrenches w = ct_wrenches_of(r);
    w.n_equations = n_emitted(r);
    return w;
}

// The tables of the record, then the record with them; how it begins, and ends, is the caller's.
static void tables(ct_text *out, const ct_reactions *r, const char *record) {
    const ctk_wrenches tables = emitted(r), *w = &tables;
    int n_fronts;
    ct_reactions_list_fronts(r, &n_fronts);
    // tables
#define PASS(...)
#define INTS(member, n)    ct_emit_ints(out, "wrench_" #member, n, w->member);
#define STRINGS(member, n) ct_emit_strings(out, "wrench_" #member, n, w->member);
    CT_WRENCH_MEMBERS(PASS, INTS, STRINGS)
#undef PASS
#undef INTS
#undef STRINGS
    // the record
    ct_text_printf(out, "%s = {\n", record);
#define INT(member)      ct_text_printf(out, "    .%s = %d,\n", #member, w->member);
#define ARRAY(member, n) ct_text_printf(out, "    .%s = wrench_%s,\n", #member, #member);
    CT_WRENCH_MEMBERS(INT, ARRAY, ARRAY)
#undef INT
#undef ARRAY
    ct_text_add(out, "    .system = wrench_system,\n    .columns = wrench_columns,\n");
    if (r->n_loose) ct_text_add(out, "    .least = wrench_least,\n");
}

static ct_reactions *reactions_of(const ct_emit_input *in) {
    ct_reactions *r = ct_reactions_build(in->f, in->drives);
    ct_reactions_share(r, in->f->pool);
    return r;
}

// The equations, in functions.
static const ct_reactions *write_system(ct_emitter *e) {
    const ct_reactions *r = reactions_of(e->in);
    // vectors of rotations that the reactions have met
    if (e->f->n_integrated) {
        ct_substitution_free(e->meanings);
        e->meanings = ct_whole_rotation_meanings(e->f);
    }
    name_symbols(e, r);
    functions(e, r);
    return r;
}

void ct_emit_reactions(ct_emitter *e) {
    tables(&e->body, write_system(e), "static const ctk_wrenches wrenches");
    ct_text_add(&e->body, "};\n\n");
}

// in files of their own -----------------------------------------------------------------------------
static char *header_of(const char *name, const ct_reaction_code *code, int numbers) {
    const char *upper = ct_emit_upper(name, "_REACTIONS");
    return ct_format(
        "/* Reactions of the joints, for ctk_joint_forces of ctk.h. */\n#ifndef %s_H\n#define "
        "%s_H\n\n"
        "#include \"ctk.h\"\n\n"
        "/* columns, numbers of y, memory */\n"
        "enum { %s_COLUMNS = %d, %s_NUMBERS = %d, %s_DOUBLES = %lu, %s_INTS = %lu };\n\n"
        "extern const ctk_wrenches %s_reactions;\n\n#endif\n",
        upper, upper, upper, code->n_columns, upper, numbers, upper, (unsigned long)code->doubles,
        upper, (unsigned long)code->ints, name);
}

void ct_emit_wrench_shape(const ct_emit_input *in, ctk_wrenches *shape) {
    *shape = emitted(reactions_of(in));
}

// Memory of the kernel: a record with its sizes is enough to ask it.
static void memory(const ct_reactions *r, int n_constants, ct_reaction_code *out) {
    ctk_wrenches shape = emitted(r);
    shape.n_constants = n_constants;
    out->doubles = ctk_joint_forces_doubles(&shape);
    out->ints = ctk_joint_forces_ints(&shape);
}

void ct_emit_reaction_files(const ct_emit_input *in, ct_reaction_code *out) {
    ct_emitter e = {.in = in, .f = in->f, .w = ct_writer_new(in->f->pool)};
    ct_text constants = {0};
    char length[64];
    if (in->f->n_integrated) e.meanings = ct_whole_rotation_meanings(in->f);
    // functions; the length; constants, which all of these have met
    const ct_reactions *r = write_system(&e);
    ct_emit_length(e.w, in->f, length, sizeof length);
    ct_text_printf(
        &e.body, "static double length_of(const double *c)\n{\n    (void)c;\n    return %s;\n}\n\n",
        length);
    int n_constants = ct_emit_constants(e.w, in->f->pool, in->f->model, "constants", &constants);
    ct_text_add(&e.body, constants.s);
    tables(&e.body, r, ct_scratch_format("const ctk_wrenches %s_reactions", in->name));
    ct_text_printf(&e.body,
                   "    .n_constants = %d,\n    .constants = constants,\n"
                   "    .length = length_of,\n};\n",
                   n_constants);
    // the file from its top
    ct_text_add(&e.out, "/* Reactions of the joints of ");
    ct_c_comment(&e.out, in->f->model->name);
    ct_text_printf(&e.out,
                   ": equations A x = b and columns y(x), see ctk_wrenches.h.\n"
                   " * For version %s of the kernel. Generated code carries no licence. */\n"
                   "#include \"%s_reactions.h\"\n\n#include <math.h>\n\n",
                   CTK_VERSION, in->name);
    ct_emit_parts(&e);
    ct_emit_splines(&e, &e.out);
    ct_text_add(&e.out, e.body.s);
    // sizes and names
    *out = (ct_reaction_code){.n_columns = r->groups.n_columns, .n_groups = r->groups.n};
    out->columns = names_of(&r->groups);
    memory(r, n_constants, out);
    out->source = ct_text_take(&e.out);
    out->header = header_of(in->name, out, r->groups.n_columns + r->n_more);
    ct_text_clear(&constants);
    ct_text_clear(&e.body);
    ct_writer_free(e.w);
    ct_substitution_free(e.meanings);
    ct_free(e.targets);
}

// `--reactions` of the program ------------------------------------------------------------------------
static const char option_functions[] =
    "/* reactions: the columns that are asked for, and memory for them */\n"
    "static int selected[REACTION_COLUMNS + 1], n_selected, reaction_ints[REACTION_INTS];\n"
    "static double reaction_doubles[REACTION_DOUBLES];\n"
    "static ctk_joint_forces reactions;\n\n"
    "/* Columns of all joints, couplings and motions, or of those in a list; returns 0 if there is "
    "no such name. */\n"
    "static int select_reactions(const char *list)\n"
    "{\n"
    "    int wanted[GROUPS + 1] = {0}, i, k, all = !*list;\n"
    "    while (*list) {\n"
    "        const size_t length = strcspn(list, \",\");\n"
    "        int found = 0;\n"
    "        for (i = 0; i < GROUPS; i++)\n"
    "            if (!strncmp(REACTIONS.group_names[i], list, length) && "
    "!REACTIONS.group_names[i][length])\n"
    "                wanted[i] = found = 1;\n"
    "        if (!found) {\n"
    "            fprintf(stderr, \"--reactions: no joint, coupling or motion is called "
    "'%.*s'\\n\", "
    "(int)length, list);\n"
    "            return 0;\n"
    "        }\n"
    "        list += length;\n"
    "        list += *list == ',';\n"
    "    }\n"
    "    n_selected = 0;\n"
    "    for (i = 0; i < GROUPS; i++)\n"
    "        for (k = REACTIONS.group_first[i]; (all || wanted[i]) && k < REACTIONS.group_first[i "
    "+ "
    "1]; k++)\n"
    "            selected[n_selected++] = k;\n"
    "    return 1;\n"
    "}\n\n"
    "/* Takes `--reactions [NAMES]` out of the arguments; returns how many are left, -1: a name is "
    "wrong. */\n"
    "static int read_reactions(int argc, char **argv)\n"
    "{\n"
    "    static const char option[] = \"--reactions\";\n"
    "    const size_t length = sizeof option - 1;\n"
    "    int i, left = 1;\n"
    "    for (i = 1; i < argc; i++) {\n"
    "        const char *list = \"\";\n"
    "        char *end;\n"
    "        if (strncmp(argv[i], option, length) || (argv[i][length] && argv[i][length] != '=')) "
    "{\n"
    "            argv[left++] = argv[i];\n"
    "            continue;\n"
    "        }\n"
    "        if (argv[i][length]) {\n"
    "            list = argv[i] + length + 1;\n"
    "        } else if (i + 1 < argc && !strchr(argv[i + 1], '=')) {\n"
    "            /* a list of names, unless it is a number: the time */\n"
    "            strtod(argv[i + 1], &end);\n"
    "            if (*end)\n"
    "                list = argv[++i];\n"
    "        }\n"
    "        if (!select_reactions(list))\n"
    "            return -1;\n"
    "    }\n"
    "    return left;\n"
    "}\n\n"
    "/* Says which joints redundant constraints leave open; seen: columns that count, or NULL. */\n"
    "static void warn(const ctk_joint_forces *forces, const int *seen)\n"
    "{\n"
    "    const int n = ctk_joint_forces_redundant(forces);\n"
    "    int i, k, any = 0;\n"
    "    for (i = REACTIONS.n_efforts; i < GROUPS; i++) {\n"
    "        int open = !seen;\n"
    "        for (k = REACTIONS.group_first[i]; seen && k < REACTIONS.group_first[i + 1]; k++)\n"
    "            open = open || (seen[k] && !forces->is_unique[k]);\n"
    "        if (!open || !forces->is_stressed[i])\n"
    "            continue;\n"
    "        fprintf(stderr, \"%s'%s'\", any ? \", \" : \"warning: reactions of \", "
    "REACTIONS.group_names[i]);\n"
    "        any = 1;\n"
    "    }\n"
    "    if (any)\n"
    "        fprintf(stderr, \" are not unique (%d redundant constraint%s): only their sum "
    "is\\n\", "
    "n, n == 1 ? \"\" : \"s\");\n"
    "}\n\n";

// Names of the columns of reactions, quoted for the CSV, and the columns that outputs read.
void ct_emit_reaction_option(ct_text *out, const ct_emit_input *in, const ct_reaction_code *r) {
    const ct_model *m = in->f->model;
    const ct_reaction_groups groups = ct_reaction_groups_of(m, in->drives);
    const char **names = ct_scratch((size_t)r->n_columns + 1, sizeof *names);
    int *reads = ct_scratch((size_t)r->n_columns + 1, sizeof *reads);
    // names for the first line
    for (int i = 0; i < r->n_columns; i++) {
        char *field = ct_scratch(2 * strlen(r->columns[i]) + 3, 1);
        ct_csv_quote(r->columns[i], field);
        names[i] = field;
    }
    // what outputs read
    for (int i = 0; i < m->n_probes; i++) {
        const ct_probe *p = m->probes + i;
        int column = p->kind == CT_PROBE_REACTION ? ct_reaction_column(&groups, p, in->drives) : -1;
        if (column >= 0) reads[column] = 1;
    }
    // tables, then the functions
    ct_emit_strings(out, "reaction_header", r->n_columns, names);
    ct_emit_ints(out, "reads", r->n_columns, reads);
    ct_text_add(out, "\n");
    ct_text_add(out, option_functions);
}
