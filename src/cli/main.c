// The program: reads the command line and calls the command.
#include "cli.h"
#include "output/output.h"
#include "../util/system.h"

#include <stdio.h>

int main(int argc, char **argv) {
    static int (*const run[])(const arguments *a) = {
#define ROW(name, ...) command_##name,
        COMMANDS(ROW)
#undef ROW
    };
    arguments a;
    int code = 0;
    ct_use_one_thread();
    output_ignore_broken_pipe();
    if (arguments_read(&a, argc, argv, &code)) code = run[a.command](&a);
    arguments_clear(&a);
    return output_finish_stdout(code);
}
