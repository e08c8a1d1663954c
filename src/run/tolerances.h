// Tolerances and defaults of a run. |Phi| is in units of its rows: radians, the mechanism's length, or
// its square.
#ifndef CT_RUN_TOLERANCES_H
#define CT_RUN_TOLERANCES_H

// defaults ----------------------------------------------------------------------------------------
#define CT_RUN_TIME 1.0   // seconds
#define CT_RUN_STEP 1e-3  // seconds, of the integrators with fixed steps; also the output step
#define CT_RUN_RTOL 1e-10 // of each state, in runs with adaptive steps
#define CT_RUN_ATOL 1e-12 // of states near zero: radians, slides in the mechanism's length

enum { CT_RUN_MOST_ITERATIONS = 1000 }; // of an implicit step: more are a slip
// Penalty of method global, whose rows hold shapes of bodies too: a double four-bar converges at all
// steps from 1e7 on, by method hybrid from 1e4 on.
#define CT_RUN_PENALTY_GLOBAL 1e7
enum { CT_RUN_FIXED_POINT = 30 }; // of a step of method recursive, unless others are asked for

// times -------------------------------------------------------------------------------------------
#define CT_RUN_MOST_STEPS 1e10  // steps: more are a slip in `time` or `step`
#define CT_RUN_PART       1e-9  // of a step: rounding of times must not cost one more
#define CT_RUN_END        1e-12 // of the whole time: the end is reached but for rounding
#define CT_RUN_PROGRESS   0.1   // seconds of the clock between two reports of progress

// jumps of motions --------------------------------------------------------------------------------
#define CT_RUN_JUMP_VALUE 1e-6 // of the largest value of the motion: larger ones end the run
#define CT_RUN_JUMP_RATE  1e-3 // of its largest rate: velocities are wrong by as much from there on
enum { CT_RUN_MOST_JUMPS = 10000 }; // of the expression of an input: steps are divided at no more
#define CT_RUN_JUMP_PART 1e-6 // of a jump: what changes from one double to the next is part of it
#define CT_RUN_JUMP_SEEN 1e-9 // of both: smaller ones are rounding

// drives ------------------------------------------------------------------------------------------
#define CT_DRIVES_LEFT 1e-6 // of the largest force so far: a load that no drive takes
// joints that come and go ------------------------------------------------------------------------
enum {
    CT_RUN_CHATTER = 64, // events within so few steps: a condition that its own joint changes
    CT_RUN_CHATTER_STEPS = 8
};

// positions ---------------------------------------------------------------------------------------
// squared sine to a limit position: another method may have to start
#define CT_RUN_NEAR_BRANCH 1e-3
// Another closure takes over at a limit position: smallest guard of it, of its scale; that guard of one
// that was left before, in parts of what it was then; operations, in parts of those of the first one
#define CT_RUN_REGULAR    0.03
#define CT_RUN_FARTHER    2
#define CT_RUN_OTHER_COST 1.5
#define CT_RUN_CLOSE                                                                               \
    1e-3               // a guard of its scale: adapted steps at small tolerances leave the closure
#define CT_RUN_STAY 20 // steps: a closure that stays shorter was no help

// accuracy ----------------------------------------------------------------------------------------
#define CT_RUN_LOCAL_ERROR CTK_LONG_STEP // of one step, relative: above, its length is named
#define CT_RUN_ENERGY_OFF  1e-2          // of the energy exchanged: likewise
// of the energy exchanged, where nobody named the integrator: an oscillation that rk4 damps by so
// much is late by less than 1e-2 radians, up to a million steps
#define CT_RUN_ENERGY_CHOSEN 1e-3
// of the way of a coordinate, all steps of rk4 together, where no energy is kept: an oscillation is
// late by less than 1e-2 radians then, since the estimate is that of a formula of third order
#define CT_RUN_WAY_CHOSEN       0.05
#define CT_RUN_WAY_OFF          1e-2 // likewise by euler, rk2 and ab4, whose estimates are their own
#define CT_RUN_ERROR_WORTHLESS  1.0  // of one step: no digit is right
#define CT_RUN_ENERGY_WORTHLESS 0.5  // of the energy exchanged: likewise
#define CT_RUN_STILL            1e-9 // of the mechanism's length in the run: it does not move
#define CT_RUN_SHORT            1e-4 // of the longest way, in units: no way of its own
#define CT_RUN_MOST_WAITING     2e7  // numbers in rows that wait for the choice of the integrator
// rtol of cvode: so accurate, Adams' formulas up to order 12 need a quarter of the steps that
// backward differences up to order 5 do, and their errors do not add up
#define CT_RUN_ADAMS       1e-11
#define CT_RUN_SLOW_STEPS  10000 // of cvode, at a pace that would take CT_RUN_MOST_STEPS
#define CT_RUN_SLOW_CHOSEN 1e8   // steps of cvode likewise, where rk4 can stand in

// sine of the middle of three angles to the lock where a closure is left that needs their rates
// (CT_GUARD_NEAR_LOCK), and a little more
#define CT_RUN_NEAR_LOCK 0.06

// of the way to the lock, in radians: three angles of a joint may turn by so much between two states that
// they are continued at
#define CT_RUN_UNSEEN 0.05

// failures ----------------------------------------------------------------------------------------
#define CT_RUN_LOCKED                                                                              \
    1e-4 // cosine of the middle of three angles: beyond, the mass matrix has lost half its digits
#define CT_RUN_LOCK_NEAR     0.3   // the same: what steps turn so far has another cause
#define CT_RUN_NO_DIRECTION  1e-9  // of the mechanism's length, between the ends of a spring
#define CT_RUN_NO_TENSION    1e-12 // newtons
#define CT_RUN_ENERGY_LOST   0.1 // of the energy exchanged: the step is to blame, not the position
#define CT_RUN_ERROR_LOST    0.1 // of one step: likewise
#define CT_RUN_FINER_SECONDS 1.0 // of the clock, for a trial with shorter steps

// Operations of M and F above which code with a closure leaves them out (a second of compiling):
// generated code cannot cross limit positions then, a run compiles them when it comes to one.
// Generated code has them all the same where balls are in angles, whose lock is no limit position
#define CT_RUN_LONG 5000

#endif
