// The target `c`: the model, a program that runs it, the kernel's text and a Makefile. A C99
// compiler and libm are all that is needed to build it.
#include "emit/targets/target.h"

#include "emit/kernel_files.h"

// Positions and dynamics of the closure, or the dynamics of all coordinates.
static ct_operations operations(const ct_emit_input *in, const ct_emission *code) {
    if (!in->closure) return code->dynamics;
    return (ct_operations){.add = code->closure_positions.add + code->closure_dynamics.add,
                           .mul = code->closure_positions.mul + code->closure_dynamics.mul,
                           .div = code->closure_positions.div + code->closure_dynamics.div,
                           .func = code->closure_positions.func + code->closure_dynamics.func};
}

void ct_target_c(const ct_target_input *in, ct_target_output *out) {
    const char *name = in->model->name;
    ct_emission code;
    ct_reaction_code reactions;
    ct_emit(in->model, &code);
    ct_emit_reaction_files(in->model, &reactions);
    ct_target_add(out, ct_format("%s.c", name), ct_strdup(code.source));
    ct_target_add(out, ct_format("%s.h", name), ct_strdup(code.header));
    ct_target_add(out, ct_format("%s_reactions.c", name), reactions.source);
    ct_target_add(out, ct_format("%s_reactions.h", name), reactions.header);
    ct_target_add(out, ct_strdup("main.c"), ct_emit_main(in, &code, &reactions));
    for (const struct ct_embedded_file *k = ct_kernel_files; k->name; k++)
        ct_target_add(out, ct_strdup(k->name), ct_strdup(k->text));
    ct_target_add(out, ct_strdup("Makefile"), ct_emit_makefile(name));
    out->operations = operations(in->model, &code);
    ct_emission_clear(&code);
}
