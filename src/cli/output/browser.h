// A page shown in the user's browser.
#ifndef CLI_BROWSER_H
#define CLI_BROWSER_H

#include <stdbool.h>

// Starts the browser that BROWSER names, else the first that is found, and does not wait for it.
// Without a browser a message says what to install; the page exists in any case.
bool browser_open(const char *path);

#endif
