// What the pages are made of, bundled from web/ when the program is built. Without it there is one
// file, "missing", that says why.
#ifndef CT_WEB_FILES_H
#define CT_WEB_FILES_H

#include "emit/kernel_files.h"

extern const struct ct_embedded_file ct_web_files[]; // ends with a NULL name
const char *ct_web_file(const char *name);           // "" where there is none

#endif
