// Clock, folders, shared objects and the processor, as this system has them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/system.h"

#include <stdlib.h>
#include <string.h>

static void clock_goes_forward(void **state) {
    (void)state;
    double start = ct_seconds(), last = start;
    for (int i = 0; i < 1000; i++) {
        double now = ct_seconds();
        assert_true(now >= last);
        last = now;
    }
    assert_true(last - start < 60);
}

static void set(const char *name, const char *value) {
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void caches_have_a_root(void **state) {
    (void)state;
    static const struct {
        const char *xdg, *home, *folder; // NULL: none
        bool below;
    } rows[] = {{"/x", "/home/me", "/x", false},    {NULL, "/home/me", "/home/me", true},
                {"", "/home/me", "/home/me", true}, {"relative", "/home/me", "/home/me", true},
                {NULL, NULL, NULL, false},          {NULL, "relative", NULL, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *folder, *below;
        set("XDG_CACHE_HOME", rows[i].xdg);
        set("HOME", rows[i].home);
        assert_int_equal(ct_cache_root(&folder, &below), rows[i].folder != NULL);
        if (!rows[i].folder) continue;
        assert_string_equal(folder, rows[i].folder);
        assert_int_equal(*below == '/', rows[i].below);
    }
}

static void temporary_files_have_a_folder(void **state) {
    (void)state;
    set("TMPDIR", "/elsewhere");
    assert_string_equal(ct_temporary_folder(), "/elsewhere");
    set("TMPDIR", "relative");
    assert_int_equal(*ct_temporary_folder(), '/');
    set("TMPDIR", NULL);
    assert_int_equal(*ct_temporary_folder(), '/');
}

static void an_object_that_is_not_there_has_a_reason(void **state) {
    (void)state;
    assert_null(ct_object_open("/nowhere/at/all"));
    assert_non_null(strstr(ct_object_error(), "/nowhere/at/all"));
    assert_string_equal(ct_object_error(), "unknown reason"); // it is told once
    ct_object_close(NULL);
}

static void the_processor_is_described(void **state) {
    (void)state;
    char text[4096], again[4096], little[8];
    ct_processor_name(text, sizeof text);
    assert_true(strlen(text) > 0 && !strchr(text, '\n'));
    ct_processor_name(little, sizeof little);
    assert_memory_equal(little, text, strlen(little));
    ct_processor_features(text, sizeof text);
    ct_processor_features(again, sizeof again);
    assert_true(strlen(text) > 0 && !strchr(text, '\n'));
    assert_string_equal(text, again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_goes_forward),
        cmocka_unit_test(caches_have_a_root),
        cmocka_unit_test(temporary_files_have_a_folder),
        cmocka_unit_test(an_object_that_is_not_there_has_a_reason),
        cmocka_unit_test(the_processor_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
