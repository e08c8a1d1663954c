// What simulate, kinematics and generate share: options resolved, code compiled, rows written.
#ifndef CT_RUN_H
#define CT_RUN_H

#include "run/code/compile.h"
#include "run/kept/prepared.h"
#include "run/system.h"

typedef enum ct_tangent { CT_TANGENT_FULL, CT_TANGENT_FORCES, CT_TANGENT_NONE } ct_tangent;
typedef struct ct_plan { // options with every default filled in
    double time, step, output_step, rtol, atol;
    const char *method_name, *integrator_name;
    bool cvode; // steps are adapted: by cvode, or by ida
    bool ida;
    int index;            // of the equations that ida integrates: 1, or 2 (stabilised)
    bool automatic;       // nobody named the integrator: rk4, or cvode where its steps are too long
    bool chosen;          // nobody named the method
    bool complete;        // code for all methods, however long
    ct_tangent tangent;   // derivatives of the forces, for implicit integrators and ida
    bool events_by_steps; // steps are not divided at events
    ctk_options kernel;
    int *independent; // owned
} ct_plan;

// Closes the system where the method is one that needs its closure.
ct_status ct_plan_make(ct_context *ctx, ct_system *s, const ct_run_options *options, ct_plan *plan);
// The options alone: numbers, method and integrator by name.
ct_status ct_plan_options(ct_context *ctx, const ct_model *model, const ct_run_options *options,
                          ct_plan *plan);
// Method of a driven motion of an assembled system: the closure where one is found. `simulate:` of
// the model does not decide here. Fails if the motions leave freedoms.
ct_status ct_plan_driven(ct_context *ctx, ct_system *s, ct_run_options *options);
const char *ct_method_name(ctk_method method); // NULL: there is none
// Fails: "X is unknown" or "not available yet", and what there is (names, each with a blank).
ct_status ct_no_such(ct_context *ctx, const char *what, const char *name, const char *there,
                     const char *later);
bool ct_plan_closes(const ct_plan *plan);
bool ct_plan_is_implicit(const ct_plan *plan); // its integrator is
// The same of options, before anything is planned: true if code for them has derivatives of the forces.
bool ct_options_have_tangent(const ct_model *model, const ct_run_options *options);
// True if points and vectors are the coordinates: their choice depends on values of parameters.
bool ct_options_are_natural(const ct_model *model, const ct_run_options *options);
// Looks for jumps of motions between t = 0 and `time`: an error where the run would be wrong from
// there on (kinematics: of values alone, since no impulse is lost), a warning in generated code.
typedef enum ct_run_kind { CT_RUN_SIMULATE, CT_RUN_KINEMATICS, CT_RUN_GENERATE } ct_run_kind;
ct_status ct_run_check_jumps(ct_context *ctx, const ct_model *model, double time, ct_run_kind kind);
void ct_plan_clear(ct_plan *plan);

// The name that files and symbols get.
char *ct_model_identifier(const ct_model *model);
void ct_emit_input_fill(const ct_system *s, const char *name, ct_emit_input *in);

// What code for this plan contains.
void ct_plan_emits(const ct_plan *plan, ct_emit_input *in);

typedef struct ct_rows { // of a result, one after the other
    double *value;
    size_t width, n, room;
} ct_rows;

// events/breaks.c: times at which the right side jumps or bends. The run is between the times of
// list[now - 1] and list[now].
typedef enum ct_break_kind {
    CT_BREAK_INPUT = 1,  // of the signal of an input, which knows its limits on both sides
    CT_BREAK_FORCE = 2,  // an expression of the model switches: steps end just before
    CT_BREAK_MOTION = 4, // likewise; the rate of a motion may jump
    CT_BREAK_JOINT = 8   // likewise; a joint comes or goes
} ct_break_kind;
enum { CT_BREAK_EVENT = CT_BREAK_FORCE | CT_BREAK_MOTION | CT_BREAK_JOINT };
typedef struct ct_break {
    double at;
    unsigned kinds;
} ct_break;
typedef struct ct_breaks {
    const ct_model *model;
    int n, room, now;
    ct_break *list;
    double *u; // inputs: values, rates, accelerations
    int bad;   // an input that had no value at the time bad_t; -1: none
    double bad_t;
} ct_breaks;

// events/events.c: what has happened at events, and a copy of the simulation before a step.
typedef struct ct_events {
    bool watches;  // joints come and go: conditions are looked at behind every step
    bool by_steps; // steps are not divided
    int n, room;
    ct_event_entry *log;
    double loss;
    long late; // events at the end of a step that was divided too often
    ctk_event *found;
    ctk_sim sim; // the copy
    double *doubles;
    int *ints;
} ct_events;

typedef struct ct_run_reactions ct_run_reactions; // reactions.c

// limits/change_closure.c: a closure that a run goes by, or has gone by and put aside.
typedef struct ct_run_closure {
    ct_closed *closed; // of the system; NULL in a run that has come without equations
    // while another one is in use:
    ct_loaded code;
    ct_columns columns;
    double *doubles, *units;
    int *ints;
    // when it was left: its signs, and how near its limit was, in parts of its scale
    double *signs, margin;
} ct_run_closure;

typedef struct ct_runner {
    ct_context *ctx;
    ct_system *s;
    const ct_run_options *options;
    bool kinematics;
    ct_kept_run kept; // what the run has of the equations, and what is kept of it for the next one
    bool recalled;    // that is from an earlier run: the system may wait
    bool varied;      // from one with other values of parameters
    bool has_key;     // an earlier or later run may be like this one, with this key
    bool keeps;       // it will be kept
    ct_digest key;
    const char *stage;       // for progress
    const char *method_name; // before limit positions
    ct_plan plan;
    ct_columns columns;
    ct_loaded code;
    ctk_sim sim;
    ct_breaks breaks;
    ct_events events;
    double *doubles, *y, *row, *last; // last: continuous angles
    double unseen, looked_t;          // what turns have moved since they were continued, until then
    int *ints;
    ct_run_reactions *reactions; // NULL: nobody asks for them
    int width;                   // numbers of a row behind t
    long rows;
    bool started;
    double energy0, potential0, drift, exchanged;
    double *low, *high;       // range of each coordinate
    double still;             // energy below which the mechanism does not move
    double error_t, energy_t; // times from which on steps are too long, the energy is off; or NaN
    // the largest error of a step, relative, and its coordinate: of cvode, or before the closure in use
    double error;
    const char *error_of;
    // rows that wait until the integrator is chosen
    bool waits;
    ct_rows waiting;
    ct_messages said;   // before the start
    ct_messages before; // it was prepared
    bool by_step;       // shorter steps might not have failed
    double seconds;
    long steps;
    int limits_crossed; // limit positions that the user was told of
    // closures that the run has changed between, the first one first, and that in use; none: it has not.
    // Independent coordinates, as text, that a closure to change to was looked for with
    int n_closures, room_closures, in_use;
    ct_run_closure *closures;
    ct_strings looked_for;
    bool changed, crossed; // limits were passed by another closure, by partition
    long changed_at;       // the last change, in steps
    bool stays;            // code for all methods cannot be had
    bool
        own; // the run does not count: it is made once more by equations for these values of parameters
} ct_runner;

ct_status ct_runner_open(ct_runner *r, ct_context *ctx, ct_system *s, const ct_run_options *options,
                         bool kinematics);
void ct_runner_close(ct_runner *r);
// From the initial state, as the plan says; again, if there was a run before.
ct_status ct_runner_start(ct_runner *r);
// Code and memory for the plan as it is now, in place of what was there; on failure that stays.
ct_status ct_runner_load(ct_runner *r, ct_context *ctx);
// Code for the closure that the system has now, and the plan.
ct_status ct_runner_compile(const ct_runner *r, ct_context *ctx, ct_loaded *loaded);
// Between steps: compiled code takes over from the interpreter once it is there.
void ct_runner_look_for_code(ct_runner *r);
// At the end: where it is still being compiled and runs like this one gain from it, it is left to the
// system, which waits for it when it is freed, or run again.
void ct_runner_leave_code(ct_runner *r, ct_system *s);
// Code that replaces the old one, with memory of its size.
void ct_runner_take(ct_runner *r, ct_loaded loaded);
// Looks at the current state: outputs, energy and angles that continue, which is enough between rows;
// with all columns in r->row; or as a row that is written, too.
typedef enum ct_look { CT_LOOK_BETWEEN, CT_LOOK_WHOLE, CT_LOOK_WRITE } ct_look;
ct_status ct_runner_look(ct_runner *r, ct_look look);
// All breaks of the plan.
void ct_breaks_find(ct_runner *r);
void ct_breaks_clear(ct_breaks *b);
// Inputs for the kernel; data: the breaks.
void ct_breaks_inputs(void *data, double t, double *u, double *ud, double *udd);
// Returns true if a break may be an impulse, which needs the masses of all coordinates.
bool ct_breaks_hit(const ct_runner *r);
// Where a step on the way to time t must end: at the next break, or at t.
double ct_breaks_stop(const ct_runner *r, double t);
// The last time before t that steps see, where t is an event: a few roundings earlier, so that
// expressions have their values from before.
double ct_breaks_before(const ct_runner *r, double t);
// At the end of a step: beyond the breaks that lie here. Returns their kinds, CT_BREAK_INPUT where
// inputs jump; whoever integrates passes them by ct_events_pass.
unsigned ct_breaks_pass(ct_runner *r);
// switching_times.c: times at which expressions of time in forces, motions and joints switch.
void ct_switching_times(ct_runner *r);
void ct_breaks_add_jumps(ct_runner *r, ct_pool *pool, ct_ex value, unsigned kinds,
                         const char *what);
// events.c: room for events of a run; at its start, once more, where joints may come at once.
void ct_events_open(ct_runner *r);
ct_status ct_events_start(ct_runner *r);
void ct_events_clear(ct_events *e);
// Passes breaks of these kinds, or a condition that has changed, at the current state.
ct_status ct_events_pass(ct_runner *r, unsigned kinds);
// One step of length h, divided where joints come and go by what happens in it.
ctk_status ct_events_step(ct_runner *r, double h, ct_status *status);
void ct_events_summarise(const ct_runner *r, ct_run_summary *summary);
bool ct_runner_stopped(const ct_runner *r);
ct_status ct_runner_fail(ct_runner *r, ctk_status status);
// Why the current state has no next one, or (row) why its row is not finite: a force, a motion, an
// output, gimbal lock, or a step that is too long; CT_OK: none of these.
ct_status ct_runner_blame(ct_runner *r, bool row);
// At the start: a spring whose ends lie on each other has no direction.
ct_status ct_runner_check_lines(ct_runner *r);
// reactions.c: true if efforts are those of the model's drives.
bool ct_run_drives(const ct_model *model, const ct_run_options *options);
// Columns of joints behind all others. Names that the options ask for are checked and
// added to the names of columns; *n: how many.
ct_status ct_reactions_open(ct_context *ctx, ct_system *s, const ct_run_options *options,
                            ct_run_reactions **reactions, int *n);
// From the first row on, once more.
void ct_reactions_restart(ct_runner *r);
// Of the current state, into the row behind its other columns.
ct_status ct_reactions_look(ct_runner *r, double *columns);
// At the end: what is not unique is told; sizes are summarised.
void ct_reactions_tell(const ct_runner *r);
// All columns of the last row that was looked at, as outputs read them: in an array, as numbers of the
// symbols in outputs.
const double *ct_reactions_values(const ct_runner *r);
void ct_reactions_set(const ct_runner *r, ct_numbers *numbers);
bool ct_outputs_read_reactions(const ct_model *model);
void ct_reactions_summarise(const ct_runner *r, ct_run_summary *summary);
// A row to the caller.
ct_status ct_runner_pass_on(ct_runner *r, const double *row);
// recall.c: the plan, columns and code of the run, from an earlier one or from the equations.
ct_status ct_runner_prepare(ct_runner *r);
// Says, once, that the model is interpreted and why.
void ct_runner_note_interpreted(ct_runner *r);
// The key of such a run of a system, false: there is none; the numbers of one that is there.
bool ct_runner_key(const ct_runner *r, ct_digest system, ct_digest *key);
// What is kept of a run, all of it. Returns false if it cannot be run again from that.
bool ct_runner_describe(ct_runner *r);
// From r->kept and r->code, instead of the equations.
ct_status ct_runner_start_recalled(ct_runner *r);
// vary.c: a run of the file's own values, with those that --set has changed. May the system have it?
bool ct_may_vary(const ct_system *s, const ct_run_options *options);
// The run of the file, which was started for this (simulate.c) since nothing was kept of it.
typedef struct ct_file_run {
    bool possible; // it is of use for other values
    ct_kept_run kept;
    ct_loaded loaded;
} ct_file_run;
ct_model *ct_vary_read_file(const ct_runner *r); // without --set; NULL: it cannot be read
ct_digest ct_vary_form_key(ct_digest run);       // of the form of its equations
// Code with the values, and what is kept of the run, in r->kept; key: of the file's run. Returns
// false if the values need equations of their own.
bool ct_vary_find(ct_runner *r, ct_digest key, const char *name, ct_loaded *loaded);
// The closure put to the test in the code of r.
bool ct_vary_holds(const ct_runner *r);
// The equations, where the run has come without them; then they are needed to explain a failure or
// to write more code.
ct_status ct_runner_need(ct_runner *r);
// At the first row: keeps what the next run starts with.
void ct_runner_keep(ct_runner *r);
// Goes on from the same state with code for all methods, where code for a closure alone has come to
// a limit position and nobody named the method. Returns false, with nothing changed, if that does
// not apply or the code cannot be had.
bool ct_runner_complete(ct_runner *r, ctk_status status);
// The same where a closure has lost digits: code for all methods lets the kernel go on by partition.
bool ct_runner_complete_loose(ct_runner *r);
// A run with the code of other values has failed while its rows wait: it is made again with code of
// its own, which says why, if it fails too.
static inline bool ct_runner_fails_by_values(const ct_runner *r) {
    return r->varied && r->waits;
}
// Says that a limit position is being crossed, once in a run by partition (others is NULL), once by
// the independent coordinates of another closure.
void ct_runner_tell(ct_runner *r, const char *others);
// limits/change_closure.c: after a step that has left the closure at a limit position, another closure goes on
// where one is regular. Tells of limit positions. Returns true if the state that is integrated is
// another one.
bool ct_runner_pass_limit(ct_runner *r);
// limits/closures.c: closure i, or the first one again, is in use; all but the first one go.
void ct_runner_use_closure(ct_runner *r, int i);
void ct_runner_first_closure(ct_runner *r);
void ct_runner_forget_closures(ct_runner *r);
// Closures of the system for those of the run, where it has come without equations; that in use is the
// system's.
ct_status ct_runner_need_closures(ct_runner *r);
const char **ct_closure_names(const ctk_model *m, int *n); // of independent coordinates
int ct_model_place(const ctk_model *m, const char *name);  // of a coordinate, or -1
// recall.c: code and columns of a closure that an earlier run has changed to. Returns false if nothing
// is kept of it.
bool ct_runner_recall_closure(const ct_runner *r, ct_digest key, ct_run_closure *x);
void ct_runner_keep_closure(const ct_runner *r, ct_digest key, ct_run_closure *x);
void ct_runner_progress(const ct_runner *r);

// accuracy.c: the largest estimated error of one step, relative, with its coordinate (or NULL);
// energy that came from nowhere, relative to what was exchanged (0 where motions do work)
double ct_runner_local_error(const ct_runner *r, const char **coordinate);
double ct_runner_energy_error(const ct_runner *r);
double ct_runner_mass(const ct_system *s); // of all bodies
// Takes the energies of the current state into account.
void ct_runner_balance(ct_runner *r, double kinetic, double potential);
// Errors above what `auto` accepts; errors with which no position can be blamed.
bool ct_runner_is_coarse(const ct_runner *r);
bool ct_runner_is_lost(const ct_runner *r);
// Fails: the step is too long.
ct_status ct_runner_say_long(ct_runner *r);
// At the end: warns of errors, and fails if the results are worthless.
ct_status ct_runner_judge(ct_runner *r, bool interrupted);
void ct_runner_summarise(const ct_runner *r, bool interrupted, ct_run_summary *summary);
// Rows that wait: one more; are they too many; all of them to the caller, the choice stands.
void ct_rows_add(ct_rows *rows, const double *row);
bool ct_runner_waits_long(const ct_runner *r);
ct_status ct_runner_release(ct_runner *r);
// status: of the run by rk4, which cvode repeats. Where cvode fails and rk4 did not, rk4 stands.
typedef ct_status ct_integrate(ct_runner *r, bool *interrupted);
bool ct_runner_needs_cvode(const ct_runner *r, ct_status status);
ct_status ct_runner_choose_cvode(ct_runner *r, ct_status status, ct_integrate *integrate,
                                 bool *interrupted, ct_run_summary *summary);

// adaptive.c: weights of errors, 1 / (rtol |y| + atol unit), of the kernel's state y [state_size]: slides in
// the mechanism's length, the work in the energy of all masses at a length in a second (1 where there
// are none)
double ct_energy_unit(const ct_runner *r);
void ct_state_weights(const ct_runner *r, double energy_unit, const double *y, double *w);
// How fast it goes: CT_RUN_SLOW_STEPS steps that are too short together would have no end.
typedef struct ct_pace {
    int taken; // steps since the time `since`
    double since;
} ct_pace;
typedef struct ct_adaptive { // a solver with steps of its own
    void *solver;
    ct_status (*step)(void *solver, double t_end); // one, accepted by the kernel
    ct_status (*start_anew)(void *solver);         // from the state of the kernel
    const char *(*hardest)(void *solver);          // coordinate that it has most trouble with
    ct_pace *pace;
} ct_adaptive;
// Steps to t_end: they end where the right side jumps, and states between rows are looked at.
ct_status ct_adaptive_advance(ct_runner *r, double t_end, const ct_adaptive *a);

// Advances the state to time t with ida, likewise.
typedef struct ct_ida ct_ida;
ct_status ct_ida_open(ct_runner *r, ct_ida **c);
ct_status ct_ida_advance(ct_ida *c, double t);
void ct_ida_close(ct_ida *c);

// Advances the state to time t with cvode, in steps of its own.
typedef struct ct_cvode ct_cvode;
ct_status ct_cvode_open(ct_runner *r, ct_cvode **c);
ct_status ct_cvode_advance(ct_cvode *c, double t);
void ct_cvode_close(ct_cvode *c);

#endif
