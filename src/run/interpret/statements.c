// Statements of emitted C, and functions made of them. A function that another one calls is written
// where it is called: its arrays are those of the caller, so that nothing is copied.
#include "run/interpret/reader.h"

enum { DEEPEST = 8 }; // calls in calls: the emitter writes two of them

static void statement(ct_reader *r);

// declarations ------------------------------------------------------------------------------------
// double a, b = kept[3], x[5]; and int alike
static void declare_numbers(ct_reader *r) {
    do {
        int name = ct_reader_need_name(r);
        if (ct_reader_take_sign(r, '[')) {
            int n = (int)ct_reader_need_number(r);
            ct_reader_need_sign(r, ']');
            ct_reader_bind(r, name,
                           (ct_binding){CT_BOUND_ARRAY, ct_reader_register(r, n > 0 ? n : 1), -1});
        } else {
            ct_binding b = {CT_BOUND_NUMBER, ct_reader_register(r, 1), -1};
            ct_reader_bind(r, name, b);
            if (ct_reader_take_sign(r, '=')) {
                uint32_t top = r->top;
                ct_reader_move(r, b.at, ct_reader_expression(r));
                r->top = top;
            }
        }
    } while (ct_reader_take_sign(r, ','));
    ct_reader_need_sign(r, ';');
}

// static const int angle0[] = {1, 0};
static void declare_ints(ct_reader *r) {
    int name = ct_reader_need_name(r);
    ct_reader_bind(r, name, (ct_binding){CT_BOUND_INTS, (uint32_t)r->n_ints, -1});
    ct_reader_need_sign(r, '[');
    ct_reader_need_sign(r, ']');
    ct_reader_need_sign(r, '=');
    ct_reader_need_sign(r, '{');
    do *CT_PUSH_SCRATCH(r->ints, r->n_ints, r->room_ints) = (int)ct_reader_need_number(r);
    while (ct_reader_take_sign(r, ','));
    ct_reader_need_sign(r, '}');
    ct_reader_need_sign(r, ';');
}

// A record in registers, member after member: ctk_iteration iteration;
// const ctk_root_pair root_pair0 = {{1, 0}, 8, 5, c[3]};
static void declare_record(ct_reader *r, int members) {
    int name = ct_reader_need_name(r), n = 0;
    uint32_t at = ct_reader_register(r, members);
    ct_reader_bind(r, name, (ct_binding){CT_BOUND_ARRAY, at, -1});
    if (ct_reader_take_sign(r, '=')) {
        ct_reader_need_sign(r, '{');
        do {
            ct_reader_take_sign(r, '{');
            uint32_t top = r->top;
            ct_reader_move(r, at + (uint32_t)n, ct_reader_expression(r));
            r->top = top;
            ct_reader_take_sign(r, '}');
            if (++n > members) ct_reader_fail(r);
        } while (ct_reader_take_sign(r, ','));
        if (n != members) ct_reader_fail(r);
    }
    ct_reader_need_sign(r, ';');
}

// Returns false if this is no declaration.
static bool declaration(ct_reader *r) {
    bool is_static = ct_reader_take_word(r, CT_WORD_STATIC);
    bool is_const = ct_reader_take_word(r, CT_WORD_CONST);
    if (is_static && ct_reader_take_word(r, CT_WORD_INT))
        declare_ints(r);
    else if (ct_reader_take_word(r, CT_WORD_DOUBLE) || ct_reader_take_word(r, CT_WORD_INT))
        declare_numbers(r);
    else if (ct_reader_take_word(r, CT_WORD_ITERATION))
        declare_record(r, CT_ITERATION_MEMBERS);
    else if (ct_reader_take_word(r, CT_WORD_ROOT_PAIR))
        declare_record(r, CT_ROOT_PAIR_MEMBERS);
    else if (is_static || is_const)
        ct_reader_fail(r);
    else
        return false;
    return true;
}

// control -----------------------------------------------------------------------------------------
static void if_statement(ct_reader *r) {
    ct_reader_need_sign(r, '(');
    uint32_t condition = ct_reader_expression(r);
    ct_reader_need_sign(r, ')');
    int over = ct_reader_jump(r, CT_DO_JUMP_ZERO, condition);
    statement(r);
    ct_reader_land(r, over);
}

static void do_statement(ct_reader *r) {
    int start = r->n_code;
    r->last = -1;
    statement(r);
    if (!ct_reader_take_word(r, CT_WORD_WHILE)) ct_reader_fail(r);
    ct_reader_need_sign(r, '(');
    uint32_t condition = ct_reader_expression(r);
    ct_reader_need_sign(r, ')');
    ct_reader_need_sign(r, ';');
    int out = ct_reader_jump(r, CT_DO_JUMP_ZERO, condition);
    ct_reader_emit(r, CT_DO_JUMP, 1, (const uint32_t[]){(uint32_t)start});
    ct_reader_land(r, out);
}

// name[i] = number; in one instruction. Returns false, with nothing read, if it is anything else.
static bool fill(ct_reader *r, int index, int n) {
    const ct_token *t = r->tokens.token + r->at;
    const int signs[] = {'[', ']', '=', ';'}, places[] = {1, 3, 4, 6};
    for (int i = 0; i < 4; i++)
        if (r->at + places[i] >= r->tokens.n || t[places[i]].kind != CT_TOKEN_SIGN ||
            t[places[i]].value != signs[i])
            return false;
    if (t[0].kind != CT_TOKEN_NAME || t[2].kind != CT_TOKEN_NAME || t[2].value != index ||
        t[5].kind != CT_TOKEN_NUMBER)
        return false;
    // as the last element is found, all before it are there
    ct_reader_bind(r, index, (ct_binding){CT_BOUND_INDEX, (uint32_t)n - 1, -1});
    uint32_t last = ct_reader_place(r);
    r->at += 3;
    ct_reader_emit(r, CT_DO_FILL, 3,
                   (const uint32_t[]){last - (uint32_t)n + 1, (uint32_t)n,
                                      ct_reader_number(r, t[5].value, false)});
    return true;
}

// for (i = 0; i < 5; i++): the statement again and again, with the number in the place of i
static void for_statement(ct_reader *r) {
    // the head: index and end
    ct_reader_need_sign(r, '(');
    int index = ct_reader_need_name(r);
    ct_reader_need_sign(r, '=');
    ct_reader_need_number(r);
    ct_reader_need_sign(r, ';');
    if (ct_reader_need_name(r) != index) ct_reader_fail(r);
    ct_reader_need_sign(r, '<');
    int n = (int)ct_reader_need_number(r), undo = r->n_undo;
    ct_reader_need_sign(r, ';');
    if (ct_reader_need_name(r) != index) ct_reader_fail(r);
    ct_reader_need_sign(r, CT_SIGN('+', '+'));
    ct_reader_need_sign(r, ')');
    // one instruction, or the statement n times
    if (r->failed || (n > 0 && fill(r, index, n))) {
        ct_reader_unbind(r, undo);
        return;
    }
    int body = r->at, code = r->n_code;
    for (int i = 0; i < (n > 0 ? n : 1) && !r->failed; i++) {
        r->at = body;
        ct_reader_bind(r, index, (ct_binding){CT_BOUND_INDEX, (uint32_t)i, -1});
        statement(r);
    }
    if (n <= 0) r->n_code = code; // not even once
    ct_reader_unbind(r, undo);
}

static void return_statement(ct_reader *r) {
    ct_reader_move(r, (uint32_t)r->result, ct_reader_expression(r));
    ct_reader_need_sign(r, ';');
    *CT_PUSH_SCRATCH(r->returns, r->n_returns, r->room_returns) = ct_reader_jump(r, CT_DO_JUMP, 0);
}

static void block(ct_reader *r) {
    while (!r->failed && !ct_reader_is_sign(r, '}')) statement(r);
    ct_reader_need_sign(r, '}');
}

// A call for its effect, an assignment, or (void) before a name that is not used.
static void simple_statement(ct_reader *r) {
    if (ct_reader_take_sign(r, '(')) {
        if (!ct_reader_take_word(r, CT_WORD_VOID)) ct_reader_fail(r);
        ct_reader_need_sign(r, ')');
        ct_token next = r->failed ? ct_reader_token(r) : r->tokens.token[r->at + 1];
        if (next.kind == CT_TOKEN_SIGN && next.value == ';') {
            r->at += 2;
            return;
        }
    }
    ct_token next = r->failed ? ct_reader_token(r) : r->tokens.token[r->at + 1];
    if (next.kind == CT_TOKEN_SIGN && next.value == '(')
        ct_reader_expression(r);
    else {
        uint32_t to = ct_reader_place(r);
        ct_reader_need_sign(r, '=');
        ct_reader_move(r, to, ct_reader_expression(r));
    }
    ct_reader_need_sign(r, ';');
}

static void statement(ct_reader *r) {
    if (r->failed || declaration(r)) return;
    uint32_t top = r->top;
    if (ct_reader_take_word(r, CT_WORD_IF))
        if_statement(r);
    else if (ct_reader_take_word(r, CT_WORD_FOR))
        for_statement(r);
    else if (ct_reader_take_word(r, CT_WORD_DO))
        do_statement(r);
    else if (ct_reader_take_word(r, CT_WORD_RETURN))
        return_statement(r);
    else if (ct_reader_take_sign(r, '{'))
        block(r);
    else if (!ct_reader_take_sign(r, ';')) // a statement may be empty
        simple_statement(r);
    // registers of its own are free again
    r->top = top;
    r->last = -1;
}

// functions ---------------------------------------------------------------------------------------
// The next argument of a head: its name, whether it is an array, and one of results. Returns false
// after the last one.
static bool next_parameter(ct_reader *r, int *name, bool *is_array, bool *is_result) {
    *is_array = false;
    *is_result = true;
    if (r->failed || ct_reader_take_sign(r, ')')) return false;
    for (; !ct_reader_is_sign(r, ',') && !ct_reader_is_sign(r, ')') && !r->failed;) {
        if (ct_reader_is_word(r, CT_WORD_CONST)) *is_result = false;
        if (ct_reader_take_sign(r, '*'))
            *is_array = true;
        else
            *name = ct_reader_need_name(r);
    }
    ct_reader_take_sign(r, ',');
    return !r->failed;
}

// The statements of a function; jumps of its returns lead to their end.
static void body(ct_reader *r, int function, uint32_t result) {
    int returns = r->n_returns, before = r->result;
    r->result = (int)result;
    r->at = r->functions[function].body;
    block(r);
    // a return at the end needs no jump, unless one leads behind it
    if (r->n_returns > returns && r->returns[r->n_returns - 1] == r->n_code - 1 &&
        r->landed != r->n_code) {
        r->n_returns--;
        r->n_code -= 2;
        r->last = -1;
    }
    while (r->n_returns > returns) ct_reader_land(r, r->returns[--r->n_returns]);
    r->result = before;
}

uint32_t ct_reader_inline(ct_reader *r, int function) {
    ct_binding *given = NULL;
    int n = 0, room = 0, undo = r->n_undo, name = 0;
    uint32_t result = ct_reader_register(r, 1);
    bool is_array, is_result;
    if (++r->depth > DEEPEST) ct_reader_fail(r);
    // what the caller passes, as far as the head asks for it
    int call = r->at;
    r->at = r->functions[function].head;
    while (next_parameter(r, &name, &is_array, &is_result)) {
        int head = r->at;
        r->at = call;
        if (n) ct_reader_need_sign(r, ',');
        ct_binding *next = CT_PUSH_SCRATCH(given, n, room);
        *next = is_array ? ct_reader_pointer(r)
                         : (ct_binding){CT_BOUND_NUMBER, ct_reader_expression(r), -1};
        call = r->at;
        r->at = r->failed ? r->at : head;
    }
    // names of the function for it, then its statements
    r->at = r->failed ? r->at : r->functions[function].head;
    for (int i = 0; next_parameter(r, &name, &is_array, &is_result) && i < n; i++)
        ct_reader_bind(r, name, given[i]);
    uint32_t top = r->top;
    body(r, function, result);
    r->top = top;
    r->at = r->failed ? r->at : call;
    ct_reader_need_sign(r, ')');
    ct_reader_unbind(r, undo);
    r->depth--;
    r->last = -1;
    return result;
}

// Binds the arguments of a function that the kernel calls to registers.
static void bind_arguments(ct_reader *r, ct_function *f) {
    int name = 0, c = ct_tokens_find(&r->tokens, "c");
    bool is_array, is_result;
    while (next_parameter(r, &name, &is_array, &is_result)) {
        if (name == c) {
            ct_reader_bind(r, name, (ct_binding){CT_BOUND_ARRAY, CT_FIRST_CONSTANT, -1});
        } else if (!is_array) {
            f->time = ct_reader_register(r, 1);
            ct_reader_bind(r, name, (ct_binding){CT_BOUND_NUMBER, f->time, -1});
        } else if (f->n < CT_MOST_ARGUMENTS) {
            int n = r->longest[name], own = ct_reader_numbers(r, name);
            f->argument[f->n] = (ct_argument){.first = ct_reader_register(r, n > own ? n : own),
                                              .there = ct_reader_register(r, 1),
                                              .is_result = is_result};
            ct_reader_bind(r, name, (ct_binding){CT_BOUND_ARRAY, f->argument[f->n].first, f->n});
            f->n++;
        } else
            ct_reader_fail(r);
    }
}

void ct_reader_translate(ct_reader *r, int name, ct_function *f) {
    int function = r->function_of[name] - 1;
    if (function < 0) {
        ct_reader_fail(r);
        return;
    }
    *f = (ct_function){.start = (uint32_t)r->n_code};
    r->function = f;
    // registers of variables begin behind the numbers and the result
    r->top = r->machine->result + 1;
    f->time = ct_reader_register(r, 1);
    r->at = r->functions[function].head;
    bind_arguments(r, f);
    body(r, function, r->machine->result);
    ct_reader_unbind(r, 0);
    ct_reader_emit(r, CT_DO_END, 0, NULL);
}
