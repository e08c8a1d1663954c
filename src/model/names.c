// Names: a hash map from names to numbers, and text of the file made fit for messages.
#include "model/yaml/yaml.h"
#include "util/text/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int slot_of(const ct_name_map *map, const char *name) {
    int mask = map->room - 1, i = (int)(ct_hash(name, strlen(name), 0) & (uint64_t)mask);
    while (map->name[i] && strcmp(map->name[i], name)) i = (i + 1) & mask;
    return i;
}

int ct_name_map_get(const ct_name_map *map, const char *name) {
    if (!map->room) return -1;
    int i = slot_of(map, name);
    return map->name[i] ? map->value[i] : -1;
}

static void grow(ct_name_map *map) {
    ct_name_map old = *map;
    map->room = old.room ? 2 * old.room : 16;
    map->name = ct_alloc((size_t)map->room, sizeof *map->name);
    map->value = ct_alloc((size_t)map->room, sizeof *map->value);
    for (int i = 0; i < old.room; i++)
        if (old.name[i]) {
            int to = slot_of(map, old.name[i]);
            map->name[to] = old.name[i];
            map->value[to] = old.value[i];
        }
    ct_free(old.name);
    ct_free(old.value);
}

void ct_name_map_set(ct_name_map *map, const char *name, int value) {
    if (2 * (map->n + 1) > map->room) grow(map);
    int i = slot_of(map, name);
    if (!map->name[i]) {
        map->name[i] = ct_strdup(name);
        map->n++;
    }
    map->value[i] = value;
}

void ct_name_map_clear(ct_name_map *map) {
    for (int i = 0; i < map->room; i++) ct_free(map->name[i]);
    ct_free(map->name);
    ct_free(map->value);
    *map = (ct_name_map){0};
}

static bool is_control(const unsigned char *s) {
    return s[0] < 0x20 || s[0] == 0x7F || (s[0] == 0xC2 && s[1] >= 0x80 && s[1] < 0xA0);
}

size_t ct_text_valid(const char *text, size_t bytes) {
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0, n; i < bytes; i += n) {
        n = ct_utf8_length(text + i, bytes - i);
        if (!n || (n == 1 && (s[i] < 0x20 || s[i] == 0x7F) && s[i] != '\t' && s[i] != '\n' &&
                   s[i] != '\r'))
            return i;
    }
    return bytes;
}

const char *ct_show(ct_shown *shown, const char *text) {
    enum { LONGEST = 72 };
    char *to = shown->buffer[shown->next++ % 64];
    const unsigned char *s = (const unsigned char *)text;
    size_t left = strlen(text), n = 0;
    while (left) {
        size_t k = ct_utf8_length((const char *)s, left);
        if (n + k > LONGEST) break;
        if (!k || is_control(s)) {
            k = 1;
            n += (size_t)snprintf(to + n, 256 - n, "\\x%02x", *s);
        } else {
            memcpy(to + n, s, k);
            n += k;
        }
        s += k;
        left -= k;
    }
    snprintf(to + n, 256 - n, "%s", left ? "..." : "");
    return to;
}

const char *ct_show_format(ct_shown *shown, const char *format, ...) {
    char *to = shown->buffer[shown->next++ % 64];
    va_list args;
    va_start(args, format);
    ct_vsnprintf(to, sizeof shown->buffer[0], format, args);
    va_end(args);
    return to;
}
