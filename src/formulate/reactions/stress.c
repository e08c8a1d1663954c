// Reactions that are not unique: what to say about joints that self-stresses of redundant constraints
// change, and about drives that are more than are needed.
#include "formulate/reactions/reactions.h"
#include "kernel/ctk.h"

const char *ct_reactions_open_names(const ct_reaction_groups *groups,
                                    const ctk_joint_forces *forces) {
    const char *names = "";
    for (int i = 0; i < groups->n; i++)
        if (forces->is_stressed[i] && groups->item[i].kind != CT_REACTION_EFFORT)
            names = ct_scratch_format("%s%s'%s'", names, *names ? ", " : "", groups->item[i].name);
    return names;
}

ct_status ct_reactions_fail_singular(ct_context *ctx, double t, const char *names) {
    return ct_fail(ctx, CT_NUMERICS,
                   "at t = %.9g the joints are in a singular position: reactions have no finite "
                   "value%s%s%s",
                   t, *names ? " (" : "", names, *names ? ")" : "");
}

void ct_reactions_tell_open(ct_context *ctx, const ct_reaction_groups *groups,
                            const ctk_joint_forces *forces) {
    const int more = ctk_joint_forces_choices(forces),
              redundant = ctk_joint_forces_redundant(forces);
    const char *names = ct_reactions_open_names(groups, forces);
    if (more)
        ct_warning_at(ctx, (ct_place){0, 0},
                      "%d drive%s more than needed: the efforts with the least sum of squares are "
                      "given",
                      more, more == 1 ? " is" : "s are");
    if (*names)
        ct_warning_at(ctx, (ct_place){0, 0},
                      "reactions of %s are not unique (%d redundant constraint%s): only their sum "
                      "is; free one of them (spherical, inline) or use a bushing",
                      names, redundant, redundant == 1 ? "" : "s");
}
