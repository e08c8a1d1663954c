// Wrong models, one mistake each: tests/bad/*.yaml say in comments on top what must be said about
// them,
//   # expect: LINE:COL: part of the message
// Every expectation must be met, and nothing else may be complained about.
#include "unit.h"

#include "cotree.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CT_BAD_DIR
#define CT_BAD_DIR "tests/bad"
#endif

enum { EXPECT_MAX = 16, LINE_MAX_BYTES = 1024 };

typedef struct expectation {
    char place[32], text[LINE_MAX_BYTES];
    int met;
} expectation;

static int read_expectations(const char *path, expectation *e) {
    char line[LINE_MAX_BYTES];
    int n = 0;
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (n < EXPECT_MAX && fgets(line, sizeof line, file)) {
        int l, c, used = 0;
        if (sscanf(line, "# expect: %d:%d: %n", &l, &c, &used) != 2 || !used) break;
        line[strcspn(line, "\n")] = '\0';
        snprintf(e[n].place, sizeof e[n].place, ":%d:%d: error: ", l, c);
        snprintf(e[n].text, sizeof e[n].text, "%s", line + used);
        e[n++].met = 0;
    }
    fclose(file);
    return n;
}

static int check_file(const char *path) {
    expectation e[EXPECT_MAX];
    int n = read_expectations(path, e), wrong = n == 0;
    ct_context *ctx = ct_context_new();
    ct_model *model = NULL;
    ct_status status = ct_model_read(ctx, path, 0, NULL, &model);
    if (status != CT_WRONG_MODEL || model) wrong = 1;
    for (int i = 0; i < ct_message_count(ctx); i++) {
        const char *message = ct_message(ctx, i);
        int found = 0;
        for (int k = 0; k < n && !found; k++)
            if (!e[k].met && !strncmp(message, path, strlen(path)) &&
                !strncmp(message + strlen(path), e[k].place, strlen(e[k].place)) &&
                strstr(message, e[k].text))
                found = e[k].met = 1;
        if (!found) {
            print_error("not expected: %s\n", message);
            wrong = 1;
        }
    }
    for (int k = 0; k < n; k++)
        if (!e[k].met) {
            print_error("missing: %s%s%s\n", path, e[k].place, e[k].text);
            wrong = 1;
        }
    if (wrong) print_error("in %s (status %d, %d expectations)\n", path, (int)status, n);
    ct_model_free(model);
    ct_context_free(ctx);
    return wrong;
}

static void every_bad_model_is_explained(void **state) {
    (void)state;
    DIR *dir = opendir(CT_BAD_DIR);
    assert_non_null(dir);
    int files = 0, wrong = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[4096];
        size_t n = strlen(entry->d_name);
        if (n < 5 || strcmp(entry->d_name + n - 5, ".yaml")) continue;
        snprintf(path, sizeof path, "%s/%s", CT_BAD_DIR, entry->d_name);
        wrong += check_file(path);
        files++;
    }
    closedir(dir);
    assert_true(files >= 45);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bad_model_is_explained)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
