// cotree basis: the Gröbner basis of a polynomial system or of a mechanism's loops.
#include "algebra/algebra.h"
#include "output/names.h"
#include "output/progress.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

typedef ct_basis_result result;

static void strings(ct_json *j, const char *key, int n, char **list) {
    ct_json_strings(j, key, n, (const char *const *)list);
}

static void write_json(const void *found) {
    const result *r = found;
    ct_json j;
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    ct_json_string(&j, "name", r->name);
    // what was asked for
    ct_json_string(&j, "order", r->order);
    strings(&j, "variables", r->n_variables, r->variables);
    strings(&j, "symbols", r->n_symbols, r->symbols);
    ct_json_string(&j, "substitution", r->substitution);
    ct_json_number(&j, "equations", r->equations);
    ct_json_number(&j, "input_degree", (double)r->input_degree);
    // the basis
    strings(&j, "generators", r->n_generators, r->generators);
    ct_json_array(&j, "degrees");
    for (int i = 0; i < r->n_generators; i++) ct_json_number(&j, NULL, (double)r->degrees[i]);
    ct_json_end(&j);
    ct_json_number(&j, "dimension", r->dimension);
    ct_json_number(&j, "degree", (double)r->degree);
    ct_json_number(&j, "multiplications", (double)r->multiplications);
    ct_json_number(&j, "additions", (double)r->additions);
    if (r->digits) ct_json_number(&j, "digits", r->digits);
    ct_json_boolean(&j, "proved", r->proved);
    // resultants: one as it is, several as a list
    if (r->n_resultants == 1)
        ct_json_string(&j, "resultant", r->resultants[0]);
    else if (r->resultants)
        strings(&j, "resultant", r->n_resultants, r->resultants);
    strings(&j, "notes", r->n_notes, r->notes);
    ct_json_number(&j, "seconds", r->seconds);
    ct_json_end(&j);
}

static void write_head(FILE *file, const result *r) {
    fprintf(file, "%s\n  ", r->name && *r->name ? r->name : "(no name)");
    report_count(file, r->equations, "equation", "equations");
    fprintf(file, " of degree %ld in ", r->input_degree);
    report_count(file, r->n_variables, "unknown", "unknowns");
    fprintf(file, "\n  order %s, ", r->order);
    for (int i = 0; i < r->n_variables; i++) fprintf(file, "%s%s", i ? " > " : "", r->variables[i]);
    for (int i = 0; i < r->n_symbols; i++)
        fprintf(file, "%s%s", i ? ", " : "; symbols ", r->symbols[i]);
    fputc('\n', file);
}

static void write_text(FILE *file, const arguments *a, const void *found) {
    (void)a;
    const result *r = found;
    write_head(file, r);
    // dimension and degree
    if (r->dimension < 0)
        fputs("  no solution: the ideal is everything\n", file);
    else if (r->dimension == 0)
        fprintf(file, "  dimension 0: %ld solution%s with multiplicity\n", r->degree,
                r->degree == 1 ? "" : "s");
    else
        fprintf(file, "  dimension %d, degree %ld\n", r->dimension, r->degree);
    // size and certainty
    fputs("  basis: ", file);
    report_count(file, r->n_generators, "polynomial", "polynomials");
    if (r->digits)
        fprintf(file, ", approximate, %d digits\n", r->digits);
    else
        fprintf(file, ", %ld multiplications, %ld additions; %s\n", r->multiplications,
                r->additions,
                r->proved ? "proved" : "checked modulo primes (--prove: over the rationals)");
    // elements, resultants
    for (int i = 0; i < r->n_generators; i++) fprintf(file, "    %s\n", r->generators[i]);
    if (r->resultants) fputs("  resultants:\n", file);
    for (int i = 0; i < r->n_resultants; i++) fprintf(file, "    %s\n", r->resultants[i]);
    for (int i = 0; i < r->n_notes; i++) fprintf(file, "  note: %s\n", r->notes[i]);
}

static void summarise(const arguments *a, const void *found) {
    const result *r = found;
    report_time(a, "computed", r->seconds);
}

static void release(void *found) {
    ct_basis_free(found);
}

static ct_status compute(session *s, const arguments *a, void **found) {
    result *r = NULL;
    ct_basis_options options;
    ct_basis_options_init(&options);
    // lists of names
    names_list variables = names_split(a->variables), symbolic = names_split(a->symbolic),
               resultant = names_split(a->resultant);
    options.order = a->order;
    options.substitution = a->substitution;
    options.n_variables = variables.n;
    options.variables = variables.item;
    options.n_symbolic = symbolic.n;
    options.symbolic = symbolic.item;
    options.n_resultant = resultant.n;
    options.resultant = resultant.item;
    // the rest of the options, then the basis
    if (a->digits > 0) options.digits = (int)a->digits;
    options.prove = a->prove;
    if (a->limit_time > 0) options.seconds = a->limit_time;
    if (a->limit_memory > 0) options.bytes = (size_t)(a->limit_memory * 1e6);
    options.stop = progress_begin(s->ctx, a, true);
    ct_status status = ct_basis(s->ctx, a->file, a->set.n, a->set.item, &options, &r);
    *found = r;
    progress_end(s->ctx);
    if (status == CT_INTERRUPTED) progress_say_stopped();
    names_clear(&variables);
    names_clear(&symbolic);
    names_clear(&resultant);
    return status;
}

int command_basis(const arguments *a) {
    const algebra_task task = {compute, write_text, write_json, summarise, release};
    return algebra_run(&task, a);
}
