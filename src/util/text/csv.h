// Fields of CSV (RFC 4180): quoted where a comma, quote or line break is part of them, a quote
// inside doubled.
#ifndef CT_CSV_H
#define CT_CSV_H

#include <stdbool.h>
#include <stddef.h>

// reading: the end of the field at s, which may be quoted; *lines grows with line breaks inside
// quotes. NULL: a quote is not closed, or something follows it.
const char *ct_csv_field_end(const char *s, long *lines);
// The field from s to its end without quotes, ended by a zero; `to` may be s itself. Its length.
size_t ct_csv_unquote(const char *s, const char *end, char *to);

// writing
bool ct_csv_is_plain(const char *name); // needs no quotes
// The name as a field, ended by a zero; `to` has room for 2 strlen(name) + 3 bytes.
void ct_csv_quote(const char *name, char *to);

#endif
