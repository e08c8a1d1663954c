// Writes one of the texts to stdout: cotree_texts man|bash|zsh.
#include "texts.h"

#include <string.h>

bool belongs(const option_row *option, command_id command) {
    return option->where & 1u << command;
}

bool is_common(const option_row *option) {
    return (option->where & AT_MODEL) == AT_MODEL;
}

int choices_length(const option_row *option) {
    if (option->kind != KIND_TEXT || !option->choices) return 0;
    int n = (int)strlen(option->choices);
    while (n && option->choices[n - 1] == ' ') n--;
    return n;
}

value_kind value_of(const option_row *option, command_id command) {
    if (option->kind == KIND_FLAG) return VALUE_NONE;
    if (choices_length(option)) return VALUE_CHOICE;
    if (strcmp(option->name, "output") == 0)
        return command == COMMAND_generate ? VALUE_FOLDER : VALUE_FILE;
    return VALUE_ANY;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*write)(FILE *file);
    } texts[] = {{"man", write_manual}, {"bash", write_bash}, {"zsh", write_zsh}};
    for (int i = 0; i < 3 && argc == 2; i++)
        if (strcmp(argv[1], texts[i].name) == 0) {
            texts[i].write(stdout);
            return fclose(stdout) != 0;
        }
    fputs("usage: cotree_texts man|bash|zsh\n", stderr);
    return 2;
}
