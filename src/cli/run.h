// Common part of simulate and kinematics: rows to CSV, progress, the summary.
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli.h"

typedef ct_status run_function(ct_context *, ct_system *, const ct_run_options *, ct_run_summary *);
int run_and_report(const arguments *a, run_function *run, bool kinematics);
void run_options_from(ct_run_options *options, const arguments *a);

#endif
