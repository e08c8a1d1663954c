// Result rows as CSV.
#include "output/csv.h"
#include "output/memory.h"

#include "../../util/text/csv.h"
#include "../../util/text/decimal.h"

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

// Numbers go to the file some at a time: a call for each would take as long as its digits.
void csv_row(FILE *file, int n, const double *values) {
    enum { AT_ONCE = 64 };
    char text[AT_ONCE * (CT_DECIMAL_ROOM + 1)];
    size_t length = 0;
    if (!n) fputc('\n', file);
    for (int i = 0; i < n; i++) {
        length += ct_decimal(values[i], text + length);
        text[length++] = i + 1 < n ? ',' : '\n';
        if (i + 1 < n && (i + 1) % AT_ONCE) continue;
        fwrite(text, 1, length, file);
        length = 0;
    }
}
