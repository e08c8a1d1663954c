// Lists of names on the command line: "a,b".
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

typedef struct names_list {
    int n;
    const char **item;
    char *text;
} names_list;

names_list names_split(const char *text); // NULL: an empty list
void names_clear(names_list *names);

#endif
