// Code on its way to an object: compilers in a folder of their own, while the caller waits or goes on.
#ifndef CT_BUILDING_H
#define CT_BUILDING_H

#include "run/code/compiler.h"

// What is compiled, and how.
typedef struct ct_building_task {
    const char *source, *header;
    const char *name; // of the model
    bool exact;       // see compiler.h
    bool is_kept;     // in the cache, with these keys; else among temporary files
    ct_digest key;
    ct_digest any; // the same, whatever file the compiler is: its entry holds the last such key
} ct_building_task;

typedef struct ct_building ct_building;

// Starts the compilers. Returns NULL if files cannot be written, with the reason in errno. It ends
// with the call under way where memory runs out.
ct_building *ct_building_start(const ct_building_task *task, bool behind);
// True if a run that was interpreted for some seconds, and those before it, pay for what the compilers
// still need, by the length of the source.
bool ct_building_pays(const ct_building *b, double seconds);
// Returns true if the compilers have come to their end. waits: until then.
bool ct_building_look(ct_building *b, bool waits);
// At the end: the object, NULL if there is none; `code` of the compiler, with its first complaint.
const char *ct_building_object(const ct_building *b);
int ct_building_code(const ct_building *b, char **complaint);
// Once more with standard flags.
void ct_building_start_plain(ct_building *b);
// Takes the object into the cache. Returns its path there, or NULL: the cache does not take it.
char *ct_building_keep(ct_building *b);
// Ends what is under way and removes all files. NULL: nothing.
void ct_building_free(ct_building *b);
// It goes on behind the call under way, for whoever keeps its region.
void ct_building_leave(ct_building *b);
ct_region *ct_building_region(ct_building *b);

// Text of a kernel's header that generated code includes, NULL: there are no more.
const char *ct_building_header(int i, const char **name);
// Level of optimisation.
const char *ct_building_level(const char *source);

#endif
