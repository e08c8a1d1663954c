// What differs between systems: clock, folders, shared objects, the processor. The library and the
// program are both built with it; it uses nothing else of either.
#ifndef CT_UTIL_SYSTEM_H
#define CT_UTIL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

double ct_seconds(void); // monotonic clock; may be called in a signal handler

// Where caches of programs belong: folder and below, one after the other ("/home/me", "/.cache").
// Returns false if there is no such place.
bool ct_cache_root(const char **folder, const char **below);
// Where temporary files belong.
const char *ct_temporary_folder(void);

// shared objects ------------------------------------------------------------------------------
enum { CT_OBJECT_FLAGS = 2 };
extern const char *const ct_object_flags[CT_OBJECT_FLAGS]; // for the compiler that makes one
extern const char ct_object_suffix[];                      // ".so"
void *ct_object_open(const char *path);                    // NULL: ct_object_error says why
void *ct_object_find(void *object, const char *name);
void ct_object_close(void *object); // may be NULL
const char *ct_object_error(void);

// the processor, as a text that is cut where there is no room ---------------------------------
void ct_processor_name(char *text, size_t room);
// Differs between processors with different instructions, as far as the system tells.
void ct_processor_features(char *text, size_t room);

#endif
