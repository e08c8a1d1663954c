// The manual page cotree(1): commands and options from the tables, the rest written by hand.
#include "texts.h"

#include <string.h>

// Text escaped so that roff shows it literally.
static void put(FILE *file, const char *s, int n) {
    if (n > 0 && (*s == '.' || *s == '\'')) fputs("\\&", file);
    for (int i = 0; i < n && s[i]; i++) {
        if (s[i] == '\\')
            fputs("\\e", file);
        else if (s[i] == '-')
            fputs("\\-", file);
        else if (s[i] == '\'')
            fputs("\\(aq", file);
        else
            fputc(s[i], file);
    }
}

static void put_text(FILE *file, const char *s) {
    put(file, s, (int)strlen(s));
}

static void write_option(FILE *file, const option_row *o) {
    fputs(".TP\n", file);
    if (o->letter) fprintf(file, ".BR \\-%c \", \" \\-\\-", o->letter);
    if (!o->letter) fputs(o->argument ? ".BI \\-\\-" : ".B \\-\\-", file);
    put_text(file, o->name);
    if (o->argument) {
        fputs(o->letter ? " \" \\fI" : " \" ", file);
        put_text(file, o->argument);
        fputs(o->letter ? "\\fR\"" : "\"", file);
    }
    fputc('\n', file);
    put_text(file, o->summary);
    fputc('\n', file);
    int n = choices_length(o);
    if (n) {
        fputs("(", file);
        for (int at = 0; at < n;) {
            int word = (int)strcspn(o->choices + at, " ");
            fputs(at ? ", " : "", file);
            put(file, o->choices + at, word);
            at += word + 1;
        }
        fputs(")\n", file);
    }
}

static void write_command(FILE *file, command_id command) {
    const command_row *row = &command_table[command];
    fputs(".SS ", file);
    put_text(file, row->name);
    fputs("\n.B cotree ", file);
    put_text(file, row->name);
    if (*command_operands(command)) fputs("\n.I ", file);
    put_text(file, command_operands(command));
    fputs("\n.RI [ options ]\n.PP\n", file);
    put_text(file, row->summary);
    fputs(".\n", file);
    for (int i = 0; i < option_count; i++)
        if (belongs(&option_table[i], command) && !is_common(&option_table[i]))
            write_option(file, &option_table[i]);
}

static const char written[] = "2026-11-16"; // these parts

static const char head[] =
    ".SH NAME\n"
    "cotree \\- compile mechanisms: equations of motion, simulation and C code from a text file\n"
    ".SH SYNOPSIS\n"
    ".B cotree\n.I command file\n.RI [ options ]\n"
    ".SH DESCRIPTION\n"
    "A model file describes bodies, joints and forces.\n"
    ".B cotree\n"
    "selects coordinates, writes the equations of motion symbolically, closes the loops, exactly "
    "where\ngeometry allows it, and simulates the mechanism or writes it out as C99.\n"
    ".PP\n"
    "Options may stand anywhere, as\n.BI \\-\\-name \" value\"\nor\n.BI \\-\\-name= value\n"
    "(after\n.B \\-\\-\nno more are read).\n";

static const char tail[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\ndone\n"
    ".TP\n.B 1\nthe model or the data is wrong; the message has file and line\n"
    ".TP\n.B 2\nthe command line is wrong\n"
    ".TP\n.B 3\nthe numerics failed; the message says when, where and why\n"
    ".TP\n.B 4\ninternal error, or the surroundings failed (a full disk, no compiler)\n"
    ".TP\n.B 130\nstopped by a signal such as that of Ctrl\\-C; a run keeps its complete rows, all "
    "else leaves nothing\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B CC\nthe C compiler that\n.B simulate\nand\n.B bench\nuse (default: cc)\n"
    ".TP\n.B XDG_CACHE_HOME\nwhere closures and compiled models are kept, in the folder\n"
    ".I cotree\n(default: ~/.cache)\n"
    ".TP\n.B COTREE_CACHE_SIZE\nhow large that folder may grow, in MiB (default: 256); with 0 "
    "nothing is\nkept\n"
    ".TP\n.B TMPDIR\nfor temporary files\n"
    ".TP\n.B NO_COLOR\nwhere it is set, plots have no colours\n"
    ".TP\n.BR LC_ALL \", \" LC_CTYPE \", \" LANG\nwhere these name no UTF\\-8 locale, plots and "
    "progress are in plain characters\n"
    ".SH EXAMPLES\n"
    ".nf\n"
    "cotree check four_bar.yaml\n"
    "cotree simulate four_bar.yaml \\-o four_bar.csv\n"
    "cotree plot four_bar.csv \\-\\-columns \\(aqh1*\\(aq\n"
    "cotree simulate four_bar.yaml \\-\\-method newton \\-o newton.csv\n"
    "cotree plot four_bar.csv newton.csv \\-\\-difference\n"
    "cotree generate four_bar.yaml \\-o four_bar && make \\-C four_bar\n"
    ".fi\n"
    ".SH SEE ALSO\n"
    ".BR gnuplot (1),\n.BR cc (1)\n"
    ".PP\nThe documentation is installed beside this page in\n.IR share/doc/cotree ;\n"
    "the model language is in\n.IR language.md .\n";

void write_manual(FILE *file) {
    fprintf(file, ".TH COTREE 1 %s \"cotree %s\" \"User Commands\"\n", written, CT_VERSION);
    fputs(head, file);
    fputs(".SH COMMANDS\n", file);
    for (int i = 0; i < COMMAND_COUNT; i++) write_command(file, (command_id)i);
    fputs(".SH OPTIONS OF ALL COMMANDS\n", file);
    for (int i = 0; i < option_count; i++) {
        const option_row *o = &option_table[i];
        if (is_common(o)) write_option(file, o);
        if (is_common(o) && (o->where & AT_ALL) != AT_ALL) {
            fprintf(file, "(of all that take a %s)\n",
                    (o->where & AT_FILE) == AT_FILE ? "file" : "model");
        }
    }
    fputs(tail, file);
}
