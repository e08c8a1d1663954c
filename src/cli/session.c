// Begin and end of every command: the model is read and formulated, messages are printed.
#include "cli.h"
#include "output/progress.h"
#include "../util/system.h"

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

ct_status session_open(session *s, const arguments *a) {
    *s = (session){.ctx = ct_context_new(), .start = ct_seconds()};
    if (!s->ctx) return CT_NO_MEMORY;
    ct_set_fold(s->ctx, a->fold);
    progress_begin(s->ctx, a, true);
    ct_status status = session_read(s, a->file, a);
    if (status == CT_OK) status = ct_cache_check(s->ctx);
    if (status == CT_OK) status = ct_formulate(s->ctx, s->model, a->rule, &s->system);
    progress_end(s->ctx);
    if (status == CT_OK) session_messages(s);
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
