// Common part of simulate, kinematics and inverse: rows to CSV, progress, the summary.
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli.h"

typedef ct_status run_function(ct_context *, ct_system *, const ct_run_options *, ct_run_summary *);
typedef enum run_kind { RUN_SIMULATE, RUN_KINEMATICS, RUN_INVERSE } run_kind;
int run_and_report(const arguments *a, run_function *run, run_kind kind);
void run_options_from(ct_run_options *options, const arguments *a);

#endif
