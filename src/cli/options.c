// Reads the command line: COMMAND, FILE and options in any order, as `--name value`, `--name=value`
// or `-ovalue`; `--` ends the options.
#include "cli.h"
#include "output/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 64 };

// A position in argv.
typedef struct reader {
    int argc, next;
    char **argv;
    bool only_names; // after "--"
} reader;

static void *field(arguments *a, const option_row *option) {
    return (char *)a + option->offset;
}

static void arguments_init(arguments *a, int argc) {
    memset(a, 0, sizeof *a);
    a->command = COMMAND_COUNT;
    for (int i = 0; i < option_count; i++) {
        option_kind kind = option_table[i].kind;
        if (kind == KIND_NUMBER || kind == KIND_REAL)
            *(double *)field(a, &option_table[i]) = kind == KIND_REAL ? NAN : -1;
    }
    text_list *lists[] = {&a->set, &a->input, &a->files};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        lists[i]->item = calloc((size_t)argc + 1, sizeof *lists[i]->item);
        if (!lists[i]->item) no_memory();
    }
}

void arguments_clear(arguments *a) {
    free(a->set.item);
    free(a->input.item);
    free(a->files.item);
    a->set.item = a->input.item = a->files.item = NULL;
}

// Finds a word in a list of words with single spaces between.
static bool in_words(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *s = words; s && length; s = strchr(s, ' '), s = s ? s + 1 : NULL)
        if (strncmp(s, word, length) == 0 && (s[length] == ' ' || s[length] == 0)) return true;
    return false;
}

// The nearest of the words, in buffer; NULL when none is near.
static const char *suggest_word(const char *words, const char *word, char *buffer, size_t size) {
    const char *names[MOST_NAMES];
    int n = 0;
    snprintf(buffer, size, "%s", words);
    for (char *s = strtok(buffer, " "); s && n < MOST_NAMES; s = strtok(NULL, " ")) names[n++] = s;
    return suggest(word, names, n);
}

static int check_choice(const option_row *option, const char *value) {
    char buffer[256];
    if (in_words(option->choices, value)) return 0;
    if (in_words(option->planned, value))
        return usage_error("--%s %s is not available yet; there are: %s", option->name, value,
                           option->choices);
    const char *near = suggest_word(option->choices, value, buffer, sizeof buffer);
    if (near)
        return usage_error("--%s knows no '%s': did you mean '%s'?", option->name, value, near);
    return usage_error("--%s knows no '%s'; there are: %s", option->name, value, option->choices);
}

static int read_number(const option_row *option, const char *value, double *number) {
    char *end;
    *number = strtod(value, &end);
    if (end == value || *end || !isfinite(*number))
        return usage_error("--%s needs a number, such as 0.001, not '%s'", option->name, value);
    if (option->kind == KIND_REAL) return 0;
    if (*number < 0 || (*number == 0 && option->choices))
        return usage_error("--%s must %s, not %s", option->name,
                           option->choices ? "be greater than zero" : "not be negative", value);
    return 0;
}

// A text that may be given once.
static int store_once(const option_row *option, const char *value, const char **text) {
    if (*text) return usage_error("--%s is given twice: %s and %s", option->name, *text, value);
    if (!*value) return usage_error("--%s needs a value", option->name);
    *text = value;
    return 0;
}

static int store(arguments *a, const option_row *option, const char *value) {
    void *place = field(a, option);
    switch (option->kind) {
    case KIND_FLAG: *(bool *)place = true; return 0;
    case KIND_NUMBER:
    case KIND_REAL: return read_number(option, value, place);
    case KIND_TEXT:
        if (!*value) return usage_error("--%s needs a value", option->name);
        *(const char **)place = value;
        return option->choices ? check_choice(option, value) : 0;
    case KIND_NAMES: *(const char **)place = value; return 0;
    case KIND_ONCE: return store_once(option, value, place);
    case KIND_LIST: {
        text_list *list = place;
        if (!strchr(value, '=') || *value == '=')
            return usage_error("--%s needs %s, such as %s, not '%s'", option->name,
                               option->argument, option->choices, value);
        list->item[list->n++] = value;
        return 0;
    }
    }
    return CT_INTERNAL;
}

static int unknown_option(const arguments *a, const char *name) {
    const char *names[MOST_NAMES];
    int n = 0;
    for (int i = 0; i < option_count && n < MOST_NAMES; i++)
        if (a->command == COMMAND_COUNT || option_table[i].where & 1u << a->command)
            names[n++] = option_table[i].name;
    const char *near = suggest(name, names, n);
    if (near) return usage_error("unknown option '--%s': did you mean '--%s'?", name, near);
    return usage_error("unknown option '--%s'; `cotree %s --help` lists the options", name,
                       a->command == COMMAND_COUNT ? "COMMAND" : command_table[a->command].name);
}

// The option of this name; where commands use a name differently, the one of the command.
static const option_row *find_option(command_id command, const char *name, size_t length,
                                     char letter) {
    const option_row *found = NULL;
    for (int i = 0; i < option_count; i++) {
        const option_row *option = &option_table[i];
        if (letter ? option->letter != letter
                   : strlen(option->name) != length || strncmp(option->name, name, length) != 0)
            continue;
        if (!found || (command < COMMAND_COUNT && option->where & 1u << command)) found = option;
    }
    return found;
}

// The command that is coming, for options before it.
static command_id command_ahead(const arguments *a, const reader *r) {
    for (int i = r->next; a->command == COMMAND_COUNT && i < r->argc; i++)
        for (int k = 0; k < COMMAND_COUNT; k++)
            if (strcmp(r->argv[i], command_table[k].name) == 0) return (command_id)k;
    return a->command;
}

// True if a word behind an option may be its list of names: it is no option, no command and no file.
static bool may_be_names(const char *word) {
    const char *dot = strrchr(word, '.');
    if (*word == '-' || (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")))) return false;
    for (int k = 0; k < COMMAND_COUNT; k++)
        if (!strcmp(word, command_table[k].name)) return false;
    FILE *file = fopen(word, "r");
    if (file) fclose(file);
    return !file;
}

// Reads the option at r->argv[r->next - 1]; its value is in the same word or the next.
static int read_option(arguments *a, reader *r, const char *word) {
    const option_row *option;
    const char *value = NULL;
    // --name, --name=value
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length, word + 2);
        option = find_option(command_ahead(a, r), word + 2, length, 0);
        if (word[2 + length]) value = word + 2 + length + 1;
        if (!option) return unknown_option(a, name);
    } else {
        // -o, -ovalue
        option = find_option(command_ahead(a, r), NULL, 0, word[1]);
        if (!option)
            return usage_error("unknown option '-%c'; `cotree --help` shows the usage", word[1]);
        if (word[2]) value = word + 2;
    }
    // an option of this command
    if (a->command < COMMAND_COUNT && !(option->where & 1u << a->command))
        return usage_error("--%s is not an option of %s; `cotree %s --help` lists those",
                           option->name, command_table[a->command].name,
                           command_table[a->command].name);
    // with a value, from the next word where none stands in this one
    if (option->kind == KIND_FLAG && value) return usage_error("--%s takes no value", option->name);
    if (option->kind == KIND_NAMES && !value)
        value = r->next < r->argc && may_be_names(r->argv[r->next]) ? r->argv[r->next++] : "";
    if (option->kind != KIND_FLAG && !value) {
        if (r->next >= r->argc)
            return usage_error("--%s needs a value: %s", option->name, option->argument);
        value = r->argv[r->next++];
    }
    return store(a, option, value);
}

static int read_command(arguments *a, const char *word) {
    const char *names[MOST_NAMES];
    for (int i = 0; i < command_count; i++) {
        names[i] = command_table[i].name;
        if (strcmp(word, names[i]) != 0) continue;
        if (command_table[i].planned)
            return usage_error(
                "'%s' (%s) is not available yet; `cotree --help` lists the commands that are", word,
                command_table[i].summary);
        a->command = (command_id)i;
        return 0;
    }
    const char *near = suggest(word, names, command_count);
    if (near) return usage_error("unknown command '%s': did you mean '%s'?", word, near);
    return usage_error("unknown command '%s'; `cotree --help` lists the commands", word);
}

static int read_words(arguments *a, reader *r) {
    while (r->next < r->argc) {
        const char *word = r->argv[r->next++];
        int code = 0;
        if (!r->only_names && strcmp(word, "--") == 0)
            r->only_names = true;
        else if (!r->only_names && word[0] == '-' && word[1])
            code = read_option(a, r, word);
        else if (a->command == COMMAND_COUNT)
            code = read_command(a, word);
        else
            a->files.item[a->files.n++] = word;
        if (code) return code;
    }
    return 0;
}

// Checks of the whole command line: a command, its options and files, contradictions.
static int check_whole(const arguments *a) {
    // a command
    if (a->command == COMMAND_COUNT)
        return usage_error("which command? `cotree --help` lists them");
    const char *name = command_table[a->command].name;
    // options that came before the command must be among its own
    for (int i = 0; i < option_count; i++) {
        const option_row *option = &option_table[i];
        const void *place = (const char *)a + option->offset;
        bool given =
            option->kind == KIND_FLAG ? *(const bool *)place
            : option->kind == KIND_TEXT || option->kind == KIND_ONCE || option->kind == KIND_NAMES
                ? *(const char *const *)place != NULL
            : option->kind == KIND_NUMBER ? *(const double *)place >= 0
            : option->kind == KIND_REAL   ? !isnan(*(const double *)place)
                                          : ((const text_list *)place)->n > 0;
        if (given && !(option->where & 1u << a->command))
            return usage_error("--%s is not an option of %s", option->name, name);
    }
    // its file or files
    bool results = AT_RESULTS & 1u << a->command, alone = AT_ALONE & 1u << a->command;
    if (alone && a->file) return usage_error("%s takes no file: '%s'", name, a->file);
    if (!a->file && !alone)
        return usage_error("%s needs a %s: cotree %s FILE", name,
                           results ? "result (CSV)" : "model file", name);
    if (a->files.n > 1 && !results)
        return usage_error("one model file at a time: '%s' and '%s'", a->file, a->files.item[1]);
    // options that exclude or need each other
    if (a->hold && !a->inputs) return usage_error("--hold goes with --inputs FILE.csv");
    if (a->latex && a->c) return usage_error("--latex or --c, not both");
    if (a->from > a->to) return usage_error("--from %g is beyond --to %g", a->from, a->to);
    if (a->difference && a->files.n != 2)
        return usage_error("--difference needs two results, not %d", a->files.n);
    if (a->command == COMMAND_generate && !a->output)
        return usage_error("generate needs a folder to write to: -o DIR");
    return 0;
}

bool arguments_read(arguments *a, int argc, char **argv, int *exit_code) {
    reader r = {argc, 1, argv, false};
    arguments_init(a, argc);
    *exit_code = read_words(a, &r);
    a->file = a->files.item[0];
    if (*exit_code) return false;
    if (a->version)
        printf("cotree %s\n", CT_VERSION);
    else if (a->help && a->command == COMMAND_COUNT)
        print_help();
    else if (a->help)
        print_command_help(a->command);
    else {
        bool own_default = a->command == COMMAND_generate || a->command == COMMAND_view ||
                           a->command == COMMAND_report;
        if (a->output && strcmp(a->output, "-") == 0 && !own_default) a->output = NULL;
        *exit_code = check_whole(a);
        return *exit_code == 0;
    }
    return false;
}
