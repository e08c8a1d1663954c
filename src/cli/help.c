// The help texts, made from the tables.
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void print_help(void) {
    printf("cotree %s, the mechanism compiler\n\n"
           "usage: cotree COMMAND FILE [options]\n\ncommands:\n",
           CT_VERSION);
    for (int i = 0; i < command_count; i++) {
        if (i == COMMAND_COUNT) printf("\nnot available yet:\n");
        printf("  %-15s %s\n", command_table[i].name, command_table[i].summary);
    }
    printf("\n`cotree COMMAND --help` lists the options of a command.\n"
           "Exit codes: 0 done, 1 the model is wrong, 2 usage, 3 the numerics failed, 4 internal "
           "error, 130 stopped.\n");
}

// Length of the words without blanks at the end.
static int trimmed(const char *words) {
    int n = (int)strlen(words);
    while (n && words[n - 1] == ' ') n--;
    return n;
}

static void print_option(const option_row *option) {
    char left[64];
    int n = snprintf(left, sizeof left, "--%s", option->name);
    if (option->letter) n = snprintf(left, sizeof left, "-%c, --%s", option->letter, option->name);
    if (option->argument) snprintf(left + n, sizeof left - (size_t)n, " %s", option->argument);
    printf("  %-24s %s\n", left, option->summary);
    if (option->kind == KIND_TEXT && option->choices)
        printf("  %-24s   %.*s\n", "", trimmed(option->choices), option->choices);
    if (option->planned)
        printf("  %-24s   (not available yet: %.*s)\n", "", trimmed(option->planned),
               option->planned);
}

const char *command_operands(command_id command) {
    if (AT_RESULTS & 1u << command) return "RESULT.csv [MORE.csv ...]";
    if (AT_ALONE & 1u << command) return "";
    return command == COMMAND_generate ? "FILE -o DIR" : "FILE";
}

void print_command_help(command_id command) {
    const command_row *row = &command_table[command];
    const char *operands = command_operands(command);
    printf("usage: cotree %s%s%s [options]\n\n%s: %s\n\noptions:\n", row->name,
           *operands ? " " : "", operands, row->name, row->summary);
    for (int i = 0; i < option_count; i++)
        if (option_table[i].where & 1u << command) print_option(&option_table[i]);
}

int usage_error(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs("cotree: error: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    return CT_USAGE;
}
