// From the text of a model to its machine: tokens, tables, then the functions that they name.
#include "run/interpret/interpret.h"
#include "run/interpret/reader.h"

#include <string.h>

// Which names are functions of the C library and of the kernel.
static void name_functions(ct_reader *r) {
    // names of functions, each with its instruction or its call
    static const char *const calls[] = {
#define X(name, text, arguments) text,
        CT_KERNEL_CALLS(X)
#undef X
    };
    static const struct {
        const char *name;
        ct_instruction what;
    } library[] = {
#define X(name, function, n) {#function, CT_DO_##name},
        CT_LIBRARY(X)
#undef X
            {"fma", CT_DO_FUSED},
        {"sqrt", CT_DO_SQRT},
        {"sin", CT_DO_SIN},
        {"cos", CT_DO_COS},
        {"fabs", CT_DO_FABS}};
    // names of the text among them
    for (int i = 0; i < r->tokens.n_names; i++) {
        const char *name = r->tokens.name[i];
        for (size_t k = 0; k < sizeof library / sizeof *library; k++)
            if (!strcmp(library[k].name, name)) r->do_of[i] = 1 + (int)library[k].what;
        for (int k = 0; k < CT_KERNEL_CALL_COUNT; k++)
            if (!strcmp(calls[k], name)) r->call_of[i] = 1 + k;
    }
}

static void begin(ct_reader *r, ct_machine *m, const char *source) {
    ct_tokens_read(&r->tokens, source);
    size_t n = (size_t)r->tokens.n_names;
    r->machine = m;
    r->last = r->landed = -1;
    int **const by_name[] = {&r->function_of, &r->call_of, &r->do_of, &r->longest, &r->table_of};
    for (size_t i = 0; i < sizeof by_name / sizeof *by_name; i++)
        *by_name[i] = ct_scratch(n, sizeof(int));
    r->binding = ct_scratch(n, sizeof *r->binding);
    name_functions(r);
}

// Numbers of the text and the same with the other sign, as registers behind the constants.
static void place_numbers(ct_reader *r) {
    ct_machine *m = r->machine;
    int n = r->tokens.n_numbers;
    m->n_numbers = 2 * n;
    m->numbers = ct_alloc(2 * (size_t)n + 1, sizeof *m->numbers);
    for (int i = 0; i < n; i++) {
        m->numbers[i] = r->tokens.number[i];
        m->numbers[n + i] = -r->tokens.number[i];
    }
    m->first_number = (uint32_t)(CT_FIRST_CONSTANT + m->model.n_constants);
    m->result = m->first_number + (uint32_t)m->n_numbers;
    r->most = m->result + 1;
}

// All functions that records name.
static void translate(ct_reader *r, const ct_reader_names *names) {
    ct_machine *m = r->machine;
    for (int i = 0; i < CT_MODEL_FUNCTION_COUNT && !r->failed; i++)
        if (names->function[i] >= 0) ct_reader_translate(r, names->function[i], m->function + i);
    m->loops = ct_alloc((size_t)m->closure.n_loops + 1, sizeof *m->loops);
    if (names->n_loops < m->closure.n_loops) ct_reader_fail(r);
    // what every model has
    if (names->function[CT_FUNCTION_CONSTANTS] < 0 || names->function[CT_FUNCTION_POSITION] < 0 ||
        names->function[CT_FUNCTION_OUTPUTS] < 0)
        ct_reader_fail(r);
    for (int i = 0; i < m->closure.n_loops && !r->failed; i++)
        ct_reader_translate(r, names->loop[i], m->loops + i);
}

// What was read stays with the machine.
static void keep(ct_reader *r) {
    ct_machine *m = r->machine;
    m->code = ct_alloc((size_t)r->n_code + 1, sizeof *m->code);
    if (r->n_code) memcpy(m->code, r->code, (size_t)r->n_code * sizeof *m->code);
    m->ints = ct_alloc((size_t)r->n_ints + 1, sizeof *m->ints);
    for (int i = 0; i < r->n_ints; i++) m->ints[i] = r->ints[i];
    m->model.n_constants = (int)r->most; // all registers
}

// Some tokens before the one that was not understood, and that one.
static const char *text_around(const ct_tokens *t, int at) {
    enum { BEFORE = 12 };
    ct_text out = {0};
    for (int i = at > BEFORE ? at - BEFORE : 0; i <= at; i++) {
        ct_token x = t->token[i];
        switch (x.kind) {
        case CT_TOKEN_NAME: ct_text_printf(&out, " %s", t->name[x.value]); break;
        case CT_TOKEN_NUMBER: ct_text_printf(&out, " %g", t->number[x.value]); break;
        case CT_TOKEN_STRING: ct_text_add(&out, " \"...\""); break;
        case CT_TOKEN_SIGN:
            ct_text_printf(&out, x.value >> 8 ? " %c%c" : " %c", x.value & 255, x.value >> 8);
            break;
        case CT_TOKEN_END: ct_text_add(&out, " (end)"); break;
        }
    }
    char *text = ct_scratch_strdup(out.s);
    ct_text_clear(&out);
    return text;
}

ct_machine *ct_machine_new(ct_context *ctx, const char *source, const char *name) {
    ct_stage stage = ct_stage_begin();
    ct_machine *m = ct_region_new(sizeof *m);
    ct_reader r = {0};
    ct_reader_names names = {0};
    begin(&r, m, source);
    ct_reader_tables(&r, &names);
    place_numbers(&r);
    if (!r.failed) translate(&r, &names);
    keep(&r);
    ct_machine_connect(m, names.loops);
    ct_region_close(&m->region);
    if (r.failed) {
        ct_fail(ctx, CT_INTERNAL,
                "the interpreter does not understand the generated code of '%s': %s", name,
                text_around(&r.tokens, r.failed_at));
        ct_region_free(&m->region);
        m = NULL;
    }
    ct_stage_end(stage);
    return m;
}

const ctk_model *ct_machine_model(const ct_machine *m) {
    return &m->model;
}

bool ct_machine_hand_over(ct_machine *m, const ctk_model *compiled) {
    const ctk_model *own = &m->model;
    int constants = (int)m->first_number - CT_FIRST_CONSTANT;
    bool same = compiled->n == own->n && compiled->m == own->m &&
                compiled->n_constants == constants && compiled->n_outputs == own->n_outputs &&
                !compiled->closure == !own->closure && !compiled->dynamics == !own->dynamics &&
                (!own->closure || compiled->closure->n_loops == own->closure->n_loops);
    if (same) m->compiled = compiled;
    return same;
}

void ct_machine_free(ct_machine *m) {
    if (m) ct_region_free(&m->region);
}
