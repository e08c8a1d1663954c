// Completion for bash, without help from other packages: commands, the options of each, the words
// that an option knows, and files of the kind that a command takes.
#include "texts.h"

static void write_options(FILE *file) {
    fputs("    case $command in\n", file);
    for (int c = 0; c < COMMAND_COUNT; c++) {
        fprintf(file, "    %s) options='", command_table[c].name);
        for (int i = 0, n = 0; i < option_count; i++)
            if (belongs(&option_table[i], (command_id)c))
                fprintf(file, "%s--%s", n++ ? " " : "", option_table[i].name);
        fprintf(file, "' kind=%s ;;\n",
                AT_RESULTS & 1u << c ? "csv"
                : AT_ALONE & 1u << c ? "none"
                                     : "model");
    }
    fputs("    *) options='--help --version' ;;\n    esac\n", file);
}

static void write_value(FILE *file, const option_row *o, command_id c) {
    static const char *const kinds[] = {"", "choice", "file", "folder", "any"};
    value_kind kind = value_of(o, c);
    if (kind == VALUE_NONE) return;
    fprintf(file, "    %s:--%s", command_table[c].name, o->name);
    if (o->letter) fprintf(file, " | %s:-%c", command_table[c].name, o->letter);
    fprintf(file, ") value=%s", kinds[kind]);
    if (kind == VALUE_CHOICE) fprintf(file, " words='%.*s'", choices_length(o), o->choices);
    fputs(" ;;\n", file);
}

void write_bash(FILE *file) {
    // the command among the words so far
    fputs("# bash completion for cotree\n"
          "_cotree() {\n"
          "    local commands='",
          file);
    for (int c = 0; c < COMMAND_COUNT; c++)
        fprintf(file, "%s%s", c ? " " : "", command_table[c].name);
    fputs("' command= options= kind= value= words= word name i\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    COMPREPLY=()\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        word=${COMP_WORDS[i]}\n"
          "        for name in $commands; do\n"
          "            [[ $word == \"$name\" && -z $command ]] && command=$name\n"
          "        done\n"
          "    done\n"
          "    # --name=value comes as three words\n"
          "    if [[ $cur == '=' ]]; then\n"
          "        cur=\n"
          "    elif [[ $before == '=' ]]; then\n"
          "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n",
          file);
    // options of the command, and what each of them takes
    write_options(file);
    // value of the option before the cursor
    fputs("    case $command:$before in\n", file);
    for (int c = 0; c < COMMAND_COUNT; c++)
        for (int i = 0; i < option_count; i++)
            if (belongs(&option_table[i], (command_id)c))
                write_value(file, &option_table[i], (command_id)c);
    // the answer
    fputs("    esac\n"
          "    if [[ -z $value && $cur == -* ]]; then\n"
          "        value=choice words=$options\n"
          "    elif [[ -z $value && -z $command ]]; then\n"
          "        value=choice words=$commands\n"
          "    fi\n"
          "    case ${value:-$kind} in\n"
          "    choice) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") && return ;;\n"
          "    any) return ;;\n"
          "    folder) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
          "    file) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
          "    csv) mapfile -t COMPREPLY < <(compgen -f -X '!*.csv' -- \"$cur\"; compgen -d -- "
          "\"$cur\") ;;\n"
          "    model) mapfile -t COMPREPLY < <(compgen -f -X '!*.yaml' -- \"$cur\"\n"
          "        compgen -f -X '!*.yml' -- \"$cur\"; compgen -d -- \"$cur\") ;;\n"
          "    esac\n"
          "    compopt -o filenames 2>/dev/null # outside of a completion there is nothing to set\n"
          "    return 0\n"
          "}\n"
          "complete -F _cotree cotree\n",
          file);
}
