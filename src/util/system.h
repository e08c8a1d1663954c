// What differs between systems: clock, folders, shared objects, the processor. The library and the
// program are both built with it; it uses nothing else of either.
#ifndef CT_UTIL_SYSTEM_H
#define CT_UTIL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

double ct_seconds(void); // monotonic clock; may be called in a signal handler

// Bytes of a block of malloc, at least those that it was asked for; 0 where the system does not
// tell, so that limits of memory are never reached there.
size_t ct_block_bytes(void *block);

// Where caches of programs belong: folder and below, one after the other ("/home/me", "/.cache").
// Returns false if there is no such place.
bool ct_cache_root(const char **folder, const char **below);
// Where temporary files belong.
const char *ct_temporary_folder(void);
// When a file was changed last, in seconds of the epoch.
double ct_changed_at(const struct stat *s);
// Differs between builds of this library, as a text that is cut where there is no room: which file
// it was loaded from, and when that was changed.
void ct_library_mark(char *text, size_t room);

// What is read: a file, or a pipe that somebody writes to. Devices and folders are refused, a silent pipe is
// given up after a while. `why` is set where something fails.
typedef struct ct_source {
    int descriptor;
    bool is_pipe, has_begun;
} ct_source;
bool ct_source_open(ct_source *in, const char *path, const char **why);
// Up to `room` bytes into `block`; 0 at the end, -1: failed.
long ct_source_read(ct_source *in, void *block, size_t room, const char **why);
void ct_source_close(void *in); // of a ct_source, as a clean-up too

// Gives a file the name of another one, which is gone then: at any time one of them has that name.
bool ct_file_replace(const char *from, const char *to);

// shared objects ------------------------------------------------------------------------------
enum { CT_OBJECT_FLAGS = 2 };
extern const char *const ct_object_flags[CT_OBJECT_FLAGS]; // for the compiler that makes one
extern const char ct_object_suffix[];                      // ".so"
void *ct_object_open(const char *path);                    // NULL: ct_object_error says why
void *ct_object_find(void *object, const char *name);
void ct_object_close(void *object); // may be NULL
const char *ct_object_error(void);

// Linear algebra on one thread, for a program as a whole: its systems are small, and threads that
// wait for work take time from it. Those of OpenBLAS begin before the program does. Where
// OPENBLAS_NUM_THREADS is set, that holds.
void ct_use_one_thread(void);

// the processor, as a text that is cut where there is no room ---------------------------------
void ct_processor_name(char *text, size_t room);
// Differs between processors with different instructions, as far as the system tells.
void ct_processor_features(char *text, size_t room);
// True if a product and a sum, rounded once together (fma), are one instruction.
bool ct_processor_fuses(void);

#endif
