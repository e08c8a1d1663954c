// The text of the run-time kernel (src/kernel), which stands beside every generated model. The
// build makes the definition from the sources themselves.
#ifndef CT_KERNEL_FILES_H
#define CT_KERNEL_FILES_H

struct ct_embedded_file {
    const char *name; // without a folder: "ctk.h"
    const char *text; // ends with a zero byte
};
extern const struct ct_embedded_file
    ct_kernel_files[]; // the last one has no name; headers come first

#endif
