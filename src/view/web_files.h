// Scripts and styles of the pages, bundled from web/ when the program is built. A build without
// them has one file, "missing", with the reason.
#ifndef CT_WEB_FILES_H
#define CT_WEB_FILES_H

#include "emit/kernel_files.h"

extern const struct ct_embedded_file ct_web_files[]; // ends with a NULL name
const char *ct_web_file(const char *name);           // "" where there is none

#endif
