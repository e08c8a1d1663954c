// Completion for zsh in terms of its _arguments.
#include "texts.h"

// Text escaped for single quotes and for the brackets of _arguments.
static void put(FILE *file, const char *s) {
    for (; *s; s++) {
        if (*s == '\'')
            fputs("'\\''", file);
        else if (*s == '[' || *s == ']' || *s == ':' || *s == '\\')
            fprintf(file, "\\%c", *s);
        else
            fputc(*s, file);
    }
}

static void write_value(FILE *file, const option_row *o, command_id c) {
    value_kind kind = value_of(o, c);
    if (kind == VALUE_NONE) return;
    fprintf(file, ":%s:", o->argument);
    if (kind == VALUE_CHOICE)
        fprintf(file, "(%.*s)", choices_length(o), o->choices);
    else if (kind == VALUE_FOLDER)
        fputs("_files -/", file);
    else if (kind == VALUE_FILE)
        fputs("_files", file);
    else
        fputc(' ', file);
}

static void write_option(FILE *file, const option_row *o, command_id c) {
    const char *many = o->kind == KIND_LIST ? "*" : "";
    const char *joined = o->argument ? "=" : "";
    fputs("            '", file);
    if (o->letter)
        fprintf(file, "(-%c --%s)'{-%c%s,", o->letter, o->name, o->letter, o->argument ? "+" : "");
    fprintf(file, "%s--%s%s", many, o->name, joined);
    fputs(o->letter ? "}'[" : "[", file);
    put(file, o->summary);
    fputc(']', file);
    write_value(file, o, c);
    fputs("' \\\n", file);
}

void write_zsh(FILE *file) {
    fputs("#compdef cotree\n"
          "_cotree() {\n"
          "    local curcontext=$curcontext state line\n"
          "    local -a commands=(\n",
          file);
    // commands with their summaries
    for (int c = 0; c < COMMAND_COUNT; c++) {
        fprintf(file, "        '%s:", command_table[c].name);
        put(file, command_table[c].summary);
        fputs("'\n", file);
    }
    // the command, or the arguments of one
    fputs("    )\n"
          "    _arguments -C '--help[print the help]' '--version[print the version]' \\\n"
          "        '1:command:->command' '*::argument:->argument'\n"
          "    case $state in\n"
          "    command) _describe command commands ;;\n"
          "    argument)\n"
          "        case $words[1] in\n",
          file);
    // options and files of each command
    for (int c = 0; c < COMMAND_COUNT; c++) {
        bool results = AT_RESULTS & 1u << c, alone = AT_ALONE & 1u << c;
        fprintf(file, "        %s)\n            _arguments \\\n", command_table[c].name);
        for (int i = 0; i < option_count; i++)
            if (belongs(&option_table[i], (command_id)c))
                write_option(file, &option_table[i], (command_id)c);
        fprintf(file, "            '%s' ;;\n",
                results ? "*:result:_files -g \"*.csv\""
                : alone ? "*::"
                        : "1:model:_files -g \"*.(yaml|yml)\"");
    }
    fputs("        esac ;;\n"
          "    esac\n"
          "}\n"
          "_cotree \"$@\"\n",
          file);
}
