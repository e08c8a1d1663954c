// Compile and load: emitted C as a shared object, cached by its content.
#ifndef CT_COMPILE_H
#define CT_COMPILE_H

#include "emit/emit.h"
#include "kernel/ctk.h"
#include "run/code/building.h"
#include "run/interpret/interpret.h"

typedef void ct_scales(const double *c, double t, const double *q, const double *u, double *scale);
typedef struct ct_loaded {
    void *handle;           // of the object; NULL where the model is interpreted
    ct_machine *machine;    // by which it is interpreted, or NULL
    char *why;              // it is interpreted, for a message
    bool not_loaded;        // namely: the system does not load the object
    const ctk_model *model; // with the values of the emission, which are kept here
    ctk_model *own;
    // sizes of the closure's measures at q, for values that are not those of the text; or NULL
    ct_scales *scales;
    ctk_closure *own_closure;
    ct_emit_values values;
    bool kept; // it is in the cache, with this key
    ct_digest key;
    ct_cleanup *undo; // closes the object where memory runs out
    // where it is interpreted until it is compiled: its text before that is begun, then compilers
    char *source, *header, *name;
    ct_building *building;
    double looked; // at them, in seconds of the clock
} ct_loaded;

// Is every number in it finite? Else a message with the place: a compiler would take `inf` for a
// name.
ct_status ct_code_check(ct_context *ctx, const char *source);
// Takes over the values of the code. Without a compiler the code is interpreted, unless CC names one.
ct_status ct_load(ct_context *ctx, ct_emission *code, const char *name, ct_loaded *loaded);
// The same; code that takes long to compile is interpreted until an object takes over in ct_load_look.
// Results are the same bits, whenever that is.
ct_status ct_load_at_once(ct_context *ctx, ct_emission *code, const char *name, ct_loaded *loaded);
// An object or a text to interpret that the cache holds, without values. Returns false if it does not, or not any more.
bool ct_load_kept(ct_digest key, const char *name, ct_loaded *loaded);
bool ct_load_is_kept(ct_digest key); // without loading it
// Between steps of a run: begins to compile what is interpreted, and takes the object when it is there.
// Where there is none in the end, `why` says so.
void ct_load_look(ct_loaded *loaded);
static inline bool ct_load_goes_on(const ct_loaded *loaded) {
    return loaded->source || loaded->building;
}
// After a run, in a call of its own: waits for the compilers, for the next run, and frees all.
void ct_load_settle(ct_building *building);
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
