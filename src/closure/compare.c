// Which candidate is the best. Other orders, poses of bodies, a coordinate that the user names and
// other trees along the flow are built, weighed and compared, within budgets of operations.
#include "closure/candidate.h"
#include "closure/describe.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>

// Order of candidates: fewest iterated unknowns, then fewest tracked roots, then operations,
// charged up to twice where the independent coordinates cannot move far from the initial position.
// With iterations the distance is not probed: one stride of Newton's method says nothing about it.
static void weigh(ct_candidate *c) {
    double most, reach = 1;
    const ct_closed *k = c->closed;
    c->open = 0;
    // iterated unknowns outweigh any number of roots
    for (int i = 0; i < k->closure->n_steps; i++) {
        const ct_step *step = k->closure->steps + i;
        c->open += step->method == CT_STEP_NEWTON ? CT_CHOICE_ITERATED * step->n_unknowns : 0;
        c->open += step->method == CT_STEP_POLYNOMIAL;
    }
    double far = k->flow && k->flow->n_poses ? CT_PROBE_REACH_POSE : CT_PROBE_REACH;
    if (!c->open) reach = ct_close_probe_wide(k->at, k->closure, far, &most);
    c->score = ct_closure_cost(k->closure) * (2 - reach);
    c->turns = ct_close_probe_turn(k->at, k->closure);
    // digits are lost at the start: a step is close to its limit position there
    if (!c->open && c->residual > CT_PROBE_LOSS) c->score *= 2;
}

// What limit positions cost a closure beside one whose independent coordinate goes once around.
static double limits(const ct_candidate *c, const ct_candidate *other) {
    return other->turns && !c->turns ? CT_CHOICE_LIMITS : 1;
}

// b is the best one so far: it goes only if a iterates or follows less, or is clearly cheaper. A
// root that is followed is worth it if the coordinate that the user names goes once around then.
static bool is_better(const ct_candidate *a, const ct_candidate *b) {
    double one = a->score * limits(a, b), two = b->score * limits(b, a);
    bool as_open =
        a->open == b->open || (a->kept && a->turns && !b->turns && a->open < CT_CHOICE_ITERATED);
    return as_open ? one < CT_CHOICE_GAIN * two : a->open < b->open;
}

// A pose takes the place of joints only if it needs fewer operations, or these lose digits.
static bool is_dear_pose(const ct_candidate *a, const ct_candidate *b) {
    if (!a->flow->n_poses || b->flow->n_poses || b->residual > CT_PROBE_LOSS) return false;
    return ct_closure_cost(a->closed->closure) >= ct_closure_cost(b->closed->closure);
}

// Builds and weighs another candidate. Returns true if it is better; it is the best one then.
static bool compare(ct_chooser *x, ct_candidate *c) {
    bool good = ct_candidate_close(x, c);
    if (good) weigh(c);
    bool better = good && is_better(c, &x->best) && !is_dear_pose(c, &x->best);
    if (better) {
        ct_candidate last = x->best;
        x->best = *c;
        *c = last;
    }
    ct_candidate_discard(c);
    return better;
}

// Returns true if poses of bodies may be independent: the user names no independent coordinates.
static bool may_offer_poses(const ct_chooser *x) {
    return x->asked->free_trees && !x->asked->n && !x->f->model->n_independent;
}

// A flow with poses of bodies as independent coordinates. Returns false if there is none.
static bool find_poses(ct_chooser *x, ct_candidate *c) {
    *c = (ct_candidate){0};
    if (may_offer_poses(x) && !ct_candidate_flow(x, CT_OFFER_POSES_ONLY, c) && c->flow->n_poses &&
        !c->flow->torn)
        return true;
    ct_candidate_discard(c);
    return false;
}

// Other orders of each structure from the first one on, while the budget lasts.
static void compare_orders(ct_chooser *x, int first, double *budget) {
    ct_candidate c;
    for (int i = first; i < x->order_cache.n; i++)
        for (int k = 1; k < x->order_cache.of[i].n; k++) {
            ct_flow_structure *of = x->order_cache.of + i;
            int taken = of->taken;
            if (of->orders[k].wish < of->orders[0].wish) continue;
            if ((*budget -= ct_closure_cost(x->best.closed->closure)) < 0) continue;
            of->taken = k;
            bool better = !ct_candidate_flow(x, CT_OFFER_JOINTS, &c) && compare(x, &c);
            x->order_cache.of[i].taken = better ? k : taken;
        }
}

// Orders that the search finds about equally good are built and counted, one structure after the
// other, within a budget of operations. Orders that give up coordinates that the user names are
// left out. Where none is kept, or some are given up anyway, poses of bodies compete too.
static void choose_by_count(ct_chooser *x) {
    const ct_flow *flow = x->best.flow;
    double budget = flow->torn ? CT_CHOICE_BUDGET_TORN : CT_CHOICE_BUDGET;
    ct_candidate c;
    // nothing to compare: no groups, or coordinates of bodies
    if (!x->order_cache.n || flow->n_body_coordinates || flow->n_swings) return;
    weigh(&x->best);
    compare_orders(x, 0, &budget);
    // poses of bodies against the best of these
    bool may_go = x->best.flow->wish == 0 || x->best.flow->given_up > 0;
    if (may_go && budget > 0 && find_poses(x, &c)) compare(x, &c);
    // joints that ties close: a body that keeps its orientation may be cheaper
    bool tied = x->best.flow->with_ties && x->asked->free_trees && budget > 0;
    if (tied && !ct_candidate_flow(x, CT_OFFER_PLACES, &c)) {
        if (c.flow->n_translating && !c.flow->torn)
            compare(x, &c);
        else
            ct_candidate_discard(&c);
    }
}

// The coordinate that the user wishes most; -1: none.
static int most_wished(const ct_model *model) {
    int best = -1;
    double most = 0;
    for (int k = 0; k < model->n_coordinates; k++) {
        double wish = ct_flow_wish_of(model, k);
        if (wish > most) best = k;
        most = fmax(most, wish);
    }
    return best;
}

// Of one freedom, a coordinate that the user starts or drives and the search gave up: it may need
// an unknown that is iterated in the search and still follows in closed form. It is taken where it
// is cheaper, or goes once around where the other one comes to limit positions.
static void keep_wished(ct_chooser *x) {
    const ct_flow *flow = x->best.flow;
    int wished = most_wished(x->f->model);
    bool chosen = !may_offer_poses(x) || flow->n_independent != 1 || flow->given_up == 0;
    if (chosen || wished < 0 || wished == flow->independent[0]) return;
    if (ct_closure_cost(x->best.closed->closure) > CT_CHOICE_BUDGET_TORN) return;
    weigh(&x->best);
    // its orders among themselves, then the best of them against what was chosen
    ct_candidate other = x->best;
    double budget = CT_CHOICE_BUDGET_TORN;
    int first = x->order_cache.n;
    x->order_cache.kept = x->f->model->coordinates[wished].name;
    bool good = !ct_candidate_flow(x, CT_OFFER_JOINTS, &x->best) && ct_candidate_close(x, &x->best);
    if (good) {
        weigh(&x->best);
        compare_orders(x, first, &budget);
        good = is_better(&x->best, &other);
    }
    ct_candidate_discard(good ? &other : &x->best);
    if (!good) {
        x->best = other;
        x->order_cache.kept = NULL;
    }
}

// The same with one joint of a structure spared. Returns true if that is better. budget: operations
// that may be built.
static bool spare(ct_chooser *x, int structure, int edge, double *budget) {
    ct_candidate c = {0};
    ct_flow_structure *of = x->order_cache.of + structure;
    int taken = of->taken;
    ct_order_cache_spare(&x->order_cache, structure, edge);
    // another order, if a flow leads along it
    bool other = !ct_candidate_flow(x, x->best.offer, &c) && !isnan(of->orders[of->taken].cost) &&
                 c.flow->mark != x->best.flow->mark;
    if (other) *budget -= ct_closure_cost(x->best.closed->closure);
    if (other && *budget >= 0 && compare(x, &c)) return true;
    ct_candidate_discard(&c);
    of->taken = taken;
    return false;
}

// The trees along the flow: a body that one joint places may hang on another one, which leaves
// other coordinates in the equations. Each joint that places a body is spared in turn, with the
// same independent coordinates.
static void choose_trees(ct_chooser *x) {
    double budget = CT_CHOICE_BUDGET_TREES;
    if (!x->asked->free_trees || !x->order_cache.n) return;
    if (!(x->best.score > 0)) weigh(&x->best);
    for (int i = 0; i < x->order_cache.n; i++) {
        const ct_flow_structure *of = x->order_cache.of + i;
        // a few of very many joints change next to nothing
        double all = of->orders[of->taken].n_placing * ct_closure_cost(x->best.closed->closure);
        if (all > CT_CHOICE_TREES_SHARE * budget) continue;
        for (int k = 0; k < of->orders[of->taken].n_placing && budget > 0; k++)
            spare(x, i, of->orders[of->taken].placing[k], &budget);
    }
}

void ct_candidates_compare(ct_chooser *x) {
    double start = ct_seconds(), before = x->seconds;
    choose_by_count(x);
    keep_wished(x);
    choose_trees(x);
    x->seconds = before + ct_seconds() - start;
}
