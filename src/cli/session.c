// Begin and end of every command: the model is read and formulated, messages are printed.
#include "cli.h"
#include "output/progress.h"
#include "../util/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void session_messages(session *s) {
    for (int i = 0; i < ct_message_count(s->ctx); i++)
        fprintf(stderr, "%s\n", ct_message(s->ctx, i));
    ct_messages_clear(s->ctx);
}

double session_seconds(const session *s) {
    return ct_seconds() - s->start;
}

ct_status session_read(session *s, const char *file, const arguments *a) {
    ct_status status = ct_model_read(s->ctx, file, a->set.n, a->set.item, &s->model);
    for (int i = 0; !status && i < a->input.n; i++)
        status = ct_input_expression(s->ctx, s->model, a->input.item[i]);
    if (!status && a->inputs) status = ct_input_file(s->ctx, s->model, a->inputs, a->hold);
    return status;
}

// Operations of one step, with parameters as numbers (fold) or as symbols. Returns INFINITY if that
// cannot be told: the command itself says why.
static double count_operations(const arguments *a, bool fold) {
    session s = {.ctx = ct_context_new()};
    ct_close_info *info = NULL;
    if (!s.ctx) return INFINITY;
    ct_set_fold(s.ctx, fold);
    progress_begin(s.ctx, a, true);
    ct_status status = session_read(&s, a->file, a);
    if (!status) status = ct_formulate(s.ctx, s.model, a->rule, &s.system);
    if (!status) status = ct_close_describe(s.ctx, s.system, 0, NULL, &info);
    progress_end(s.ctx);
    double count = status ? INFINITY : info->positions.total + info->dynamics.total;
    ct_close_info_free(info);
    ct_messages_clear(s.ctx);
    session_close(&s, CT_OK);
    return count;
}

// Numbers in the place of parameters take away terms that vanish, but also what products of lengths
// have in common. They stay where the code gets no longer.
static bool is_shorter_folded(const arguments *a) {
    return !(count_operations(a, false) < count_operations(a, true));
}

typedef ct_status formulate_fn(ct_context *ctx, const ct_model *model, const char *rule,
                               ct_system **system);

static ct_status open_by(session *s, const arguments *a, const char *rule,
                         formulate_fn *formulate) {
    *s = (session){.ctx = ct_context_new(), .start = ct_seconds()};
    if (!s->ctx) return CT_NO_MEMORY;
    ct_set_fold(s->ctx, a->fold && is_shorter_folded(a));
    progress_begin(s->ctx, a, true);
    ct_status status = session_read(s, a->file, a);
    if (status == CT_OK) status = ct_cache_check(s->ctx);
    if (a->budget > 0) ct_set_budget(s->ctx, a->budget);
    if (status == CT_OK) status = formulate(s->ctx, s->model, rule, &s->system);
    progress_end(s->ctx);
    return status;
}

static ct_status tell(session *s, ct_status status) {
    if (status == CT_OK) session_messages(s);
    return status;
}

ct_status session_open(session *s, const arguments *a) {
    return tell(s, open_by(s, a, a->written_rule ? a->written_rule : a->rule, ct_formulate));
}

ct_status session_open_positions(session *s, const arguments *a) {
    return tell(s, open_by(s, a, a->rule, ct_formulate_positions));
}

ct_status session_open_aside(session *s, const arguments *a, const char *rule) {
    ct_status status = open_by(s, a, rule, ct_formulate);
    if (s->ctx) ct_messages_clear(s->ctx);
    return status;
}

int exit_code(ct_status status) {
    return status == CT_INTERRUPTED ? EXIT_INTERRUPTED
           : status == CT_NO_MEMORY ? CT_INTERNAL
                                    : (int)status;
}

int session_close(session *s, ct_status status) {
    bool explained = s->ctx && ct_message_count(s->ctx) > 0;
    if (s->ctx) session_messages(s);
    if (status == CT_NO_MEMORY && !explained)
        fputs("cotree: error: out of memory\n", stderr);
    else if (status != CT_OK && status != CT_INTERRUPTED && !explained)
        fprintf(stderr, "cotree: error: failed without a message (status %d)\n", (int)status);
    if (s->system) ct_system_free(s->system);
    if (s->model) ct_model_free(s->model);
    if (s->ctx) ct_context_free(s->ctx);
    return exit_code(status);
}
