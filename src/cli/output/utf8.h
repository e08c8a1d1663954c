// Characters of UTF-8 text, and names from outside made fit to be shown.
#ifndef CLI_UTF8_H
#define CLI_UTF8_H

#include <stdbool.h>

// A name as it can stand in a line of text: what moves the cursor, or is no UTF-8, is written as an
// escape such as \n or \x1b; with `ascii` also what is not ASCII, as \u00e9. Free it.
char *utf8_shown(const char *name, bool ascii);
int utf8_width(const char *text); // columns on a terminal
// Bytes of the text that fill at most so many columns.
int utf8_fit(const char *text, int columns);
bool utf8_locale(void); // does the terminal speak UTF-8? After setlocale.

#endif
