// Tokens of emitted C: names, numbers, strings and signs, each told by a number of its own.
#ifndef CT_TOKENS_H
#define CT_TOKENS_H

#include "util/util.h"

// Words with a meaning to the reader; as names they have these numbers.
#define CT_WORDS(X)                                                                                \
    X(STATIC, "static")                                                                            \
    X(CONST, "const")                                                                              \
    X(TYPEDEF, "typedef")                                                                          \
    X(VOID, "void")                                                                                \
    X(INT, "int")                                                                                  \
    X(DOUBLE, "double")                                                                            \
    X(CHAR, "char")                                                                                \
    X(TABLE, "table")                                                                              \
    X(SPLINE, "spline")                                                                            \
    X(ITERATION, "ctk_iteration")                                                                  \
    X(ROOT_PAIR, "ctk_root_pair")                                                                  \
    X(IF, "if")                                                                                    \
    X(FOR, "for")                                                                                  \
    X(DO, "do")                                                                                    \
    X(WHILE, "while")                                                                              \
    X(RETURN, "return")                                                                            \
    X(NULL, "NULL")                                                                                \
    X(W, "w")                                                                                      \
    X(B, "b")                                                                                      \
    X(G, "g")
typedef enum ct_word {
#define X(name, text) CT_WORD_##name,
    CT_WORDS(X)
#undef X
        CT_WORD_COUNT
} ct_word;

typedef enum ct_token_kind {
    CT_TOKEN_END,
    CT_TOKEN_NAME,
    CT_TOKEN_NUMBER,
    CT_TOKEN_STRING,
    CT_TOKEN_SIGN
} ct_token_kind;

typedef struct ct_token {
    ct_token_kind kind;
    int value; // number of the name, the number or the string; of a sign CT_SIGN of its characters
} ct_token;
#define CT_SIGN(a, b) ((a) | (b) << 8)

typedef struct ct_tokens {
    ct_token *token; // the last one is END
    int n, room;
    const char **name; // of words first
    int n_names, room_names;
    double *number; // all different
    int n_numbers, room_numbers;
    const char **string;
    int n_strings, room_strings;
} ct_tokens;

// All tokens of a text, without comments and lines of the preprocessor; in the scratch. Strings are
// what they stand for.
void ct_tokens_read(ct_tokens *tokens, const char *text);
// The number of a name; -1: the text does not hold it.
int ct_tokens_find(const ct_tokens *tokens, const char *name);

#endif
