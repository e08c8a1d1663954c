// Compile and load: emitted C as a shared object, cached by its content.
#ifndef CT_COMPILE_H
#define CT_COMPILE_H

#include "emit/emit.h"
#include "kernel/ctk.h"

typedef struct ct_loaded {
    void *handle;
    const ctk_model *model;
    double compile_seconds; // 0 when it came from the cache
    bool kept;              // it is in the cache, with this key
    ct_digest key;
    ct_cleanup *undo;       // closes the object where memory runs out
} ct_loaded;

// Is every number in it finite? Else a message with the place: a compiler would take `inf` for a
// name.
ct_status ct_code_check(ct_context *ctx, const char *source);
ct_status ct_load(ct_context *ctx, const ct_emission *code, const char *name, ct_loaded *loaded);
// An object that the cache holds. Returns false if it does not, or not any more.
bool ct_load_kept(ct_digest key, const char *name, ct_loaded *loaded);
// Adds all that objects of one source depend on: the compiler with its arguments, the processor.
// Returns false if CC cannot be used.
bool ct_compiler_digest(ct_digest *key);
void ct_unload(ct_loaded *loaded);

#endif
