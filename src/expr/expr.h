// Expressions: a hash-consed DAG in a pool, canonical as it is built.
//
// Canonical form. A number is an exact rational. A SUM is  k + t1 + c2 t2 + ...  with rational
// coefficients, flat, sorted, its first term with coefficient 1; a PRODUCT is  c * b1^e1 * b2^e2
// ... with a rational coefficient and integer exponents, flat and sorted. Any sum is therefore c *
// (monic sum) in exactly one way, and equal sums, products and multiples share nodes. Construction
// simplifies zeros and ones, like terms, like factors, odd and even functions, sqrt(x)^2, s^2 + c^2
// = 1, sines and cosines of sums (cos a cos b - sin a sin b = cos(a + b)), and of multiples of pi/6
// and pi/4. Products of sums are never expanded. Nodes live as long as the pool.
#ifndef CT_EXPR_H
#define CT_EXPR_H

#include "util/util.h"

#include <flint/fmpq.h>

typedef uint32_t ct_ex; // a node of a pool; 0 is the number zero, 1 the number one
typedef struct ct_pool ct_pool;

#define CT_ZERO ((ct_ex)0)
#define CT_ONE  ((ct_ex)1)

typedef enum ct_symbol_kind {
    CT_SYMBOL_PARAMETER,
    CT_SYMBOL_INPUT,
    CT_SYMBOL_TIME,
    CT_SYMBOL_COORDINATE,
    CT_SYMBOL_RATE,
    CT_SYMBOL_ACCELERATION,
    CT_SYMBOL_REACTION, // what a joint carries, the effort of a motion: in outputs alone
    CT_SYMBOL_OTHER     // anything that its owner replaces before evaluation (x(body.point), ...)
} ct_symbol_kind;

// One line per node type: enumerator, name in the expression language (or NULL), arguments.
#define CT_OPS(X)                                                                                  \
    X(NUMBER, NULL, 0)                                                                             \
    X(PI, NULL, 0)                                                                                 \
    X(UNDEFINED, NULL, 0)                                                                          \
    X(SYMBOL, NULL, 0)                                                                             \
    X(SUM, NULL, -1)                                                                               \
    X(PRODUCT, NULL, -1)                                                                           \
    X(POWER, NULL, 2) /* real exponent */                                                          \
    X(SQRT, "sqrt", 1)                                                                             \
    X(SIN, "sin", 1)                                                                               \
    X(COS, "cos", 1)                                                                               \
    X(TAN, "tan", 1)                                                                               \
    X(ASIN, "asin", 1)                                                                             \
    X(ACOS, "acos", 1)                                                                             \
    X(ATAN, "atan", 1)                                                                             \
    X(EXP, "exp", 1)                                                                               \
    X(LOG, "log", 1)                                                                               \
    X(ABS, "abs", 1)                                                                               \
    X(SIGN, "sign", 1)                                                                             \
    X(ATAN2, "atan2", 2)                                                                           \
    X(MIN, "min", 2)                                                                               \
    X(MAX, "max", 2)                                                                               \
    X(LESS, NULL, 2)                                                                               \
    X(LESS_EQUAL, NULL, 2)                                                                         \
    X(EQUAL, NULL, 2)                                                                              \
    X(IF, "if", 3)                                                                                 \
    X(TABLE, NULL, 1)                                                                              \
    X(LET, NULL, 1) /* a value kept whole: not merged into the sums and products around it */

typedef enum ct_op {
#define X(name, text, arity) CT_OP_##name,
    CT_OPS(X)
#undef X
} ct_op;

// pool ---------------------------------------------------------------------------------------
ct_pool *ct_pool_new(void);
void ct_pool_free(ct_pool *pool);
// A pool with the same nodes under the same numbers. The two are independent: expressions built in
// a copy do not depend on those that were tried elsewhere.
ct_pool *ct_pool_copy(const ct_pool *pool);
size_t ct_pool_size(const ct_pool *pool); // nodes
// Of the nodes under their numbers: what is built does not differ between pools of one digest.
ct_digest ct_pool_digest(const ct_pool *pool);

// leaves -------------------------------------------------------------------------------------
ct_ex ct_int(ct_pool *pool, long value);
ct_ex ct_rational(ct_pool *pool, long numerator, long denominator);
ct_ex ct_number(ct_pool *pool, const fmpq_t value);
ct_ex ct_exact_number(ct_pool *pool, double x); // a finite double is a fraction
ct_ex ct_pi(ct_pool *pool);
// The symbol of this kind and name; made on first use.
ct_ex ct_symbol(ct_pool *pool, ct_symbol_kind kind, const char *name);

// arithmetic ---------------------------------------------------------------------------------
ct_ex ct_sum(ct_pool *pool, int n, const ct_ex *terms);
ct_ex ct_product(ct_pool *pool, int n, const ct_ex *factors);
ct_ex ct_add(ct_pool *pool, ct_ex a, ct_ex b);
ct_ex ct_sub(ct_pool *pool, ct_ex a, ct_ex b);
ct_ex ct_neg(ct_pool *pool, ct_ex a);
ct_ex ct_mul(ct_pool *pool, ct_ex a, ct_ex b);
ct_ex ct_div(ct_pool *pool, ct_ex a,
             ct_ex b); // a number divided by the number zero: see ct_undefined
ct_ex ct_power_int(ct_pool *pool, ct_ex a, long exponent);
ct_ex ct_power(ct_pool *pool, ct_ex a, ct_ex exponent);
ct_ex ct_apply(ct_pool *pool, ct_op op,
               const ct_ex *args); // any op with fixed arguments, canonical
ct_ex ct_sin(ct_pool *pool, ct_ex a);
ct_ex ct_cos(ct_pool *pool, ct_ex a);
ct_ex ct_sqrt(ct_pool *pool, ct_ex a);
ct_ex ct_if(ct_pool *pool, ct_ex condition, ct_ex yes, ct_ex no);
// An opaque node (LET) around an expression, which is not merged into the sums and products around
// it; a numerical factor of usual size stays outside.
ct_ex ct_let(ct_pool *pool, ct_ex a);
// The same with the factor inside and only the sign outside, for expressions used more than once.
ct_ex ct_let_whole(ct_pool *pool, ct_ex a);
// Spline number `table` at x, differentiated `order` times (0..3).
ct_ex ct_table(ct_pool *pool, int table, int order, ct_ex x);
// The node of an undefined constant (1/0, log(-1), a number too large to write). Every expression
// with an undefined part is this node. Readers report it where it arises.
ct_ex ct_undefined(ct_pool *pool);

// splines ------------------------------------------------------------------------------------
// Cubic spline through the points (natural, or periodic); returns its number. x must increase.
// Constant beyond the ends unless periodic; derivatives at an end are those inside.
int ct_table_define(ct_pool *pool, const char *name, int n, const double *x, const double *y,
                    bool periodic);
// Numbers of a table that depend on symbols: a spline is linear in its y, so that
//   table(x) = sum over k of  factor_k spline_k((x - offset) / scale),
// with the table's own spline first, whose factor is 1. Adds a further spline through (x, y) of the
// same knots.
void ct_table_add(ct_pool *pool, int table, ct_ex factor, const double *y);
void ct_table_stretch(ct_pool *pool, int table, ct_ex offset, ct_ex scale);
ct_ex ct_table_at(ct_pool *pool, int table, ct_ex x);     // the sum
int ct_table_find(const ct_pool *pool, const char *name); // -1: none
double ct_table_value(const ct_pool *pool, int table, int order, double x);
typedef struct ct_spline {
    const char *name;
    int n; // points
    bool periodic;
    const double *x, *a; // breakpoints [n]; coefficients a[4*i..]: y = a0 + a1 d + a2 d^2 + a3 d^3
} ct_spline;
int ct_table_count(const ct_pool *pool);
ct_spline ct_table_get(const ct_pool *pool, int table);

// looking at nodes ---------------------------------------------------------------------------
ct_op ct_ex_op(const ct_pool *pool, ct_ex a);
bool ct_is_number(const ct_pool *pool, ct_ex a);
bool ct_number_get(const ct_pool *pool, ct_ex a, fmpq_t value); // false if not a number
const char *ct_symbol_name(const ct_pool *pool, ct_ex a);       // a is a symbol
ct_symbol_kind ct_symbol_kind_of(const ct_pool *pool, ct_ex a);
// Children in order. SUM: constant, then coefficient and term in turn; PRODUCT: coefficient, then
// base and exponent in turn (exponents are NUMBER nodes); others: their arguments.
int ct_child_count(const ct_pool *pool, ct_ex a);
ct_ex ct_child(const ct_pool *pool, ct_ex a, int i);
int ct_table_of(const ct_pool *pool, ct_ex a, int *order); // of a TABLE node
// Set of symbol kinds below the node, as bits 1 << kind. PI and numbers give none.
unsigned ct_ex_kinds(const ct_pool *pool, ct_ex a);
bool ct_depends(ct_pool *pool, ct_ex a, ct_ex symbol);
// Every symbol below the roots, once each, in order of creation; *symbols is scratch of the call.
int ct_ex_symbols(ct_pool *pool, int n, const ct_ex *roots, ct_ex **symbols);

// derivation ---------------------------------------------------------------------------------
// A derivation is given by the images of symbols: d/dx sends x to 1, the total time
// derivative sends q to qd, qd to qdd and t to 1. Symbols not in the map go to 0.
typedef struct ct_derivation ct_derivation;
ct_derivation *ct_derivation_new(ct_pool *pool);
void ct_derivation_map(ct_derivation *d, ct_ex symbol, ct_ex image);
ct_ex ct_derive(ct_derivation *d, ct_ex a); // results are remembered in d
void ct_derivation_free(ct_derivation *d);
ct_ex ct_diff(ct_pool *pool, ct_ex a, ct_ex symbol);

// Simultaneous replacement of symbols; results are remembered in the object.
typedef struct ct_substitution ct_substitution;
ct_substitution *ct_substitution_new(ct_pool *pool);
void ct_substitution_map(ct_substitution *known, ct_ex symbol, ct_ex value);
ct_ex ct_substitute(ct_substitution *known, ct_ex a);
void ct_substitution_free(ct_substitution *known);

// evaluation ---------------------------------------------------------------------------------
// value(data, symbol) gives symbols their numbers.
typedef double ct_value_fn(void *data, ct_ex symbol);
// The same, but values that are zero up to the rounding of their own operands (running error
// analysis, the symbols being known to one unit in the last place) are zero.
void ct_eval_rounded(ct_pool *pool, int n, const ct_ex *roots, ct_value_fn *value, void *data,
                     double *out);
double ct_eval(ct_pool *pool, ct_ex a, ct_value_fn *value, void *data);
void ct_eval_many(ct_pool *pool, int n, const ct_ex *roots, ct_value_fn *value, void *data,
                  double *out);
// The same roots many times, without memory of its own: nodes that do not hold the symbol that
// varies are evaluated once. A tape lives as long as its pool and its region.
typedef struct ct_tape ct_tape;
ct_tape *ct_tape_new(ct_pool *pool, int n, const ct_ex *roots, ct_ex varies, ct_value_fn *value,
                     void *data);
void ct_tape_eval(ct_tape *tape, double x, double *out); // the symbol being x
double ct_rational_double(const fmpq_t v);               // the nearest double
// Value of an expression in numbers only, e.g. 3/10 or pi/4; NaN if it depends on a symbol.
double ct_constant_value(ct_pool *pool, ct_ex a);

// counting -----------------------------------------------------------------------------------
typedef struct ct_operations {
    double add, mul, div, func; // doubles: expanded counts overflow integers
} ct_operations;
// Operations to evaluate the roots, shared nodes once; nodes made only of numbers, pi and
// parameters (set up once, before the run) are free.
ct_operations ct_count_shared(ct_pool *pool, int n, const ct_ex *roots);
// The same with every expression written out in full.
ct_operations ct_count_expanded(ct_pool *pool, int n, const ct_ex *roots);
double ct_operations_total(ct_operations c);

// printing -----------------------------------------------------------------------------------
typedef enum ct_style { CT_STYLE_TEXT, CT_STYLE_C, CT_STYLE_LATEX } ct_style;
char *ct_print(ct_pool *pool, ct_ex a, ct_style style); // owned by the caller
void ct_print_to(ct_pool *pool, ct_text *out, ct_ex a, ct_style style);

// parsing ------------------------------------------------------------------------------------
// How names are resolved. Positions are byte offsets into the text.
typedef struct ct_parse_error {
    size_t offset;
    char message[256];
} ct_parse_error;
typedef struct ct_names {
    void *data;
    // `name` (primes: how many followed it, 2 at most). Returns false and fills `error->message` if
    // unknown.
    bool (*resolve)(void *data, const char *name, int primes, size_t offset, ct_ex *value,
                    ct_parse_error *error);
    // A call whose arguments are names (x(body.point), table(name, x) has its first one so): tried
    // before the built-in functions. Sets *known false to let the parser go on with the built-in
    // ones. names[i] is the i-th argument if it is a bare name, else NULL; values[i] is its value
    // if it was asked for.
    bool (*is_name_call)(void *data,
                         const char *function); // true: arguments are names, not expressions
    bool (*name_call)(void *data, const char *function, int n, const char *const *names,
                      size_t offset, ct_ex *value, ct_parse_error *error);
    // table(name, x)
    int (*find_table)(void *data, const char *name); // -1: unknown
} ct_names;
// Names may hold dots (J.1, body.point) and may stand in backquotes when they are not plain
// identifiers.
bool ct_parse(ct_pool *pool, const char *text, const ct_names *names, ct_ex *value,
              ct_parse_error *error);
// True if the word is a name of the expression language: a letter or _, then letters, digits, _.
bool ct_is_identifier(const char *s);
// Built-in function names and constants, NULL-terminated: for messages and reserved words.
extern const char *const ct_builtin_names[];

#endif
