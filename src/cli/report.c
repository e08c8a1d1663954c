// Pieces of text and JSON that several commands print.
#include "report.h"

#include <string.h>

enum { LINE_WIDTH = 96 };

void report_operations(json *j, const char *key, const ct_operation_count *count) {
    json_object(j, key);
    json_number(j, "add", count->add);
    json_number(j, "mul", count->mul);
    json_number(j, "div", count->div);
    json_number(j, "func", count->func);
    json_number(j, "total", count->total);
    json_end(j);
}

void report_count(FILE *file, long count, const char *one, const char *many) {
    if (count == 0)
        fprintf(file, "no %s", many);
    else
        fprintf(file, "%ld %s", count, count == 1 ? one : many);
}

void report_names(FILE *file, const char *title, int n, const char *const *names) {
    int column = fprintf(file, "  %s:", title);
    if (n == 0) fputs(" none", file);
    for (int i = 0; i < n; i++) {
        int width = (int)strlen(names[i]) + 2;
        if (column + width > LINE_WIDTH) column = fprintf(file, "\n   ") - 1;
        fprintf(file, " %s%s", names[i], i + 1 < n ? "," : "");
        column += width;
    }
    fputc('\n', file);
}
