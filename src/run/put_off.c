// Formulations that wait. Of a model that was formulated before, by an earlier run, it is known what
// that says and which columns its results have (run/kept/). Its equations are written when they are
// needed; a run that finds all of its own kept does not need them.
#include "run/code/compile.h"
#include "run/kept/prepared.h"
#include "run/system.h"
#include "run/trees/trees.h"

#include <string.h>

ct_system *ct_system_put_off(const ct_model *model, const char *rule, ct_formulate_what what,
                             ct_system *before) {
    ct_system *s = ct_region_new(sizeof *s);
    s->model = model;
    s->first = model->put_off;
    s->what = what;
    s->asked = rule != NULL;
    s->rule = rule ? rule : model->has_trees ? "given" : "joint";
    s->content = model->content;
    s->waits = true;
    s->nodes = ct_pool_size(model->pool);
    s->before = before;
    ct_region_close(&s->memory.region);
    return s;
}

ct_status ct_system_need(ct_context *ctx, ct_system *s) {
    if (!s->waits) return CT_OK;
    ct_status status = s->before ? ct_system_need(ctx, s->before) : CT_OK;
    if (status) return status;
    // it has said before what there is to say, unless other values could be formulated
    const bool says = s->has_file_key && !s->before;
    ct_context *quiet = ct_context_quiet(ctx);
    ct_region *equations = ct_region_new(sizeof *equations);
    status = ct_system_write(says ? ctx : quiet, s);
    ct_region_close(equations);
    ct_context_free(quiet);
    if (status && says) return status;
    if (status)
        return ct_fail(ctx, CT_INTERNAL, "the model could be formulated before, and cannot now");
    // the equations belong to the system, whoever asked for them
    ct_region_open(&s->memory.region);
    ct_region_keep(equations);
    ct_region_close(&s->memory.region);
    s->waits = false;
    return CT_OK;
}

static CT_BELOW ct_status settle(ct_building *b) {
    ct_load_settle(b);
    return CT_OK;
}

static ct_status settle_in_call(ct_building *b) {
    CT_CALL(NULL, NULL, settle(b));
}

void ct_system_settle(ct_system *s) {
    ct_building *b = s->building;
    // for the next run; without memory it is stopped
    if (b && (s->memory.broken || settle_in_call(b))) ct_building_free(b);
    s->building = NULL;
}

bool ct_system_is_fresh(const ct_system *s) {
    return s->has_key && !s->ran && !s->assembled && !s->closed &&
           ct_pool_size(s->model->pool) == s->nodes;
}

ct_status ct_system_all(ct_context *ctx, ct_system *s, ct_system **all) {
    const char *rule = strcmp(s->rule, "given") ? s->rule : NULL;
    bool fresh = ct_system_is_fresh(s);
    ct_status status = CT_OK;
    if (s->waits && fresh)
        *all = ct_system_put_off(s->model, rule, CT_FORMULATE_ALL_COORDINATES, s);
    else
        status = ct_system_need(ctx, s);
    if (!status && !*all)
        status = ct_system_new(ctx, s->model, rule, CT_FORMULATE_ALL_COORDINATES, all);
    if (status) return status;
    // columns have the same names; what is kept of it has a key of its own kind
    for (int i = 0; i < s->columns[1].n && (*all)->waits; i++)
        ct_strings_add(&(*all)->columns[1], ct_strdup(s->columns[1].item[i]));
    (*all)->has_key = fresh;
    (*all)->key = s->key;
    (*all)->has_file_key = fresh && s->has_file_key;
    (*all)->file_key = s->file_key;
    (*all)->nodes = ct_pool_size(s->model->pool);
    s->ran = true;
    return CT_OK;
}

// Formulates what waits before anything else is formulated for this model.
static ct_status make_up(ct_context *ctx, const ct_model *model) {
    ct_put_off *first = model->put_off;
    if (first->system) return ct_system_need(ctx, first->system);
    if (!first->owed) return CT_OK;
    ct_system *s;
    ct_context *quiet = ct_context_quiet(ctx);
    ct_status status = ct_system_new(quiet, model, first->rule, CT_FORMULATE_ALL, &s);
    ct_system_free(s);
    ct_context_free(quiet);
    first->owed = false;
    return status;
}

// A system without its equations, of which the rest is known.
static ct_system *wait(const ct_model *model, const char *rule, ct_digest key,
                       const ct_kept_system *kept) {
    ct_system *s = ct_system_put_off(model, ct_rule_name(rule), CT_FORMULATE_ALL, NULL);
    s->key = key;
    s->has_key = true;
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < kept->n_names[kind]; i++)
            ct_strings_add(&s->columns[kind], ct_strdup(kept->names[kind][i]));
    *model->put_off = (ct_put_off){
        .system = s, .rule = s->asked ? s->rule : NULL, .nodes = model->put_off->nodes};
    return s;
}

// The system as an earlier run has left it, without its equations. Returns false if nothing is kept
// of it.
static bool find_kept(ct_context *ctx, const ct_model *model, const char *rule, ct_digest key,
                      ct_system **system) {
    ct_kept_system kept;
    if (!ct_kept_system_read(key, &kept)) return false;
    *system = wait(model, rule, key, &kept);
    ct_said_again(&kept.said, ctx);
    return true;
}

// What is kept of the file as it is, without --set; where nothing is, it is formulated.
static bool find_file(ct_context *ctx, const ct_model *model, const char *rule, ct_digest key,
                      ct_kept_system *kept) {
    if (ct_kept_system_read(key, kept)) return true;
    ct_model *plain = NULL;
    ct_system *s = NULL;
    ct_context *quiet = ct_context_quiet(ctx), *aside = ct_context_aside(ctx);
    ct_status status =
        ct_model_read_text(quiet, model->path, model->text, model->text_bytes, 0, NULL, &plain);
    if (!status) status = ct_formulate(aside, plain, rule, &s);
    // messages and names of columns
    if (!status) {
        ct_said_take(&kept->said, aside);
        for (int kind = 0; kind < 2; kind++) {
            const ct_strings *names = &s->columns[kind];
            kept->n_names[kind] = names->n;
            kept->names[kind] = ct_scratch((size_t)names->n + 1, sizeof(char *));
            for (int i = 0; i < names->n; i++)
                kept->names[kind][i] = ct_scratch_strdup(names->item[i]);
        }
    }
    ct_system_free(s);
    ct_model_free(plain);
    ct_context_free(aside);
    ct_context_free(quiet);
    return !status;
}

// A model whose values --set has changed waits, too: perhaps its runs have the code of the file's own
// (vary.c). Returns false where that cannot be: its expressions depend on values, the file is not
// silent, or a parameter is set that others decide on in the file.
static bool wait_for_values(ct_context *ctx, const ct_model *model, const char *rule, ct_digest key,
                            ct_system **system) {
    if (!model->text || model->varying_table) return false;
    for (int i = 0; i < model->n_parameters; i++)
        if (model->parameters[i].set && ct_ex_kinds(model->pool, model->parameters[i].value))
            return false;
    ct_kept_system kept = {0};
    ct_digest file = ct_kept_key(model, rule, ct_context_file(ctx), true);
    if (!find_file(ctx, model, rule, file, &kept) || kept.said.n) return false;
    *system = wait(model, rule, key, &kept);
    (*system)->has_file_key = true;
    (*system)->file_key = file;
    return true;
}

// Keeps what formulating has said, and the names of columns.
static void keep(ct_system *s, ct_digest key, const ct_context *ctx) {
    ct_kept_system kept = {0};
    ct_said_take(&kept.said, ctx);
    for (int kind = 0; kind < 2; kind++) {
        ct_columns c;
        ct_columns_init(&c, s, kind);
        ct_columns_clear(&c);
        kept.n_names[kind] = s->columns[kind].n;
        kept.names[kind] = s->columns[kind].item;
    }
    ct_kept_system_write(key, &kept);
}

// True if nothing was made of the model before.
static bool is_fresh(const ct_model *model) {
    const ct_put_off *first = model->put_off;
    return !first->system && !first->owed && ct_pool_size(model->pool) == first->nodes;
}

static CT_BELOW ct_status formulate_model(ct_context *ctx, const ct_model *model, const char *rule,
                                          ct_system **system) {
    // known from an earlier run, where nothing was made of this model before
    bool fresh = is_fresh(model);
    ct_digest key = ct_kept_key(model, rule, ct_context_file(ctx), false);
    if (fresh && wait_for_values(ctx, model, rule, key, system)) return CT_OK;
    if (fresh && find_kept(ctx, model, rule, key, system)) return CT_OK;
    // else formulated, and kept
    ct_context *aside = ct_context_aside(ctx);
    ct_status status = make_up(ctx, model);
    if (!status) status = ct_system_new(aside, model, rule, CT_FORMULATE_ALL, system);
    if (!status && fresh) {
        (*system)->key = key;
        (*system)->has_key = true;
        (*system)->nodes = ct_pool_size(model->pool);
        keep(*system, key, aside);
    }
    ct_messages_move(ctx, aside);
    ct_context_free(aside);
    return status;
}

ct_status ct_formulate(ct_context *ctx, const ct_model *model, const char *rule,
                       ct_system **system) {
    CT_CALL_MAKES(ctx, system, formulate_model(ctx, model, rule, system));
}

// positions alone ---------------------------------------------------------------------------------
// Formulates positions of a model as ct_system_new does, in a fork of it, so that expressions of its
// own do not depend on them. All of it is in a region that the caller keeps or frees.
static ct_status write_positions(ct_context *ctx, const ct_model *model, const char *rule,
                                 ct_region **region, ct_system **positions) {
    *region = ct_region_new(sizeof **region);
    ct_status status =
        ct_system_new(ctx, ct_model_fork(model), rule, CT_FORMULATE_POSITIONS, positions);
    ct_region_close(*region);
    if (status) ct_region_free(*region);
    return status;
}

// The positions belong to a system that waits, with all that the call has allocated once it is over.
static void take_positions(ct_system *s, ct_region *region, ct_system *positions) {
    s->positions = positions;
    s->positions_in = region;
}

ct_status ct_system_positions(ct_context *ctx, ct_system *s, ct_system **positions) {
    *positions = s;
    if (!s->waits) return CT_OK;
    if (s->positions) {
        // what this call changes is its own until it ends, so that it is freed if memory runs out
        ct_region_keep(s->positions_in);
    } else {
        ct_region *region;
        ct_system *own;
        // what there is to say about values of the file was said before
        ct_context *quiet = ct_context_quiet(ctx);
        ct_status status = write_positions(s->has_file_key ? ctx : quiet, s->model,
                                           s->asked ? s->rule : NULL, &region, &own);
        ct_context_free(quiet);
        if (status && s->has_file_key) return status;
        if (status)
            return ct_fail(ctx, CT_INTERNAL,
                           "the model could be formulated before, and cannot now");
        take_positions(s, region, own);
    }
    *positions = s->positions;
    return CT_OK;
}

static CT_BELOW ct_status formulate_positions(ct_context *ctx, const ct_model *model,
                                              const char *rule, ct_system **system) {
    // equations of motion that are there already serve as well
    if (!is_fresh(model)) return formulate_model(ctx, model, rule, system);
    // known from an earlier run
    ct_digest key = ct_kept_key(model, rule, ct_context_file(ctx), false);
    if (find_kept(ctx, model, rule, key, system)) return CT_OK;
    // else positions, with everything that formulating has to say
    ct_region *region;
    ct_system *positions;
    ct_context *aside = ct_context_aside(ctx);
    ct_status status = write_positions(aside, model, rule, &region, &positions);
    // messages and columns are those of the whole system, which waits
    if (!status) {
        keep(positions, key, aside);
        ct_kept_system kept = {0};
        for (int kind = 0; kind < 2; kind++) {
            kept.n_names[kind] = positions->columns[kind].n;
            kept.names[kind] = positions->columns[kind].item;
        }
        *system = wait(model, rule, key, &kept);
        take_positions(*system, region, positions);
    }
    ct_messages_move(ctx, aside);
    ct_context_free(aside);
    return status;
}

ct_status ct_formulate_positions(ct_context *ctx, const ct_model *model, const char *rule,
                                 ct_system **system) {
    CT_CALL_MAKES(ctx, system, formulate_positions(ctx, model, rule, system));
}
