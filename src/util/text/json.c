// Quotes, backslashes and control characters are escaped, by one letter where JSON has one that is
// common; everything else stands for itself.
#include "json.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>

size_t ct_json_piece(const char *s, const char *avoid, char piece[CT_JSON_PIECE]) {
    unsigned char c = (unsigned char)*s;
    size_t n = ct_utf8_length(s, CT_UTF8_LONGEST);
    if (avoid && strchr(avoid, c))
        snprintf(piece, CT_JSON_PIECE, "\\u%04x", c);
    else if (c == '"' || c == '\\')
        snprintf(piece, CT_JSON_PIECE, "\\%c", c);
    else if (c == '\n' || c == '\t')
        snprintf(piece, CT_JSON_PIECE, "\\%c", c == '\n' ? 'n' : 't');
    else if (c < 0x20 || c == 0x7F)
        snprintf(piece, CT_JSON_PIECE, "\\u%04x", c);
    else
        snprintf(piece, CT_JSON_PIECE, "%.*s", n ? (int)n : 3, n ? s : "\xEF\xBF\xBD");
    return n ? n : 1;
}
