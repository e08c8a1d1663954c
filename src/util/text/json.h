// Strings of JSON (RFC 8259): characters as they are written between the quotes.
#ifndef CT_JSON_STRING_H
#define CT_JSON_STRING_H

#include <stddef.h>

enum { CT_JSON_PIECE = 8 }; // bytes of a piece with its zero

// The character at s as it stands in a string, valid UTF-8 kept, a byte that is none as U+FFFD;
// those in `avoid` (or NULL) as \u00XX, for text that stands inside something else. Returns how
// many bytes of s it stands for.
size_t ct_json_piece(const char *s, const char *avoid, char piece[CT_JSON_PIECE]);

#endif
