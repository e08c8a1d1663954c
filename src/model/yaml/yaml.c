// Events of libfyaml to a tree with places. Nesting, size and what aliases expand to are limited,
// so that a hostile file costs no more than a long one.
#include "model/yaml/yaml.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, WEIGHT_MAX = 1000000 };

typedef struct builder {
    ct_yaml_file *file;
    ct_yaml *stack[DEPTH_MAX];
    char *anchor[DEPTH_MAX]; // of the open collections
    int depth;
    ct_place last; // of the last thing with a place: for values that are empty
    bool failed;
} builder;

static void silent(struct fy_diag *diag, void *user, const char *text, size_t n) {
    (void)diag, (void)user, (void)text, (void)n;
}

ct_yaml *ct_yaml_node(ct_yaml_file *file, ct_yaml_kind kind, ct_place place) {
    ct_yaml *node = ct_alloc(1, sizeof *node);
    *node = (ct_yaml){.kind = kind, .place = place, .weight = 1, .start = SIZE_MAX};
    *CT_PUSH(file->nodes, file->n, file->room) = node;
    return node;
}

static void fail(builder *b, ct_place place, const char *what) {
    if (!b->failed) ct_error_at(b->file->ctx, place, "%s", what);
    b->failed = true;
}

// The text of a token, NULL where it has none. Where libfyaml lacks memory for it, it has a length alone.
static const char *text_of(struct fy_token *token, size_t *n) {
    *n = 0;
    const char *text = token ? fy_token_get_text(token, n) : NULL;
    if (token && !text && fy_token_get_text_length(token)) ct_run_out();
    return text;
}

static char *token_text(struct fy_token *token) {
    size_t n;
    const char *text = text_of(token, &n);
    return text ? ct_strndup(text, n) : NULL;
}

static ct_place event_place(struct fy_event *event, size_t *position) {
    const struct fy_mark *mark = fy_event_start_mark(event);
    if (position) *position = mark ? mark->input_pos : SIZE_MAX;
    return mark ? (ct_place){mark->line + 1, mark->column + 1} : (ct_place){0, 0};
}

// Hangs a finished node into the open collection, or makes it the root.
static void attach(builder *b, ct_yaml *node) {
    if (b->depth == 0) {
        b->file->root = node;
        return;
    }
    ct_yaml *parent = b->stack[b->depth - 1];
    *CT_PUSH(parent->item, parent->n, parent->room) = node;
    parent->weight += node->weight;
    if (parent->weight > WEIGHT_MAX)
        fail(b, node->place,
             "this file has too many entries (aliases count as often as they are used)");
}

static void remember(builder *b, char *anchor, ct_yaml *node) {
    if (!anchor) return;
    for (int i = b->file->n - 1; i >= 0; i--) // nearly always the newest
        if (b->file->nodes[i] == node) {
            ct_name_map_set(&b->file->anchors, anchor, i);
            break;
        }
    ct_free(anchor);
}

static void scalar(builder *b, struct fy_event *event) {
    size_t position, n;
    ct_place place = event_place(event, &position);
    const char *text = text_of(event->scalar.value, &n);
    if (!text) text = "", n = 0;
    enum fy_scalar_style style = fy_token_scalar_style(event->scalar.value);
    // a value that is not written has a place in some versions of libfyaml and none in others
    if (!place.line || (style == FYSS_PLAIN && !n)) place = b->last, position = SIZE_MAX;
    ct_yaml *node = ct_yaml_node(b->file, CT_YAML_SCALAR, place);
    node->plain = style == FYSS_PLAIN;
    if (style == FYSS_PLAIN || style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED)
        node->start = position;
    node->start_place = place;
    if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED)
        node->place.column -= node->place.column > 1; // libfyaml marks the text, we the quote
    node->text = ct_strndup(text, n);
    if (strlen(node->text) != n)
        fail(b, node->place,
             "this text holds a NUL character (\\0), which no name or expression may have");
    b->last = node->place;
    attach(b, node);
    remember(b, token_text(event->scalar.anchor), node);
}

static void open_collection(builder *b, struct fy_event *event) {
    size_t position;
    bool is_map = event->type == FYET_MAPPING_START;
    ct_place place = event_place(event, &position);
    if (!place.line) place = b->last;
    if (b->depth == DEPTH_MAX) {
        fail(b, place, "lists and maps are nested too deeply here");
        return;
    }
    ct_yaml *node = ct_yaml_node(b->file, is_map ? CT_YAML_MAP : CT_YAML_LIST, place);
    node->flow = position < b->file->bytes && b->file->source[position] == (is_map ? '{' : '[');
    b->last = place;
    b->anchor[b->depth] =
        token_text(is_map ? event->mapping_start.anchor : event->sequence_start.anchor);
    b->stack[b->depth++] = node;
}

static void close_collection(builder *b) {
    if (!b->depth) return;
    ct_yaml *node = b->stack[--b->depth];
    ct_yaml_finish(b->file, node);
    attach(b, node);
    remember(b, b->anchor[b->depth], node); // after its end: an alias inside it would never end
    b->anchor[b->depth] = NULL;
}

static void alias(builder *b, struct fy_event *event) {
    ct_place place = event_place(event, NULL);
    place.column -= place.column > 1; // the star
    char *name = token_text(event->alias.anchor);
    int i = name ? ct_name_map_get(&b->file->anchors, name) : -1;
    if (i >= 0)
        attach(b, b->file->nodes[i]);
    else
        fail(b, place,
             ct_show_format(&b->file->shown, "there is no anchor &%s before this alias",
                            ct_show(&b->file->shown, name ? name : "")));
    ct_free(name);
}

static void handle(builder *b, struct fy_event *event) {
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (b->file->root)
            fail(b, event_place(event, NULL),
                 "a second document starts here: write one mechanism per file");
        break;
    case FYET_SCALAR: scalar(b, event); break;
    case FYET_ALIAS: alias(b, event); break;
    case FYET_MAPPING_START:
    case FYET_SEQUENCE_START: open_collection(b, event); break;
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: close_collection(b); break;
    default: break;
    }
}

// Memory of libfyaml: bytes at least, and for each byte of the text.
enum { READER = 1 << 16, TOKENS = 32 };

static void want_memory(const ct_yaml_file *file) {
    ct_want(READER + TOKENS * file->bytes);
}

// The first thing libfyaml complained about, in our words.
static void syntax_error(builder *b, struct fy_diag *diag) {
    void *at = NULL;
    struct fy_diag_error *error = fy_diag_errors_iterate(diag, &at);
    if (!error) want_memory(b->file); // without a complaint it was no syntax
    ct_place place = error && error->line > 0 ? (ct_place){error->line, error->column} : b->last;
    const char *what = error && error->msg ? error->msg : "cannot be read";
    fail(b, place,
         ct_show_format(
             &b->file->shown,
             "this is not valid YAML: %.120s; check indentation, colons, brackets and quotes",
             what));
}

static bool check_bytes(ct_yaml_file *file) {
    size_t bad = ct_text_valid(file->source, file->bytes);
    if (bad == file->bytes) return true;
    ct_place place = {1, 1};
    for (size_t i = 0; i < bad; i++) {
        unsigned char c = (unsigned char)file->source[i];
        if (c == '\n')
            place = (ct_place){place.line + 1, 1};
        else if ((c & 0xC0) != 0x80)
            place.column++;
    }
    ct_error_at(file->ctx, place, "byte 0x%02x is not text: save the file as UTF-8",
                (unsigned)(unsigned char)file->source[bad]);
    return false;
}

// What libfyaml has made so far; NULL: not yet.
typedef struct parsing {
    struct fy_diag *diag;
    struct fy_parser *parser;
    struct fy_event *event;
} parsing;

static void parsing_end(void *data) {
    parsing *p = data;
    if (p->event) fy_parser_event_free(p->parser, p->event);
    if (p->parser) fy_parser_destroy(p->parser);
    if (p->diag) fy_diag_destroy(p->diag);
}

static void parse(builder *b) {
    ct_yaml_file *file = b->file;
    parsing p = {0};
    ct_cleanup undo;
    ct_cleanup_push(&undo, parsing_end, &p);
    // messages are collected, not printed
    struct fy_diag_cfg diag_cfg;
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    diag_cfg.output_fn = silent;
    want_memory(file); // a failed allocation would be an error of syntax
    p.diag = fy_diag_create(&diag_cfg);
    if (!p.diag) ct_run_out();
    fy_diag_set_collect_errors(p.diag, true);
    // YAML 1.2 from memory
    struct fy_parse_cfg cfg = {
        .flags = FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE | FYPCF_COLLECT_DIAG, .diag = p.diag};
    p.parser = fy_parser_create(&cfg);
    if (!p.parser || fy_parser_set_string(p.parser, file->source, file->bytes)) ct_run_out();
    // one event after the other into the tree; the first error ends it
    while (!b->failed) {
        p.event = fy_parser_parse(p.parser);
        if (!p.event) {
            if (fy_parser_get_stream_error(p.parser)) syntax_error(b, p.diag);
            break;
        }
        handle(b, p.event);
        fy_parser_event_free(p.parser, p.event);
        p.event = NULL;
    }
    // names of collections that were left open
    for (int i = 0; i < b->depth; i++) ct_free(b->anchor[i]);
    ct_cleanup_pop(&undo);
    parsing_end(&p);
}

ct_yaml_file *ct_yaml_parse(ct_context *ctx, const char *text, size_t bytes) {
    ct_yaml_file *file = ct_alloc(1, sizeof *file);
    file->ctx = ctx;
    if (bytes >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) // byte order mark
        text += 3, bytes -= 3;
    file->source = text;
    file->bytes = bytes;
    if (!check_bytes(file)) return file;
    builder b = {.file = file, .last = {1, 1}};
    if (bytes) parse(&b);
    if (b.failed)
        file->root = NULL;
    else if (!file->root || ct_yaml_is_null(file->root)) {
        file->root = NULL;
        ct_error_at(ctx, (ct_place){1, 1},
                    "this file is empty: a mechanism needs at least bodies and joints");
    }
    return file;
}

void ct_yaml_free(ct_yaml_file *file) {
    if (!file) return;
    for (int i = 0; i < file->n; i++) {
        ct_free(file->nodes[i]->text);
        ct_free(file->nodes[i]->item);
        ct_free(file->nodes[i]);
    }
    ct_free(file->nodes);
    ct_name_map_clear(&file->anchors);
    ct_free(file);
}
