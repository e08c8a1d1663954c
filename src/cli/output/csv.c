// Result rows as CSV.
#include "output/csv.h"
#include "output/memory.h"

#include "../../util/text/csv.h"

#include <stdlib.h>
#include <string.h>

static void write_name(FILE *file, const char *name) {
    if (ct_csv_is_plain(name)) {
        fputs(name, file);
        return;
    }
    char *quoted = malloc(2 * strlen(name) + 3);
    if (!quoted) no_memory();
    ct_csv_quote(name, quoted);
    fputs(quoted, file);
    free(quoted);
}

void csv_header(FILE *file, int n, const char *const *names) {
    for (int i = 0; i < n; i++) {
        if (i) fputc(',', file);
        write_name(file, names[i]);
    }
    fputc('\n', file);
}

void csv_row(FILE *file, int n, const double *values) {
    for (int i = 0; i < n; i++) fprintf(file, i ? ",%.17g" : "%.17g", values[i]);
    fputc('\n', file);
}
