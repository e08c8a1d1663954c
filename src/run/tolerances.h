// Tolerances and defaults of a run. |Phi| is in units of its rows: radians, the mechanism's length, or
// its square.
#ifndef CT_RUN_TOLERANCES_H
#define CT_RUN_TOLERANCES_H

// defaults ----------------------------------------------------------------------------------------
#define CT_RUN_TIME 1.0   // seconds
#define CT_RUN_STEP 1e-3  // seconds, of the integrators with fixed steps; also the output step
#define CT_RUN_RTOL 1e-10 // of each state, in runs with adaptive steps
#define CT_RUN_ATOL 1e-12 // of states near zero: radians, slides in the mechanism's length

// times -------------------------------------------------------------------------------------------
#define CT_RUN_MOST_STEPS 1e10  // steps: more are a slip in `time` or `step`
#define CT_RUN_PART       1e-9  // of a step: rounding of times must not cost one more
#define CT_RUN_END        1e-12 // of the whole time: the end is reached but for rounding
#define CT_RUN_PROGRESS   0.1   // seconds of the clock between two reports of progress

// jumps of motions --------------------------------------------------------------------------------
#define CT_RUN_JUMP_VALUE 1e-6 // of the largest value of the motion: larger ones end the run
#define CT_RUN_JUMP_RATE  1e-3 // of its largest rate: velocities are wrong by as much from there on
#define CT_RUN_JUMP_SEEN  1e-9 // of both: smaller ones are rounding

// positions ---------------------------------------------------------------------------------------
// squared sine to a limit position: another method may have to start
#define CT_RUN_NEAR_BRANCH 1e-3

// failures ----------------------------------------------------------------------------------------
#define CT_RUN_LOCKED                                                                              \
    1e-4 // cosine of the middle of three angles: beyond, the mass matrix has lost half its digits
#define CT_RUN_NO_DIRECTION  1e-9  // of the mechanism's length, between the ends of a spring
#define CT_RUN_NO_TENSION    1e-12 // newtons
#define CT_RUN_ENERGY_LOST   0.1 // of the energy exchanged: the step is to blame, not the position
#define CT_RUN_FINER_SECONDS 1.0 // of the clock, for a trial with shorter steps

#endif
