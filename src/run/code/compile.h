// Compile and load: emitted C as a shared object, cached by its content.
#ifndef CT_COMPILE_H
#define CT_COMPILE_H

#include "emit/emit.h"
#include "kernel/ctk.h"
#include "run/interpret/interpret.h"

typedef void ct_scales(const double *c, double t, const double *q, const double *u, double *scale);
typedef struct ct_loaded {
    void *handle;        // of the object; NULL where the model is interpreted
    ct_machine *machine; // by which it is interpreted, or NULL
    char *why;           // it is interpreted, for a message
    const ctk_model *model; // with the values of the emission, which are kept here
    ctk_model *own;
    // sizes of the closure's measures at q, for values that are not those of the text; or NULL
    ct_scales *scales;
    ctk_closure *own_closure;
    ct_emit_values values;
    double compile_seconds; // 0 when it came from the cache
    bool kept;              // it is in the cache, with this key
    ct_digest key;
    ct_cleanup *undo; // closes the object where memory runs out
} ct_loaded;

// Is every number in it finite? Else a message with the place: a compiler would take `inf` for a
// name.
ct_status ct_code_check(ct_context *ctx, const char *source);
// Takes over the values of the code. Without a compiler the code is interpreted, unless CC names one.
ct_status ct_load(ct_context *ctx, ct_emission *code, const char *name, ct_loaded *loaded);
// An object or a text to interpret that the cache holds, without values. Returns false if it does not, or not any more.
bool ct_load_kept(ct_digest key, const char *name, ct_loaded *loaded);
// The loaded model with the numbers that are no part of its text, which it takes over.
void ct_load_values(ct_loaded *loaded, ct_emit_values values);
// The numbers of a model, one array after the other, and the size of each.
enum { CT_VALUE_ARRAYS = 7 };
void ct_value_arrays(const ctk_model *model, ct_emit_values *values,
                     double **array[CT_VALUE_ARRAYS], int size[CT_VALUE_ARRAYS]);
// Adds all that objects of one source depend on: the compiler with its arguments, the processor.
// Returns false if CC cannot be used.
bool ct_compiler_digest(ct_digest *key);
// True where there is no compiler: CC is none, or it is not set and the system has none.
bool ct_interprets(void);
void ct_unload(ct_loaded *loaded);

#endif
