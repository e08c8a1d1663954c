// The commands and the options, one line each. A command also needs its function command_<name>; an
// option becomes a field of `arguments`.
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

// X(name, what it does)
#define COMMANDS(X)                                                                                \
    X(check, "read the model, count freedoms, find redundant constraints and contradictions")      \
    X(trees, "show the linear graph, the selected trees and what the equations cost")              \
    X(equations, "write the equations of motion: M, F and Phi")                                    \
    X(simulate, "integrate the equations of motion; CSV to -o or stdout")                          \
    X(kinematics, "driven motion: positions, velocities, accelerations; CSV to -o or stdout")      \
    X(inverse, "efforts of a driven motion and reactions of all joints; CSV to -o or stdout")      \
    X(statics, "find the forces that hold the mechanism in its position, and all reactions")       \
    X(equilibrium, "find where the mechanism rests, downhill from the initial position, and how "  \
                   "stable that is")                                                               \
    X(mass, "mass, centre of mass, inertia, energy and momentum of the initial position")          \
    X(plot, "plot results on the terminal, or with -o FILE.svg, .png or .pdf; compare two")        \
    X(configurations, "find every assembly configuration of a mechanism, or every solution of a "  \
                      "polynomial system")                                                         \
    X(basis, "compute the Groebner basis of a polynomial system or of the loops of a mechanism")   \
    X(close, "show how the loops are closed: independent coordinates, steps in order, cost")       \
    X(generate, "write C99 code that needs only libm to the folder -o")                            \
    X(view, "write one HTML file that shows a model in motion, a result, or every assembly; or a " \
            "still, with -o FILE.svg")                                                             \
    X(report, "write one HTML file that holds everything about a model, to read and to print")     \
    X(bench, "measure the solution approaches on this model side by side")                         \
    X(cache, "show what is kept between runs, and where; with --clear remove it")

// Commands that are part of the language but not there yet.
#define PLANNED_COMMANDS(X)                                                                        \
    X(linearize, "state equations about a state of motion or of rest")                             \
    X(import, "read the records of classical planar programs")

// clang-format off
typedef enum command_id {
#define NUMBER_COMMAND(name, ...) COMMAND_##name,
    COMMANDS(NUMBER_COMMAND)
#undef NUMBER_COMMAND
    COMMAND_COUNT
} command_id;

// Where an option applies.
enum {
#define NAME_BIT(name, ...) AT_##name = 1 << COMMAND_##name,
    COMMANDS(NAME_BIT)
#undef NAME_BIT
    AT_RUN = AT_simulate | AT_kinematics | AT_inverse | AT_view | AT_report,
    AT_SOLVER = AT_simulate | AT_generate | AT_view | AT_report,
    AT_ALL = (1 << COMMAND_COUNT) - 1,
    AT_RESULTS = AT_plot, // takes CSV files, one or more
    AT_ALONE = AT_cache,  // takes no file
    AT_FILE = AT_ALL & ~AT_ALONE,
    AT_MODEL = AT_FILE & ~AT_RESULTS,
    AT_INPUTS = AT_RUN | AT_equilibrium | AT_statics | AT_bench,
    AT_LOOPS = AT_close | AT_bench,
    AT_ALGEBRA = AT_configurations | AT_basis,
    AT_FOLD = AT_MODEL & ~AT_ALGEBRA & ~AT_view,
    AT_TREES = AT_MODEL & ~AT_ALGEBRA & ~AT_LOOPS,
    AT_WRITTEN = AT_trees | AT_equations // equations that are shown, not run
};
// clang-format on

// X(kind, field, long name, letter, argument, where, choices, planned choices, what it does)
#define OPTIONS(X)                                                                                 \
    X(FLAG, json, "json", 0, NULL, AT_ALL, NULL, NULL, "print one JSON object on stdout")          \
    X(LIST, set, "set", 0, "NAME=EXPR", AT_MODEL, "l1=0.3", NULL,                                  \
      "override a parameter; may be repeated")                                                     \
    X(LIST, input, "input", 0, "NAME=EXPR", AT_INPUTS, "steer=0.1*t", NULL,                        \
      "an input as an expression of t and parameters; may be repeated")                            \
    X(ONCE, inputs, "inputs", 0, "FILE.csv", AT_INPUTS, NULL, NULL,                                \
      "inputs from a file: columns t and inputs by name, straight lines between rows")             \
    X(FLAG, hold, "hold", 0, NULL, AT_RUN | AT_bench, NULL, NULL,                                  \
      "inputs from a file keep the value of the last row")                                         \
    X(TEXT, held, "hold", 0, "NAMES", AT_equilibrium, NULL, NULL,                                  \
      "coordinates that stay where they start, as a,b")                                            \
    X(NUMBER, at, "at", 0, "SECONDS", AT_equilibrium | AT_statics | AT_inverse, NULL, NULL,        \
      "the time of motions, loads and inputs (default: 0)")                                        \
    X(FLAG, nearest, "nearest", 0, NULL, AT_equilibrium, NULL, NULL,                               \
      "Newton's iteration from the start, to a position that may be unstable")                     \
    X(FLAG, equilibrium, "equilibrium", 0, NULL, AT_simulate, NULL, NULL,                          \
      "start from the equilibrium, at rest")                                                       \
    X(FLAG, fold, "fold", 0, NULL, AT_FOLD, NULL, NULL,                                            \
      "parameters become numbers: shorter code, for these values alone")                           \
    X(TEXT, output, "output", 'o', "PATH", AT_FILE, NULL, NULL, "write to PATH instead of stdout") \
    X(TEXT, model, "model", 0, "MODEL", AT_view, NULL, NULL, "the model of a result RESULT.csv")   \
    X(FLAG, all, "configurations", 0, NULL, AT_view, NULL, NULL,                                   \
      "show every real assembly configuration, side by side")                                      \
    X(FLAG, bench, "bench", 0, NULL, AT_report, NULL, NULL,                                        \
      "measure the approaches also where compiling them takes minutes")                            \
    X(FLAG, open, "open", 0, NULL, AT_view | AT_report, NULL, NULL, "show it in a browser")        \
    X(TEXT, rule, "rule", 0, "RULE", AT_TREES & ~AT_WRITTEN, "joint absolute vbts fbts", "best",   \
      "how the trees are selected")                                                                \
    X(TEXT, written_rule, "rule", 0, "RULE", AT_WRITTEN, "joint absolute vbts fbts best", NULL,    \
      "how the trees are selected")                                                                \
    X(NUMBER, budget, "budget", 0, "SECONDS", AT_WRITTEN, ">0", NULL,                              \
      "how long the rule best may search, about (default: 1)")                                     \
    X(FLAG, dot, "dot", 0, NULL, AT_trees, NULL, NULL, "write the graph for Graphviz")             \
    X(FLAG, latex, "latex", 0, NULL, AT_equations, NULL, NULL, "write the equations in LaTeX")     \
    X(FLAG, c, "c", 0, NULL, AT_equations, NULL, NULL, "write the equations in C")                 \
    X(TEXT, target, "target", 0, "TARGET", AT_generate, CT_TARGETS(CT_NAME_AND_BLANK),             \
      CT_TARGETS_LATER(CT_NAME_AND_BLANK), "what to generate")                                     \
    X(TEXT, method, "method", 0, "METHOD", AT_SOLVER, CT_METHODS(CT_NAME_AND_BLANK),               \
      CT_METHODS_LATER(CT_NAME_AND_BLANK), "how the loops are kept closed")                        \
    X(TEXT, driven, "method", 0, "METHOD", AT_kinematics | AT_inverse,                             \
      "triangular newton-loops newton", NULL, "how the loops are closed")                          \
    X(TEXT, elimination, "method", 0, "METHOD", AT_configurations, "sylvester rur eigen", NULL,    \
      "how the unknowns are eliminated")                                                           \
    X(TEXT, hide, "hide", 0, "UNKNOWN", AT_configurations, NULL, NULL,                             \
      "the unknown that the eliminant is in")                                                      \
    X(TEXT, over, "over", 0, "NAME=FROM..TO", AT_configurations | AT_view, NULL, NULL,             \
      "all assemblies along the range of a coordinate")                                            \
    X(NUMBER, branch, "branch", 0, "NUMBER", AT_configurations | AT_view, NULL, NULL,              \
      "the branch along that range, as a result or in the view")                                   \
    X(TEXT, order, "order", 0, "ORDER", AT_basis, "lex grlex degrevlex", NULL,                     \
      "how monomials are ordered (default: degrevlex)")                                            \
    X(TEXT, variables, "variables", 0, "NAMES", AT_basis, NULL, NULL,                              \
      "the unknowns as a,b,.., greatest first; coordinates among them are free")                   \
    X(TEXT, substitution, "substitution", 0, "FORM", AT_basis, "sincos halfangle euler", NULL,     \
      "what stands for the sine and cosine of an angle (default: sincos)")                         \
    X(TEXT, symbolic, "symbolic", 0, "NAMES", AT_basis, NULL, NULL,                                \
      "parameters and unknowns that stay symbols of the coefficients, as p,q")                     \
    X(NUMBER, digits, "digits", 0, "NUMBER", AT_basis, ">0", NULL,                                 \
      "an approximate basis in decimal numbers of so many digits")                                 \
    X(TEXT, resultant, "resultant", 0, "NAMES", AT_basis, NULL, NULL,                              \
      "resultants of the equations, which eliminate these unknowns, as x,y")                       \
    X(FLAG, prove, "prove", 0, NULL, AT_ALGEBRA, NULL, NULL,                                       \
      "prove the basis over the rationals, not modulo a prime")                                    \
    X(NUMBER, limit_time, "limit-time", 0, "SECONDS", AT_ALGEBRA, ">0", NULL,                      \
      "give up after this time")                                                                   \
    X(NUMBER, limit_memory, "limit-memory", 0, "MB", AT_ALGEBRA, ">0", NULL,                       \
      "give up beyond this much memory")                                                           \
    X(TEXT, integrator, "integrator", 0, "NAME", AT_SOLVER,                                        \
      CT_INTEGRATORS_CHOSEN(CT_NAME_AND_BLANK) CT_INTEGRATORS(CT_NAME_AND_BLANK)                   \
          CT_INTEGRATORS_ADAPTIVE(CT_NAME_AND_BLANK),                                              \
      CT_INTEGRATORS_LATER(CT_NAME_AND_BLANK), "how time advances")                                \
    X(TEXT, independent, "independent", 0, "NAMES", AT_LOOPS, NULL, NULL,                          \
      "the independent coordinates, as a,b")                                                       \
    X(NUMBER, time, "time", 0, "SECONDS", AT_RUN | AT_generate | AT_bench, NULL, NULL,             \
      "length of the run")                                                                         \
    X(NUMBER, step, "step", 0, "SECONDS", AT_RUN | AT_generate | AT_bench, ">0", NULL,             \
      "length of a step")                                                                          \
    X(FLAG, longest, "longest", 0, NULL, AT_bench, NULL, NULL,                                     \
      "the methods of simulate at one step, and at the longest that each bears")                   \
    X(NUMBER, error, "error", 0, "NUMBER", AT_bench, ">0", NULL,                                   \
      "what it bears: largest error of a coordinate, m or rad (default: 0.01)")                    \
    X(NUMBER, output_step, "output-step", 0, "SECONDS", AT_RUN, ">0", NULL,                        \
      "distance of the result rows (default: the step)")                                           \
    X(NAMES, reactions, "reactions", 0, "NAMES", AT_simulate | AT_kinematics | AT_view, NULL,      \
      NULL, "the forces of all joints and motions, or of those named, as A,B")                     \
    X(NUMBER, rtol, "rtol", 0, "NUMBER", AT_simulate, ">0", NULL, "relative tolerance (cvode)")    \
    X(NUMBER, atol, "atol", 0, "NUMBER", AT_simulate, ">0", NULL, "absolute tolerance (cvode)")    \
    X(NUMBER, alpha, "alpha", 0, "NUMBER", AT_SOLVER, NULL, NULL, "velocity feedback (baumgarte)") \
    X(NUMBER, beta, "beta", 0, "NUMBER", AT_SOLVER, NULL, NULL, "position feedback (baumgarte)")   \
    X(NUMBER, penalty, "penalty", 0, "NUMBER", AT_SOLVER, ">0", NULL,                              \
      "penalty factor (penalty, hybrid)")                                                          \
    X(NUMBER, iterations, "iterations", 0, "NUMBER", AT_SOLVER, ">0", NULL,                        \
      "most iterations in a step (trapezoid, hht, generalized-alpha; default: 10)")                \
    X(FLAG, fixed, "fixed", 0, NULL, AT_SOLVER, NULL, NULL,                                        \
      "always as many iterations, for steps of constant time")                                     \
    X(NUMBER, tolerance, "tolerance", 0, "NUMBER", AT_SOLVER, ">0", NULL,                          \
      "of accelerations, relative, where iterations end (default: 1e-4)")                          \
    X(NUMBER, rho, "rho", 0, "NUMBER", AT_SOLVER, NULL, NULL,                                      \
      "spectral radius, 0 to 1 (generalized-alpha; default: 0.9)")                                 \
    X(NUMBER, hht, "hht", 0, "NUMBER", AT_SOLVER, NULL, NULL,                                      \
      "dissipation alpha, 0 to 1/3 (hht; default: 0.1)")                                           \
    X(TEXT, tangent, "tangent", 0, "TANGENT", AT_SOLVER, CT_TANGENTS(CT_NAME_AND_BLANK),           \
      CT_TANGENTS_LATER(CT_NAME_AND_BLANK), "derivatives of forces for the iterations")            \
    X(TEXT, events, "events", 0, "WHEN", AT_SOLVER, CT_EVENTS(CT_NAME_AND_BLANK), NULL,            \
      "divide steps at events, or wait for their ends")                                            \
    X(NUMBER, zeta, "zeta", 0, "NUMBER", AT_SOLVER, NULL, NULL, "damping ratio (penalty)")         \
    X(NUMBER, omega, "omega", 0, "NUMBER", AT_SOLVER, NULL, NULL, "natural frequency (penalty)")   \
    X(TEXT, columns, "columns", 0, "NAMES", AT_plot, NULL, NULL,                                   \
      "what to plot, by names or patterns, as 'h1*,tip_x' (default: the coordinates)")             \
    X(TEXT, x, "x", 0, "COLUMN", AT_plot, NULL, NULL, "what to plot against (default: t)")         \
    X(REAL, from, "from", 0, "NUMBER", AT_plot, NULL, NULL, "where the plot begins")               \
    X(REAL, to, "to", 0, "NUMBER", AT_plot, NULL, NULL, "where the plot ends")                     \
    X(FLAG, difference, "difference", 0, NULL, AT_plot, NULL, NULL,                                \
      "how two results differ: the largest, the mean square, and a plot of it")                    \
    X(TEXT, title, "title", 0, "TEXT", AT_plot, NULL, NULL, "the title of the plot")               \
    X(FLAG, clear, "clear", 0, NULL, AT_cache, NULL, NULL, "remove everything that is kept")       \
    X(FLAG, ascii, "ascii", 0, NULL, AT_plot, NULL, NULL, "plain characters on the terminal")      \
    X(FLAG, quiet, "quiet", 'q', NULL, AT_ALL, NULL, NULL, "no summary and no progress on stderr") \
    X(FLAG, help, "help", 'h', NULL, AT_ALL, NULL, NULL, "print this help")                        \
    X(FLAG, version, "version", 0, NULL, AT_ALL, NULL, NULL, "print the version")

typedef struct command_row {
    const char *name, *summary;
    bool planned;
} command_row;

typedef enum option_kind {
    KIND_FLAG,
    KIND_TEXT,
    KIND_NAMES, // a list of names, which may be left out
    KIND_ONCE,
    KIND_LIST,
    KIND_NUMBER,
    KIND_REAL
} option_kind;
typedef struct option_row {
    option_kind kind;
    const char *name;
    char letter;
    const char *argument;
    unsigned where;
    // a number's choices: ">0" or NULL (zero is fine too); those of a list: an example
    const char *choices, *planned, *summary;
    size_t offset; // of its field in `arguments`
} option_row;

extern const command_row command_table[]; // COMMAND_COUNT that work, then the planned ones
extern const int command_count, option_count;
extern const option_row option_table[];

#endif
