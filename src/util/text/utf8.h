// Characters of UTF-8 text (RFC 3629). This folder needs nothing but the C library: the program,
// which knows the public header alone, is built with it too.
#ifndef CT_UTF8_H
#define CT_UTF8_H

#include <stddef.h>

enum { CT_UTF8_LONGEST = 4 }; // bytes of a character; the room to give where a zero ends the text

// Length of the valid character at s, of which `bytes` are there; 0 if there is none: overlong
// forms, surrogates and characters that are cut off do not count.
size_t ct_utf8_length(const char *s, size_t bytes);

#endif
