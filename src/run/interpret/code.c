// Tokens one after the other, instructions, registers and what names stand for.
#include "run/interpret/reader.h"

// tokens ------------------------------------------------------------------------------------------
void ct_reader_fail(ct_reader *r) {
    if (!r->failed) r->failed_at = r->at;
    r->failed = true;
    r->at = r->tokens.n - 1;
}

bool ct_reader_take_sign(ct_reader *r, int sign) {
    bool is = ct_reader_is_sign(r, sign);
    r->at += is;
    return is;
}

bool ct_reader_take_word(ct_reader *r, ct_word word) {
    bool is = ct_reader_is_word(r, word);
    r->at += is;
    return is;
}

void ct_reader_need_sign(ct_reader *r, int sign) {
    if (!ct_reader_take_sign(r, sign)) ct_reader_fail(r);
}

int ct_reader_need_name(ct_reader *r) {
    ct_token t = ct_reader_token(r);
    if (t.kind != CT_TOKEN_NAME) {
        ct_reader_fail(r);
        return CT_WORD_NULL;
    }
    r->at++;
    return t.value;
}

double ct_reader_need_number(ct_reader *r) {
    bool minus = ct_reader_take_sign(r, '-');
    ct_token t = ct_reader_token(r);
    if (t.kind != CT_TOKEN_NUMBER) {
        ct_reader_fail(r);
        return 0;
    }
    r->at++;
    double x = r->tokens.number[t.value];
    return minus ? -x : x;
}

void ct_reader_skip_group(ct_reader *r) {
    int depth = 0;
    do {
        ct_token t = ct_reader_token(r);
        if (t.kind == CT_TOKEN_END) {
            ct_reader_fail(r);
            return;
        }
        if (t.kind == CT_TOKEN_SIGN) {
            depth += t.value == '(' || t.value == '{' || t.value == '[';
            depth -= t.value == ')' || t.value == '}' || t.value == ']';
        }
        r->at++;
    } while (depth > 0);
}

// instructions ------------------------------------------------------------------------------------
void ct_reader_emit(ct_reader *r, ct_instruction what, int n, const uint32_t *operands) {
    bool has_result = what < CT_DO_FILL || what == CT_DO_SPLINE || what == CT_DO_CALL;
    r->last = has_result ? r->n_code : -1;
    *CT_PUSH_SCRATCH(r->code, r->n_code, r->room_code) = (uint32_t)what;
    for (int i = 0; i < n; i++) *CT_PUSH_SCRATCH(r->code, r->n_code, r->room_code) = operands[i];
}

int ct_reader_jump(ct_reader *r, ct_instruction what, uint32_t condition) {
    ct_reader_emit(r, what, what == CT_DO_JUMP ? 1 : 2, (const uint32_t[]){0, condition});
    return r->n_code - (what == CT_DO_JUMP ? 1 : 2);
}

void ct_reader_land(ct_reader *r, int jump) {
    r->code[jump] = (uint32_t)r->n_code;
    r->landed = r->n_code;
    r->last = -1; // what is behind a place must not write what is before it
}

// registers ---------------------------------------------------------------------------------------
uint32_t ct_reader_register(ct_reader *r, int n) {
    uint32_t first = r->top;
    r->top += (uint32_t)n;
    if (r->top > r->most) r->most = r->top;
    return first;
}

uint32_t ct_reader_number(const ct_reader *r, int number, bool minus) {
    return r->machine->first_number + (uint32_t)(number + (minus ? r->tokens.n_numbers : 0));
}

int ct_reader_numbers(const ct_reader *r, int name) {
    const ctk_closure *c = &r->machine->closure;
    return name == CT_WORD_W   ? c->n_tracked
           : name == CT_WORD_B ? c->n_signs
           : name == CT_WORD_G ? c->n_guards
                               : 0;
}

void ct_reader_move(ct_reader *r, uint32_t to, uint32_t from) {
    // a result that nothing else can name yet: it was put into a register of its own
    if (r->last >= 0 && r->code[r->last + 1] == from && from + 1 == r->top)
        r->code[r->last + 1] = to;
    else if (to != from)
        ct_reader_emit(r, CT_DO_MOVE, 2, (const uint32_t[]){to, from});
    r->last = -1;
}

// names -------------------------------------------------------------------------------------------
void ct_reader_bind(ct_reader *r, int name, ct_binding binding) {
    *CT_PUSH_SCRATCH(r->undo, r->n_undo, r->room_undo) = (ct_undo){name, r->binding[name]};
    r->binding[name] = binding;
}

void ct_reader_unbind(ct_reader *r, int n_undo) {
    while (r->n_undo > n_undo) {
        const ct_undo *u = r->undo + --r->n_undo;
        r->binding[u->name] = u->before;
    }
}
