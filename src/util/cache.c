// Folders for files: caches, which are kept between runs, and temporary files.
#include "util/util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_directory(const char *path) {
    struct stat s;
    return mkdir(path, 0700) == 0 || (errno == EEXIST && stat(path, &s) == 0 && S_ISDIR(s.st_mode));
}

char *ct_cache_directory(const char *below) {
    const char *folder, *caches;
    char *whole = ct_cache_root(&folder, &caches) ? ct_format("%s%s", folder, caches) : NULL;
    const char *const parts[] = {"", "/cotree", below ? "/" : "", below ? below : ""};
    for (int i = 0; whole && i < 4; i++) {
        char *longer = ct_format("%s%s", whole, parts[i]);
        ct_free(whole);
        whole = longer;
        if (i != 2 && !make_directory(whole)) {
            ct_free(whole);
            whole = NULL;
        }
    }
    if (whole && access(whole, W_OK) == 0) return whole;
    ct_free(whole);
    return NULL;
}

// The text is written under another name and renamed, so that no reader sees half of it.
bool ct_cache_write(const char *below, uint64_t key, const char *text) {
    char *directory = ct_cache_directory(below);
    if (!directory) return false;
    char *path = ct_format("%s/%016llx", directory, (unsigned long long)key),
         *part = ct_format("%s.%ld", path, (long)getpid());
    FILE *file = fopen(part, "w");
    bool good = file && fputs(text, file) >= 0;
    if (file && fclose(file)) good = false;
    good = good && rename(part, path) == 0;
    if (!good) unlink(part);
    ct_free(part);
    ct_free(path);
    ct_free(directory);
    return good;
}

char *ct_cache_read(const char *below, uint64_t key) {
    char *directory = ct_cache_directory(below), *text = NULL;
    if (!directory) return NULL;
    char *path = ct_format("%s/%016llx", directory, (unsigned long long)key);
    enum { MOST = 1 << 16 };
    FILE *file = fopen(path, "r");
    if (file) {
        ct_cleanup undo;
        ct_cleanup_push(&undo, ct_close_file, file);
        text = ct_alloc(MOST, 1);
        ct_cleanup_pop(&undo);
        size_t n = fread(text, 1, MOST - 1, file);
        text[n] = '\0';
        fclose(file);
    }
    ct_free(path);
    ct_free(directory);
    return text;
}

char *ct_temporary(const char *what) {
    const char *folder = ct_temporary_folder();
    bool slash = folder[strlen(folder) - 1] == '/';
    return ct_format("%s%scotree.%s.XXXXXX", folder, slash ? "" : "/", what);
}
