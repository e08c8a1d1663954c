// cotree configurations: the eliminant, and every assembly of a mechanism or solution of a
// polynomial system, real ones first.
#include "algebra/algebra.h"
#include "output/progress.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef ct_configurations_result result;

// JSON --------------------------------------------------------------------------------------------
static void write_solution(ct_json *j, int n_values, char **values, const ct_configuration *c) {
    ct_json_object(j, NULL);
    ct_json_boolean(j, "real", c->real);
    ct_json_number(j, "residual", c->residual);
    ct_json_boolean(j, "certified", c->certified);
    ct_json_number(j, "multiplicity", c->multiplicity);
    ct_json_object(j, "values");
    for (int i = 0; i < n_values; i++) {
        if (isnan(c->re[i])) continue;
        if (c->real) {
            ct_json_number(j, values[i], c->re[i]);
            continue;
        }
        ct_json_object(j, values[i]);
        ct_json_number(j, "re", c->re[i]);
        ct_json_number(j, "im", c->im[i]);
        ct_json_end(j);
    }
    ct_json_end(j);
    ct_json_end(j);
}

static void write_factor(ct_json *j, const ct_configurations_factor *f) {
    ct_json_object(j, NULL);
    ct_json_strings(j, "unknowns", f->n_values, (const char *const *)f->values);
    ct_json_number(j, "count", f->count);
    ct_json_number(j, "real", f->real);
    ct_json_array(j, "solutions");
    for (int i = 0; i < f->count; i++) write_solution(j, f->n_values, f->values, f->solutions + i);
    ct_json_end(j);
    ct_json_end(j);
}

static void write_json(const void *found) {
    const result *r = found;
    ct_json j;
    bool finite = r->dimension <= 0;
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    ct_json_string(&j, "name", r->name);
    // the eliminant; counts are null where there are infinitely many solutions
    ct_json_string(&j, "variable", r->variable);
    ct_json_number(&j, "degree", r->coefficients ? r->degree : NAN);
    ct_json_strings(&j, "coefficients", r->coefficients ? r->degree + 1 : 0,
                    (const char *const *)r->coefficients);
    ct_json_number(&j, "count", finite ? r->total : NAN);
    ct_json_number(&j, "real", finite ? r->total_real : NAN);
    // freedoms left open, equations that contradict
    ct_json_number(&j, "dimension", r->dimension);
    ct_json_strings(&j, "free", r->n_free, (const char *const *)r->free);
    ct_json_strings(&j, "offending", r->n_offending, (const char *const *)r->offending);
    ct_json_number(&j, "multiplicity", finite ? (double)r->multiplicity : NAN);
    // size of the system, method, times
    ct_json_number(&j, "unknowns", r->unknowns);
    ct_json_number(&j, "equations", r->equations);
    ct_json_number(&j, "generators", r->generators);
    ct_json_number(&j, "terms", (double)r->terms);
    ct_json_number(&j, "matrix", r->matrix);
    ct_json_string(&j, "method", r->method);
    ct_json_number(&j, "seconds", r->seconds);
    ct_json_number(&j, "basis_seconds", r->basis_seconds);
    ct_json_number(&j, "eliminant_seconds", r->eliminant_seconds);
    ct_json_number(&j, "root_seconds", r->root_seconds);
    ct_json_strings(&j, "notes", r->n_notes, (const char *const *)r->notes);
    // solutions
    ct_json_array(&j, "solutions");
    for (int i = 0; i < r->count; i++) write_solution(&j, r->n_values, r->values, r->solutions + i);
    ct_json_end(&j);
    ct_json_array(&j, "factors");
    for (int g = 0; g < r->n_factors; g++) write_factor(&j, r->factors + g);
    ct_json_end(&j);
    ct_json_end(&j);
}

// the eliminant -----------------------------------------------------------------------------------
// A whole number of any length as mantissa and power of ten.
static double mantissa(const char *s, long *exponent) {
    bool minus = *s == '-';
    char digits[20] = {0};
    s += minus;
    size_t n = strlen(s), kept = n < 18 ? n : 18;
    memcpy(digits, s, kept);
    *exponent = (long)(n - kept);
    return (minus ? -1 : 1) * strtod(digits, NULL);
}

static double scaled(double value, long power) {
    for (; power > 0 && value < 1e300 && value > -1e300; power--) value *= 10;
    for (; power < 0 && value != 0; power++) value /= 10;
    return value;
}

static void write_power(FILE *file, const char *variable, int power) {
    if (power) fprintf(file, "%s", variable);
    if (power > 1) fprintf(file, "^%d", power);
}

// The eliminant: exact where that is short, else divided by its leading coefficient and cut.
static void write_eliminant(FILE *file, const result *r) {
    enum { SHORT = 100, SHOWN = 6 };
    // exact where that is short, else divided by the leading coefficient
    const char *variable = r->variable ? r->variable : "u";
    size_t length = 0;
    for (int i = 0; i <= r->degree; i++) length += strlen(r->coefficients[i]);
    bool exact = length < SHORT;
    long scale, exponent;
    double leading = mantissa(r->coefficients[0], &scale);
    // terms from the highest degree on
    fputs("    ", file);
    int shown = 0;
    for (int i = 0; i <= r->degree; i++) {
        const char *c = r->coefficients[i];
        if (!strcmp(c, "0")) continue;
        double value = mantissa(c, &exponent) / leading;
        value = scaled(value, exponent - scale);
        bool minus = exact ? *c == '-' : value < 0;
        if (!exact && shown == SHOWN && i < r->degree) {
            fputs(" + ...", file);
            break;
        }
        // sign, coefficient (not if it is 1), power
        fputs(shown++ ? minus ? " - " : " + " : minus ? "-" : "", file);
        const char *size = c + (*c == '-');
        bool one = exact ? !strcmp(size, "1") : i == 0;
        if (!one || i == r->degree) {
            if (exact)
                fputs(size, file);
            else
                fprintf(file, "%.10g", fabs(value));
            if (i < r->degree) fputc(' ', file);
        }
        write_power(file, variable, r->degree - i);
    }
    fputs(" = 0\n", file);
}

// text --------------------------------------------------------------------------------------------
static int value_text(char *text, size_t size, const char *name, double re, double im, bool real) {
    if (real) return snprintf(text, size, "%s = %.12g", name, re);
    return snprintf(text, size, "%s = %.10g %c %.10g i", name, re, im < 0 ? '-' : '+', fabs(im));
}

static void write_configuration(FILE *file, int n_values, char **values, const ct_configuration *c,
                                int index) {
    enum { WIDTH = 96 };
    fprintf(file, "\n  %d: %s%s", index + 1, c->real ? "real" : "complex",
            c->certified ? ", certified" : "");
    if (c->multiplicity > 1) fprintf(file, ", %d-fold", c->multiplicity);
    fprintf(file, ", residual %.2g\n", c->residual);
    int column = 0;
    for (int i = 0; i < n_values; i++) {
        if (isnan(c->re[i])) continue;
        char text[256];
        int length = value_text(text, sizeof text, values[i], c->re[i], c->im[i], c->real);
        if (column && column + length + 3 > WIDTH) {
            fputc('\n', file);
            column = 0;
        }
        column += fprintf(file, "%s%s", column ? "   " : "     ", text);
    }
    fputc('\n', file);
}

static void write_list(FILE *file, int n, char *const *names) {
    for (int i = 0; i < n; i++) fprintf(file, "%s%s", i ? ", " : "", names[i]);
}

// 64 = 4 x 4 x 4
static void write_product(FILE *file, const result *r) {
    fprintf(file, "  %d groups of unknowns that do not depend on each other: %.0f =", r->n_factors,
            r->total);
    for (int g = 0; g < r->n_factors; g++)
        fprintf(file, "%s%d", g ? " x " : " ", r->factors[g].count);
    fputc('\n', file);
}

static void write_answer(FILE *file, const result *r) {
    // infinitely many: which coordinates are free
    if (r->dimension > 0) {
        fprintf(file, "  infinitely many configurations: ");
        report_count(file, r->dimension, "freedom is left open", "freedoms are left open");
        fprintf(file, "\n  %s ", r->mechanism ? "give, for example, values of" : "free:");
        write_list(file, r->n_free, r->free);
        fputs(r->mechanism ? " under initial:\n" : "\n", file);
        return;
    }
    // none: which equations contradict
    if (r->dimension < 0) {
        fputs("  no configuration: the equations contradict each other\n", file);
        if (r->n_offending) fputs("  already these alone have no solution:\n", file);
        for (int i = 0; i < r->n_offending; i++) fprintf(file, "    %s\n", r->offending[i]);
        return;
    }
    // finitely many: eliminant and counts
    if (r->coefficients) {
        fprintf(file, "  eliminant of degree %d in %s", r->degree,
                r->variable ? r->variable : "a combination u of the unknowns");
        if (r->matrix) fprintf(file, " (%d x %d matrix)", r->matrix, r->matrix);
        fputs(":\n", file);
        write_eliminant(file, r);
    }
    fputs("  ", file);
    fprintf(file, "%.0f configuration%s, %.0f real", r->total, r->total == 1 ? "" : "s",
            r->total_real);
    if ((double)r->multiplicity != r->total)
        fprintf(file, " (%ld with multiplicity)", r->multiplicity);
    fputc('\n', file);
    if (r->n_factors) write_product(file, r);
}

static void write_text(FILE *file, const arguments *a, const void *found) {
    (void)a;
    const result *r = found;
    fprintf(file, "%s\n  ", r->name && *r->name ? r->name : "(no name)");
    report_count(file, r->equations, "equation", "equations");
    fputs(" in ", file);
    report_count(file, r->unknowns, "unknown", "unknowns");
    if (r->generators) {
        fputs("; basis: ", file);
        report_count(file, r->generators, "polynomial", "polynomials");
        fprintf(file, ", %ld terms", r->terms);
    }
    fputc('\n', file);
    write_answer(file, r);
    for (int i = 0; i < r->n_notes; i++) fprintf(file, "  note: %s\n", r->notes[i]);
    fprintf(file, "  %.3g s of computing", r->seconds);
    if (r->method && *r->method) fprintf(file, ", method %s", r->method);
    fputc('\n', file);
    for (int i = 0; i < r->count; i++)
        write_configuration(file, r->n_values, r->values, r->solutions + i, i);
    // too many to list: those of each group
    for (int g = 0; g < r->n_factors && !r->count; g++) {
        const ct_configurations_factor *f = r->factors + g;
        fprintf(file, "\n  group %d of %d:\n", g + 1, r->n_factors);
        for (int i = 0; i < f->count; i++)
            write_configuration(file, f->n_values, f->values, f->solutions + i, i);
    }
}

// After a long list: how many, how well, how fast.
static void summarise(const arguments *a, const void *found) {
    const result *r = found;
    if (!report_wanted(a)) return;
    fflush(stdout);
    if (r->dimension == 0) {
        bool all = true;
        double worst = 0;
        for (int i = 0; i < r->count; i++) {
            all = all && r->solutions[i].certified;
            worst = fmax(worst, r->solutions[i].residual);
        }
        for (int g = 0; g < r->n_factors && !r->count; g++)
            for (int i = 0; i < r->factors[g].count; i++) {
                all = all && r->factors[g].solutions[i].certified;
                worst = fmax(worst, r->factors[g].solutions[i].residual);
            }
        fprintf(stderr,
                "\n  %.0f configuration%s, %.0f real, %s certified; largest residual %.2g\n",
                r->total, r->total == 1 ? "" : "s", r->total_real, all ? "all" : "not all", worst);
    }
    report_time(a, r->dimension > 0 ? "found that there are infinitely many" : "computed",
                r->seconds);
}

// the command -------------------------------------------------------------------------------------
static void release(void *found) {
    ct_configurations_free(found);
}

static ct_status compute(session *s, const arguments *a, void **found) {
    result *r = NULL;
    ct_configurations_options options;
    ct_configurations_options_init(&options);
    options.method = a->elimination;
    options.hide = a->hide;
    options.prove = a->prove;
    if (a->limit_time > 0) options.seconds = a->limit_time;
    if (a->limit_memory > 0) options.bytes = (size_t)(a->limit_memory * 1e6);
    options.stop = progress_begin(s->ctx, a, true);
    ct_status status = ct_configurations(s->ctx, a->file, a->set.n, a->set.item, &options, &r);
    *found = r;
    progress_end(s->ctx);
    if (status == CT_INTERRUPTED) progress_say_stopped();
    return status;
}

int command_configurations(const arguments *a) {
    const algebra_task task = {compute, write_text, write_json, summarise, release};
    if (a->branch >= 0 && !a->over)
        return usage_error("--branch is one of --over NAME=FROM..TO: give both");
    return a->over ? command_branches(a) : algebra_run(&task, a);
}
