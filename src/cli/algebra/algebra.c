// The course of a command of the algebra.
#include "algebra/algebra.h"
#include "output/output.h"

int algebra_run(const algebra_task *task, const arguments *a) {
    session s = {.ctx = ct_context_new()};
    output o;
    void *result = NULL;
    // a target that cannot be written is told before anything is computed
    int code = output_check(a->output, a->file);
    if (code) {
        ct_context_free(s.ctx);
        return code;
    }
    ct_status status = task->compute(&s, a, &result);
    // the result to the target; JSON to stdout, where it is alone
    if (status == CT_OK && (a->output || !a->json)) {
        code = output_open(&o, a->output);
        if (!code) {
            task->write(o.file, a, result);
            code = output_commit(&o);
        }
    }
    if (status == CT_OK && !code && a->json) task->write_json(result);
    if (status == CT_OK && !code) task->summarise(a, result);
    task->release(result);
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
