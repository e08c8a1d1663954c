// Sums of angles by the addition formulas, at random: what is derived is what the sine or cosine
// is.
#include "closure/closure_machine.h"

#include "closure/values/values.h"

static int whole(uint64_t *random, int most) {
    return (int)lround(most * noise(random));
}

static ct_ex random_sum(const ct_formulation *f, const int *coefficient, uint64_t *random) {
    static const int turns[] = {0, 0, 1, 2, 3, 4, 6};
    ct_pool *pool = f->pool;
    ct_ex a =
        ct_mul(pool, ct_rational(pool, turns[(unsigned)(whole(random, 3) + 3)], 12), ct_pi(pool));
    for (int k = 0; k < f->n; k++)
        a = ct_add(pool, a, ct_mul(pool, ct_int(pool, coefficient[k]), f->q[k]));
    if (whole(random, 2) == 0) a = ct_add(pool, a, ct_mul(pool, ct_int(pool, 3), f->model->time));
    return a;
}

// Forms to start from whose coefficients of the dependent angles have determinant one, so that
// every whole sum follows.
static void random_basis(const ct_closure *c, uint64_t *random, int *matrix) {
    int n = c->f->n;
    for (int i = 0; i < c->n_dependent; i++) matrix[i * n + c->dependent[i]] = 1;
    for (int step = 0; step < 6 * c->n_dependent; step++) {
        int i = abs(whole(random, 100)) % c->n_dependent,
            j = abs(whole(random, 100)) % c->n_dependent, sign = whole(random, 1);
        for (int k = 0; k < n && i != j; k++) matrix[i * n + k] += sign * matrix[j * n + k];
    }
    for (int i = 0; i < c->n_dependent; i++)
        for (int k = 0; k < c->r; k++) matrix[i * n + c->independent[k]] = whole(random, 1);
}

static void check_sums(const ct_formulation *f, uint64_t *random) {
    enum { ASKED = 12 };
    ct_closure *c = ct_alloc(1, sizeof *c);
    size_t n = (size_t)f->n;
    c->f = f;
    c->is_independent = ct_alloc(n, sizeof *c->is_independent);
    c->independent = ct_alloc(n, sizeof *c->independent);
    c->dependent = ct_alloc(n, sizeof *c->dependent);
    for (int k = 0; k < f->n; k++) {
        c->is_independent[k] = k % 3 == 1;
        *(c->is_independent[k] ? &c->independent[c->r++] : &c->dependent[c->n_dependent++]) = k;
    }
    int *matrix = ct_alloc(n * n, sizeof *matrix), *wanted = ct_alloc(n, sizeof *wanted);
    ct_ex *solved = ct_alloc(n, sizeof *solved), missing, cosine, sine;
    ct_values *values = ct_values_new(c);
    random_basis(c, random, matrix);
    for (int i = 0; i < c->n_dependent; i++) {
        solved[i] = random_sum(f, matrix + i * f->n, random);
        ct_values_pair(values, solved[i], &cosine, &sine);
    }
    for (int i = 0; i < ASKED; i++) {
        for (int k = 0; k < f->n; k++) wanted[k] = whole(random, 2);
        ct_values_pair(values, random_sum(f, wanted, random), &cosine, &sine);
    }
    ct_ex *how = ct_alloc((size_t)c->registers.values.n, sizeof *how);
    assert_true(ct_values_complete(values, c->n_dependent, solved, how, &missing));
    ct_numbers x;
    ct_model_numbers(f->model, &x);
    machine m = {.c = c, .x = &x};
    for (int k = 0; k < f->n; k++) machine_set(&m, f->q[k], 3 * noise(random));
    double t = noise(random);
    machine_set(&m, f->model->time, t);
    double *direct = ct_alloc((size_t)c->registers.values.n, sizeof *direct);
    ct_numbers_eval(&x, c->registers.values.n, c->registers.values.meaning, direct);
    for (int i = 0; i < c->registers.values.n; i++)
        machine_set(&m, c->registers.values.symbol[i], how[i] == CT_UNSET ? direct[i] : NAN);
    for (int k = 0; k < c->n_dependent; k++) machine_set(&m, f->q[c->dependent[k]], NAN);
    for (int i = 0; i < c->registers.values.n; i++)
        if (how[i] != CT_UNSET) assert_near(machine_value(&m, how[i]), direct[i], 1e-11);
    // one less: what held it up is named
    for (int k = 0; k < f->n; k++) wanted[k] = matrix[(c->n_dependent - 1) * f->n + k];
    assert_false(ct_values_complete(values, c->n_dependent - 1, solved, how, &missing));
    assert_true(missing != CT_ZERO);
    ct_numbers_clear(&x);
    ct_values_free(values);
    ct_closure_free(c);
    ct_free(matrix);
    ct_free(wanted);
    ct_free(solved);
    ct_free(how);
    ct_free(direct);
}

static void test_sums(void **data) {
    (void)data;
    mech u = mech_model("serial_arm_7", NULL);
    assert_made(&u);
    uint64_t random = 3;
    for (int i = 0; i < 15; i++) check_sums(ct_system_formulation(u.s), &random);
    mech_clear(&u);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
