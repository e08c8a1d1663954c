// Result rows as CSV.
#include "output/csv.h"

#include <string.h>

// quoted where a comma, quote or line break would mislead a reader
static void write_name(FILE *file, const char *name) {
    if (!strpbrk(name, ",\"\r\n") && *name != ' ') {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name; name++) {
        if (*name == '"') fputc('"', file);
        fputc(*name, file);
    }
    fputc('"', file);
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
