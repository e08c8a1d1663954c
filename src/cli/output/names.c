// Lists of names: separated by commas or blanks.
#include "output/names.h"
#include "output/memory.h"

#include <stdlib.h>
#include <string.h>

names_list names_split(const char *text) {
    names_list names = {0};
    if (!text) return names;
    size_t size = strlen(text) + 1;
    names.text = malloc(size);
    names.item = malloc(size * sizeof *names.item);
    if (!names.text || !names.item) no_memory();
    memcpy(names.text, text, size);
    for (char *s = strtok(names.text, ", "); s; s = strtok(NULL, ", ")) names.item[names.n++] = s;
    return names;
}

void names_clear(names_list *names) {
    free(names->text);
    free(names->item);
    *names = (names_list){0};
}
