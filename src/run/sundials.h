// SUNDIALS from 5 to 7 under one set of names, those of version 6: every object belongs to a
// context, numbers are `sunrealtype`. Version 5 has neither; since version 7 a context wants a
// communicator and reports errors itself, where solvers did before.
#ifndef CT_SUNDIALS_H
#define CT_SUNDIALS_H

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_types.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#if SUNDIALS_VERSION_MAJOR < 6
typedef realtype sunrealtype;
typedef int SUNContext;
#define N_VNew_Serial(n, context)      N_VNew_Serial(n)
#define CVodeCreate(method, context)   CVodeCreate(method)
#define IDACreate(context)             IDACreate()
#define SUNDenseMatrix(m, n, context)  SUNDenseMatrix(m, n)
#define SUNLinSol_Dense(y, a, context) SUNLinSol_Dense(y, a)
#define SUNContext_Create(comm, sun)   (*(sun) = 0)
#define SUNContext_Free(sun)           ((void)(sun))
#endif

#ifdef SUN_COMM_NULL // since version 7
static inline bool ct_sundials_start(SUNContext *context) {
    return !SUNContext_Create(SUN_COMM_NULL, context) && !SUNContext_ClearErrHandlers(*context);
}

static inline bool ct_sundials_silence(void *solver) {
    return solver != NULL; // its context is silent
}

static inline bool ct_sundials_silence_ida(void *solver) {
    return solver != NULL;
}
#else
static inline bool ct_sundials_start(SUNContext *context) {
    return !SUNContext_Create(NULL, context);
}

static void ct_sundials_silent(int code, const char *module, const char *function, char *message,
                               void *data) {
    (void)code, (void)module, (void)function, (void)message, (void)data;
}

static inline bool ct_sundials_silence(void *solver) {
    return solver && !CVodeSetErrHandlerFn(solver, ct_sundials_silent, NULL);
}

static inline bool ct_sundials_silence_ida(void *solver) {
    return solver && !IDASetErrHandlerFn(solver, ct_sundials_silent, NULL);
}
#endif

#endif
