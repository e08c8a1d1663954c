// A chart as a picture, drawn by gnuplot: the script and the points go through a pipe, the picture
// comes back on its stdout, which is the file. No name passes a shell or is opened by gnuplot, and
// all texts are in single quotes, where gnuplot substitutes nothing.
#include "plot/chart.h"
#include "output/memory.h"
#include "cli.h"
#include "output/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PICTURE_COLUMNS = 3000 }; // finer than any screen or printer shows

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#e69f00", "#7a4fb5", "#555555"};
enum { COLOURS = 8 };

bool picture_possible(void) {
    const char *path = getenv("PATH");
    if (!path) return false;
    for (const char *s = path; *s;) {
        int n = (int)strcspn(s, ":");
        char name[4096];
        snprintf(name, sizeof name, "%.*s%sgnuplot", n, s, n ? "/" : "");
        if (access(name, X_OK) == 0) return true;
        s += n + (s[n] == ':');
    }
    return false;
}

// 'text' with its quotes doubled
static void write_quoted(FILE *file, const char *text) {
    fputc('\'', file);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', file);
        fputc(*text, file);
    }
    fputc('\'', file);
}

static void write_point(void *data, double x, double y, bool joined) {
    fprintf(data, "%s%.12g %.12g\n", joined ? "" : "\n", x, y); // a blank line is a gap
}

static void write_script(const chart *c, picture_kind kind, FILE *file) {
    // paper
    static const char *const terminals[] = {
        [PICTURE_SVG] = "svg size 1000,600 dynamic font 'sans,14' background '#ffffff'",
        [PICTURE_PNG] = "pngcairo size 1000,600 font 'sans,12' background '#ffffff'",
        [PICTURE_PDF] = "pdfcairo size 20cm,12cm font 'sans,11'"};
    fprintf(file, "set encoding utf8\nset terminal %s\n", terminals[kind]);
    fputs("set border 3 linecolor '#444444'\nset tics nomirror out scale 0.6 textcolor '#222222'\n"
          "set grid linecolor '#dddddd' linewidth 1 linetype 1\n"
          "set key outside right top Left reverse noenhanced samplen 2\n",
          file);
    // labels and range
    fputs("set xlabel ", file);
    write_quoted(file, c->x_label);
    fputs(" noenhanced\n", file);
    if (c->title) {
        fputs("set title ", file);
        write_quoted(file, c->title);
        fputs(" noenhanced\n", file);
    }
    fprintf(file, "set xrange [%.17g:%.17g]\n", c->x0, c->x1);
    // the points of each curve
    for (int i = 0; i < c->n; i++) {
        fprintf(file, "$line%d << END_OF_LINE\n", i);
        chart_walk(c, c->item + i, PICTURE_COLUMNS, write_point, file);
        fputs("END_OF_LINE\n", file);
    }
    // the curves
    fputs("plot ", file);
    for (int i = 0; i < c->n; i++) {
        fprintf(file,
                "%s$line%d using 1:2 with lines linewidth 2 linecolor '%s' dashtype %d title ",
                i ? ", " : "", i, colours[i % COLOURS], 1 + i / COLOURS % 5);
        write_quoted(file, c->item[i].label);
    }
    fputs("\nset output\nexit\n", file);
}

int picture_missing(void) {
    fputs(
        "cotree: error: pictures are drawn by gnuplot, which is not here: install the package "
        "gnuplot-nox.\n  Without it there are the plot on the terminal (no -o, or -o FILE.txt) and "
        "the numbers (--json)\n",
        stderr);
    return CT_INTERNAL;
}

// The line of gnuplot's complaints that says what is wrong.
static int failed(FILE *complaints) {
    char line[256], last[256] = "it gave no reason";
    rewind(complaints);
    while (fgets(line, sizeof line, complaints)) {
        line[strcspn(line, "\n")] = 0;
        if (line[strspn(line, " ^\t")]) memcpy(last, line, sizeof last);
    }
    char *shown = utf8_shown(last, !utf8_locale());
    fprintf(stderr, "cotree: error: gnuplot failed: %s\n", shown + strspn(shown, " "));
    free(shown);
    return CT_INTERNAL;
}

static pid_t start(int in, FILE *out, FILE *complaints, int other_end) {
    pid_t child = fork();
    if (child != 0) return child;
    close(other_end);
    dup2(in, STDIN_FILENO);
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(complaints), STDERR_FILENO);
    execlp("gnuplot", "gnuplot", "--default-settings", "-", (char *)NULL);
    _exit(127);
}

int chart_write_picture(const chart *c, picture_kind kind, FILE *file) {
    int ends[2], status = -1;
    FILE *complaints = tmpfile();
    if (!complaints || pipe(ends) != 0) {
        fprintf(stderr, "cotree: error: cannot start gnuplot: %s\n", strerror(errno));
        if (complaints) fclose(complaints);
        return CT_INTERNAL;
    }
    fflush(NULL);
    pid_t child = start(ends[0], file, complaints, ends[1]);
    close(ends[0]);
    FILE *script = fdopen(ends[1], "w");
    if (!script) no_memory();
    if (child > 0) write_script(c, kind, script);
    fclose(script); // fails where gnuplot went away, which its exit code tells
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR) break;
    int code = 0;
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
        code = picture_missing();
    else if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        code = failed(complaints);
    fclose(complaints);
    return code;
}
