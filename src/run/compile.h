// Compile and load: emitted C as a shared object, cached by its content.
#ifndef CT_COMPILE_H
#define CT_COMPILE_H

#include "emit/emit.h"
#include "kernel/ctk.h"

typedef struct ct_loaded {
    void *handle;
    const ctk_model *model; // with the values of the emission, which are kept here
    ctk_model *own;
    ctk_closure *own_closure;
    ct_emit_values values;
    double compile_seconds; // 0 when it came from the cache
    ct_cleanup *undo;       // closes the object where memory runs out
} ct_loaded;

// Is every number in it finite? Else a message with the place: a compiler would take `inf` for a
// name.
ct_status ct_code_check(ct_context *ctx, const char *source);
// Takes over the values of the code.
ct_status ct_load(ct_context *ctx, ct_emission *code, const char *name, ct_loaded *loaded);
void ct_unload(ct_loaded *loaded);

#endif
