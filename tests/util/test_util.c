// Messages in order of place, nearest names, growing texts, hashing, checked allocation; characters
// of UTF-8, strings of JSON, fields of CSV, decimals.
#include "unit.h"

#include "util/text/csv.h"
#include "util/text/decimal.h"
#include "util/text/json.h"
#include "util/text/utf8.h"
#include "util/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

static void messages_come_in_order_of_place(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    ct_context_set_file(ctx, "m.yaml");
    ct_error_at(ctx, (ct_place){7, 3}, "third %d", 3);
    ct_warning_at(ctx, (ct_place){2, 9}, "second");
    ct_error_at(ctx, (ct_place){2, 1}, "first");
    ct_error_at(ctx, (ct_place){7, 3}, "fourth, said later at the same place");
    ct_error_at(ctx, (ct_place){0, 0}, "no place: stays where it was said");
    static const char *const want[] = {"m.yaml:2:1: error: first", "m.yaml:2:9: warning: second",
                                       "m.yaml:7:3: error: third 3",
                                       "m.yaml:7:3: error: fourth, said later at the same place",
                                       "m.yaml: error: no place: stays where it was said"};
    assert_int_equal(ct_message_count(ctx), 5);
    for (int i = 0; i < 5; i++) assert_string_equal(ct_message(ctx, i), want[i]);
    assert_int_equal(ct_context_error_count(ctx), 4);
    assert_string_equal(ct_message(ctx, 5), "");
    assert_string_equal(ct_message(ctx, -1), "");
    ct_context_set_file(ctx, NULL);
    assert_int_equal(ct_fail(ctx, CT_NUMERICS, "step %s", "too small"), CT_NUMERICS);
    assert_string_equal(ct_message(ctx, 5), "error: step too small");
    assert_int_equal(ct_context_error_count(ctx), 5);
    ct_messages_clear(ctx);
    assert_int_equal(ct_message_count(ctx), 0);
    assert_int_equal(ct_context_error_count(ctx), 0);
    ct_error_at(ctx, (ct_place){4, 4}, "a place without a file");
    assert_string_equal(ct_message(ctx, 0), "error: a place without a file");
    ct_context_free(ctx);
    ct_context_free(NULL);
}

static void too_many_messages_end_with_a_word(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    ct_context_set_file(ctx, "m.yaml");
    for (int i = 0; i < 500; i++)
        ct_error_at(ctx, (ct_place){1000 - i, 1}, "mistake %d", i); // from below
    int n = ct_message_count(ctx);
    assert_true(n > 50 && n < 400);
    assert_int_equal(ct_context_error_count(ctx), 500);
    assert_string_equal(ct_message(ctx, n - 1),
                        "m.yaml: error: too many mistakes; the rest is not shown");
    assert_string_equal(ct_message(ctx, n - 2), "m.yaml:1000:1: error: mistake 0");
    for (int i = 0; i + 1 < n; i++) assert_null(strstr(ct_message(ctx, i), "too many"));
    ct_context_free(ctx);
}

static void long_messages_are_whole(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    char *word = ct_alloc(10001, 1);
    memset(word, 'w', 10000);
    ct_error_at(ctx, (ct_place){1, 1}, "%s.", word);
    assert_int_equal(strlen(ct_message(ctx, 0)), strlen("error: ") + 10001);
    ct_free(word);
    ct_context_free(ctx);
}

static void edit_distances(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        int distance;
    } cases[] = {
        {"", "", 0},      {"abc", "abc", 0},        {"", "abc", 3},      {"abc", "abd", 1},
        {"abc", "ab", 1}, {"ab", "xab", 1},         {"abcd", "acbd", 1}, {"ab", "ba", 1},
        {"ca", "abc", 3}, {"kitten", "sitting", 3}, {"sin", "cos", 3},   {"mass", "Mass", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ct_edit_distance(cases[i].a, cases[i].b), cases[i].distance);
        assert_int_equal(ct_edit_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
    char wide[200] = {0};
    memset(wide, 'x', 199);
    assert_int_equal(ct_edit_distance(wide, "x"), 199); // not worth a closer look
}

static void nearest_names(void **state) {
    (void)state;
    static const char *const names[] = {"revolute", "prismatic", "x", "spherical", "revolved"};
    assert_string_equal(ct_nearest("revolut", names, 5), "revolute");
    assert_string_equal(ct_nearest("prsimatic", names, 5), "prismatic");
    assert_string_equal(ct_nearest("spheric", names, 5), "spherical");
    // the first of equally near ones
    assert_string_equal(ct_nearest("zab", (const char *const[]){"yab", "xab"}, 2), "yab");
    assert_string_equal(ct_nearest("y", names, 5), "x");
    assert_null(ct_nearest("gearbox", names, 5));
    assert_null(ct_nearest("revolute", names, 0));
}

static void texts_grow(void **state) {
    (void)state;
    ct_text t = {0};
    ct_text_add(&t, "");
    ct_text_addn(&t, "abcdef", 3);
    ct_text_printf(&t, "-%d-%s", 42, "x");
    assert_string_equal(t.s, "abc-42-x");
    assert_int_equal(t.n, 8);
    for (int i = 0; i < 10000; i++) ct_text_add(&t, "0123456789");
    assert_int_equal(t.n, 100008);
    assert_int_equal(strlen(t.s), 100008);
    assert_memory_equal(t.s + 100003, "56789", 6);
    char *s = ct_text_take(&t);
    assert_true(t.s == NULL && t.n == 0 && t.room == 0);
    ct_string_free(s);
    s = ct_text_take(&t);
    assert_string_equal(s, "");
    ct_free(s);
    ct_text_add(&t, "z");
    ct_text_clear(&t);
    assert_null(t.s);
    s = ct_format("%s/%03d", "a", 7);
    assert_string_equal(s, "a/007");
    ct_free(s);
    s = ct_strndup("abcdef", 2);
    assert_string_equal(s, "ab");
    ct_free(s);
}

static void fnv_hashes(void **state) {
    (void)state;
    // published values of 64-bit FNV-1a
    assert_true(ct_hash("", 0, 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(ct_hash("a", 1, 0) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(ct_hash("foobar", 6, 0) == UINT64_C(0x85944171f73967e8));
    assert_true(ct_hash("bar", 3, ct_hash("foo", 3, 0)) == ct_hash("foobar", 6, 0));
    assert_true(ct_hash("a", 1, 1) != ct_hash("a", 1, 2));
}

static void allocations(void **state) {
    (void)state;
    unsigned char *zero = ct_alloc(64, 3);
    for (int i = 0; i < 192; i++) assert_int_equal(zero[i], 0);
    ct_free(zero);
    ct_free(ct_alloc(0, 0)); // still a pointer
    int *item = NULL, n = 0, room = 0;
    for (int i = 0; i < 1000; i++) *CT_PUSH(item, n, room) = i * i;
    assert_int_equal(n, 1000);
    assert_true(room >= n);
    for (int i = 0; i < 1000; i++) assert_int_equal(item[i], i * i);
    ct_free(item);
    double start = ct_seconds();
    assert_true(start > 0 && ct_seconds() >= start);
}

// text --------------------------------------------------------------------------------------------
static void utf8_characters(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t bytes, length;
    } all[] = {
        {"a", 1, 1},
        {"", 0, 0},
        {"\xC3\xA9", 2, 2},
        {"\xC3\xA9", 1, 0}, // cut off
        {"\xE2\x82\xAC", 4, 3},
        {"\xF0\x9F\x98\x80", 4, 4},
        {"\xF4\x8F\xBF\xBF", 4, 4},
        {"\x80", 4, 0},             // continues nothing
        {"\xC1\x81", 4, 0},         // overlong
        {"\xE0\x9F\xBF", 4, 0},     // overlong
        {"\xF0\x8F\xBF\xBF", 4, 0}, // overlong
        {"\xED\xA0\x80", 4, 0},     // a surrogate
        {"\xF4\x90\x80\x80", 4, 0}, // above U+10FFFF
        {"\xF5\x80\x80\x80", 4, 0},
        {"\xE2\x82", 4, 0}, // a zero ends the text
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_int_equal(ct_utf8_length(all[i].text, all[i].bytes), all[i].length);
}

static void json_strings(void **state) {
    (void)state;
    const char *from = "a\"\\\n\t\x01\x7F<\xC3\xA9\xFF";
    static const char *const want[] = {
        "a\\\"\\\\\\n\\t\\u0001\\u007f<\xC3\xA9\xEF\xBF\xBD",
        "a\\u0022\\\\\\n\\t\\u0001\\u007f\\u003c\xC3\xA9\xEF\xBF\xBD"};
    for (int i = 0; i < 2; i++) {
        ct_text t = {0};
        char piece[CT_JSON_PIECE];
        for (const char *s = from; *s; ct_text_add(&t, piece))
            s += ct_json_piece(s, i ? "<\"" : NULL, piece);
        assert_string_equal(t.s, want[i]);
        ct_text_clear(&t);
    }
}

static void take(void *to, const char *bytes, size_t n) {
    ct_text_addn(to, bytes, n);
}

// The same values in both layouts: an object in an array stays on the array's line.
static void json_layouts(void **state) {
    (void)state;
    const ct_json_layout *const layouts[] = {&ct_json_indented, &ct_json_compact};
    static const char *const want[] = {
        "{\n  \"a<\": 0.10000000000000001,\n  \"b\": [{\"c\": [1, null]}, true],\n"
        "  \"d\": {\n    \"e\": {}\n  },\n  \"f\": [\"x\", null]\n}\n",
        "{\"a\\u003c\":0.1,\"b\":[{\"c\":[1,null]},true],\"d\":{\"e\":{}},\"f\":[\"x\",null]}"};
    for (int i = 0; i < 2; i++) {
        ct_text t = {0};
        ct_json j;
        ct_json_init(&j, layouts[i], take, &t);
        ct_json_object(&j, NULL);
        ct_json_number(&j, "a<", 0.1);
        ct_json_array(&j, "b");
        ct_json_object(&j, NULL);
        ct_json_vector(&j, "c", 2, (double[]){1, INFINITY});
        ct_json_end(&j);
        ct_json_boolean(&j, NULL, true);
        ct_json_end(&j);
        ct_json_object(&j, "d");
        ct_json_object(&j, "e");
        ct_json_end(&j);
        ct_json_end(&j);
        ct_json_strings(&j, "f", 2, (const char *const[]){"x", NULL});
        ct_json_end(&j);
        assert_string_equal(t.s, want[i]);
        ct_text_clear(&t);
    }
}

// What is quoted reads back; a quote that is open, or followed by something, does not.
static void csv_fields(void **state) {
    (void)state;
    static const char *const names[] = {"x",         "", "a,b", "\"", "a\"\"b", " led by a blank",
                                        "two\nlines"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char field[64], line[80], back[64];
        long breaks = 0;
        ct_csv_quote(names[i], field);
        assert_true(ct_csv_is_plain(names[i]) == !strcmp(field, names[i]));
        snprintf(line, sizeof line, "%s,next", field);
        const char *end = ct_csv_field_end(line, &breaks);
        assert_non_null(end);
        assert_int_equal(end - line, strlen(field));
        assert_int_equal(breaks, strchr(names[i], '\n') != NULL);
        assert_int_equal(ct_csv_unquote(line, end, back), strlen(names[i]));
        assert_string_equal(back, names[i]);
    }
    long breaks = 0;
    assert_null(ct_csv_field_end("\"open", &breaks));
    assert_null(ct_csv_field_end("\"a\"b", &breaks));
}

// The text of x is that of printf, and x can be read back.
static void assert_decimal(double x) {
    char text[CT_DECIMAL_ROOM], want[CT_DECIMAL_ROOM];
    snprintf(want, sizeof want, "%.17g", x);
    assert_int_equal(ct_decimal(x, text), strlen(want));
    assert_string_equal(text, want);
}

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void decimals_are_those_of_printf(void **state) {
    (void)state;
    uint64_t random = 20061, bits;
    double x;
    // zeros, ends of the range, what is no number, whole numbers, halves in the 18th digit
    const double some[] = {0.0,
                           -0.0,
                           5e-324,
                           2.2250738585072014e-308,
                           1.7976931348623157e308,
                           NAN,
                           INFINITY,
                           -INFINITY,
                           1,
                           10,
                           1e16,
                           1e17,
                           123456789012345678.0,
                           1e22,
                           1e23,
                           9.5,
                           0.1,
                           1.0 / 3,
                           1e-4,
                           9.9999999999999991e-5,
                           9.9999999999999989e16,
                           4503599627370496.5,
                           0.00012207031250000001,
                           9007199254740993.0};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) assert_decimal(some[i]);
    // powers of two: exact ties among them; powers of ten and their neighbours
    for (int e = -1074; e < 1024; e++) assert_decimal(ldexp(1, e));
    for (int k = -300; k < 300; k++) {
        x = pow(10, k);
        assert_decimal(x);
        assert_decimal(nextafter(x, 0));
        assert_decimal(-nextafter(x, INFINITY));
    }
    // any bits; numbers as they are in results; short ones
    for (int i = 0; i < 200000; i++) {
        bits = next_random(&random);
        memcpy(&x, &bits, sizeof x);
        assert_decimal(x);
        x = (double)(int64_t)next_random(&random);
        assert_decimal(x * 1e-19);
        assert_decimal(ldexp(x, -(int)(next_random(&random) % 128)));
        assert_decimal((double)(int)(next_random(&random) % 2000000) / 1000);
        assert_decimal(ldexp((double)(next_random(&random) % 4096), -(int)(i % 64)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages_come_in_order_of_place),
                                       cmocka_unit_test(too_many_messages_end_with_a_word),
                                       cmocka_unit_test(long_messages_are_whole),
                                       cmocka_unit_test(edit_distances),
                                       cmocka_unit_test(nearest_names),
                                       cmocka_unit_test(texts_grow),
                                       cmocka_unit_test(fnv_hashes),
                                       cmocka_unit_test(allocations),
                                       cmocka_unit_test(utf8_characters),
                                       cmocka_unit_test(json_strings),
                                       cmocka_unit_test(json_layouts),
                                       cmocka_unit_test(csv_fields),
                                       cmocka_unit_test(decimals_are_those_of_printf)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
