// Inside of the interpreter: emitted C on its way to instructions, function by function. Names are
// bound to registers; a call of another function of the text is written in its place.
#ifndef CT_READER_H
#define CT_READER_H

#include "run/interpret/machine.h"
#include "run/interpret/tokens.h"

// A function of the text.
typedef struct ct_source_function {
    int name;
    int head, body; // tokens: after the bracket of the arguments, after the brace
} ct_source_function;

typedef enum ct_binding_kind {
    CT_BOUND_NOT,
    CT_BOUND_NUMBER, // a register
    CT_BOUND_ARRAY,  // registers
    CT_BOUND_INTS,   // a place among the machine's integers
    CT_BOUND_INDEX   // of a loop that is written out: the number itself
} ct_binding_kind;

// What a name stands for.
typedef struct ct_binding {
    ct_binding_kind kind;
    uint32_t at;  // register, place or number
    int argument; // of the function that is translated; -1: none
} ct_binding;

typedef struct ct_undo { // what a name stood for around a function or a block
    int name;
    ct_binding before;
} ct_undo;

typedef struct ct_reader {
    ct_machine *machine;
    ct_tokens tokens;
    int at;      // token
    bool failed; // something was not understood; `at` is at the end then
    int failed_at;
    // the text
    ct_source_function *functions;
    int n_functions, room_functions;
    int *function_of; // [names] 1 + function; 0: none
    int *call_of;     // [names] 1 + call of the kernel
    int *do_of;       // [names] 1 + instruction for a function of the C library
    int *longest;     // [names] numbers of the array, as far as the text shows them
    int *table_of;    // [names] 1 + table of a spline
    // instructions
    uint32_t *code;
    int n_code, room_code;
    int last;   // instruction whose result may go elsewhere; -1: none
    int landed; // where the last jump leads to
    int *ints;
    int n_ints, room_ints;
    // registers: next free one, first that no function uses
    uint32_t top, most;
    // the function under way
    ct_function *function;
    ct_binding *binding; // [names]
    ct_undo *undo;
    int n_undo, room_undo;
    int result;   // register of what the innermost call returns
    int *returns; // jumps to its end, to be filled in
    int n_returns, room_returns;
    int depth; // of calls
} ct_reader;

// tokens
static inline ct_token ct_reader_token(const ct_reader *r) {
    return r->tokens.token[r->at];
}
static inline bool ct_reader_is_sign(const ct_reader *r, int sign) {
    return ct_reader_token(r).kind == CT_TOKEN_SIGN && ct_reader_token(r).value == sign;
}
static inline bool ct_reader_is_word(const ct_reader *r, ct_word word) {
    return ct_reader_token(r).kind == CT_TOKEN_NAME && ct_reader_token(r).value == (int)word;
}
// Something that is not understood: reading ends here.
void ct_reader_fail(ct_reader *r);
// Over a sign or a word if it stands here; the same, where it must stand.
bool ct_reader_take_sign(ct_reader *r, int sign);
bool ct_reader_take_word(ct_reader *r, ct_word word);
void ct_reader_need_sign(ct_reader *r, int sign);
int ct_reader_need_name(ct_reader *r);
double ct_reader_need_number(ct_reader *r); // with its sign
// From a bracket or brace, over all that it encloses.
void ct_reader_skip_group(ct_reader *r);

// code.c
void ct_reader_emit(ct_reader *r, ct_instruction what, int n, const uint32_t *operands);
uint32_t ct_reader_register(ct_reader *r, int n); // n free ones
// That of a number of the text, or of the same with the other sign.
uint32_t ct_reader_number(const ct_reader *r, int number, bool minus);
// Numbers of the arrays of a closure that calls of the kernel work on from any place; 0 for others.
int ct_reader_numbers(const ct_reader *r, int name);
// Sets a register to what another holds; the last instruction may write it there itself.
void ct_reader_move(ct_reader *r, uint32_t to, uint32_t from);
void ct_reader_bind(ct_reader *r, int name, ct_binding binding);
void ct_reader_unbind(ct_reader *r, int n_undo); // back to so many
// A jump whose place is not known yet, and the place: here.
int ct_reader_jump(ct_reader *r, ct_instruction what, uint32_t condition);
void ct_reader_land(ct_reader *r, int jump);

// expressions.c: the register that holds the value
uint32_t ct_reader_expression(ct_reader *r);
// Registers that a pointer stands for: name, name + number, &name.
ct_binding ct_reader_pointer(ct_reader *r);
// The register of an element, a variable or a member that is assigned to.
uint32_t ct_reader_place(ct_reader *r);

// statements.c
// A function of the text in the place of its call; the current token is behind its name and bracket.
uint32_t ct_reader_inline(ct_reader *r, int function);
// The function of this name as one of the machine.
void ct_reader_translate(ct_reader *r, int name, ct_function *function);

// tables.c: everything but the insides of functions. The names of those that records name: of the
// machine (-1: there is none), of the loops of its closure.
typedef struct ct_reader_names {
    int function[CT_MODEL_FUNCTION_COUNT];
    ctk_loop *loops;
    int *loop;
    int n_loops, room_loops, room_names;
} ct_reader_names;
void ct_reader_tables(ct_reader *r, ct_reader_names *names);

#endif
