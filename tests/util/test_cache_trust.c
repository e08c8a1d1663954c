// The cache under attack: folders and files of others, links, files that were cut short, changed or
// exchanged, folders that cannot be written, full disks, killed processes. Nothing wrong is ever
// read; what cannot be used is as if it were not there.
#include "harness.h"

#include "util/cache/cache.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int own_cache(void **state) {
    *state = temporary_folder();
    unsetenv("COTREE_CACHE_SIZE");
    return setenv("XDG_CACHE_HOME", *state, 1);
}

static int end_cache(void **state) {
    remove_folder(*state);
    unsetenv("COTREE_CACHE_SIZE");
    return shared_cache(state);
}

static ct_digest key_of(uint64_t number) {
    ct_digest key = {0};
    ct_digest_add_number(&key, number);
    return key;
}

static bool keep(uint64_t key, const char *text) {
    return ct_cache_write(CT_CACHE_ORDERS, key_of(key), text, strlen(text));
}

// Returns true if the entry is there; it must be this text then.
static bool has(uint64_t key, const char *text) {
    size_t n = 0;
    char *found = ct_cache_read(CT_CACHE_ORDERS, key_of(key), &n);
    if (!found) return false;
    assert_int_equal(n, strlen(text));
    assert_string_equal(found, text);
    ct_free(found);
    return true;
}

static char *entry_path(uint64_t key) {
    ct_digest k = key_of(key);
    return ct_format("%s/cotree/orders/%016llx%016llx", getenv("XDG_CACHE_HOME"),
                     (unsigned long long)k.lane[0], (unsigned long long)k.lane[1]);
}

static void write_bytes(const char *path, const char *bytes, size_t n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

static size_t read_bytes(const char *path, char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(bytes, 1, room, file);
    fclose(file);
    return n;
}

static void kept(void **state) {
    (void)state;
    assert_false(has(1, ""));
    assert_true(keep(1, "one"));
    assert_true(keep(2, ""));
    assert_true(has(1, "one"));
    assert_true(has(2, ""));
    assert_true(keep(1, "another one"));
    assert_true(has(1, "another one"));
    char *path = ct_cache_find(CT_CACHE_ORDERS, key_of(1)), *same = entry_path(1);
    assert_string_equal(path, same);
    // the same key of another kind is another entry
    assert_null(ct_cache_read(CT_CACHE_TRIANGULAR, key_of(1), NULL));
    ct_free(path);
    ct_free(same);
}

// Contents of one length that differ in one byte, or of different lengths, have other digests.
static void digests(void **state) {
    (void)state;
    unsigned char bytes[41] = {0};
    ct_digest seen[1 + 41 * 8 + 41];
    int n = 0;
    for (int i = -1; i < 41 * 8; i++) {
        if (i >= 0) bytes[i / 8] = (unsigned char)(1u << i % 8);
        seen[n] = (ct_digest){0};
        ct_digest_add(&seen[n++], bytes, sizeof bytes);
        if (i >= 0) bytes[i / 8] = 0;
    }
    for (size_t k = 0; k < 41; k++) {
        seen[n] = (ct_digest){0};
        ct_digest_add(&seen[n++], bytes, k);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            assert_int_not_equal(seen[i].lane[0], seen[k].lane[0]);
            assert_int_not_equal(seen[i].lane[1], seen[k].lane[1]);
        }
}

// No byte may be another one, and none may be missing or come on top.
static void damaged(void **state) {
    (void)state;
    static const char text[] = "what was found, at some length";
    char good[400], bad[400], *path = entry_path(7);
    assert_true(keep(7, text));
    size_t n = read_bytes(path, good, sizeof good);
    for (size_t i = 0; i < n; i++) {
        memcpy(bad, good, n);
        bad[i] = (char)(bad[i] ^ 1 << i % 8);
        write_bytes(path, bad, n);
        assert_false(has(7, text));
        write_bytes(path, good, i); // cut short
        assert_false(has(7, text));
    }
    memcpy(bad, good, n);
    bad[n] = '\n';
    write_bytes(path, bad, n + 1);
    assert_false(has(7, text));
    // rebuilt
    assert_true(keep(7, text));
    assert_true(has(7, text));
    ct_free(path);
}

static void exchanged(void **state) {
    (void)state;
    char *one = entry_path(1), *two = entry_path(2), *aside = entry_path(3);
    assert_true(keep(1, "one") && keep(2, "two"));
    assert_int_equal(rename(one, aside) || rename(two, one) || rename(aside, two), 0);
    assert_false(has(1, "one"));
    assert_false(has(2, "two"));
    assert_true(keep(1, "one"));
    assert_true(has(1, "one"));
    ct_free(one);
    ct_free(two);
    ct_free(aside);
}

// An entry that is a link, a pipe or a folder, or that others may write to; and its like in folders.
static void foreign(void **state) {
    char *path = entry_path(1), *aside = ct_format("%s/aside", (char *)*state);
    char *top = ct_format("%s/cotree", (char *)*state), *orders = ct_format("%s/orders", top);
    const char *const folders[] = {orders, top};
    // files
    assert_true(keep(1, "one"));
    assert_int_equal(chmod(path, 0620), 0);
    assert_false(has(1, "one"));
    assert_int_equal(chmod(path, 0602), 0);
    assert_false(has(1, "one"));
    assert_int_equal(chmod(path, 0600), 0);
    assert_true(has(1, "one"));
    assert_int_equal(rename(path, aside) || symlink(aside, path), 0);
    assert_false(has(1, "one"));
    assert_true(keep(1, "one")); // takes the place of the link
    assert_true(has(1, "one"));
    assert_int_equal(unlink(path) || mkfifo(path, 0600), 0);
    assert_false(has(1, "one"));
    assert_true(keep(1, "one"));
    // folders
    for (int i = 0; i < 2; i++) {
        static const mode_t open_to_others[] = {0720, 0702, 0777};
        for (int k = 0; k < 3; k++) {
            assert_int_equal(chmod(folders[i], open_to_others[k]), 0);
            assert_false(has(1, "one"));
            assert_false(keep(1, "two"));
        }
        assert_int_equal(chmod(folders[i], 0700), 0);
        assert_true(has(1, "one"));
        char *moved = ct_format("%s/moved", (char *)*state);
        assert_int_equal(rename(folders[i], moved) || symlink(moved, folders[i]), 0);
        assert_false(has(1, "one"));
        assert_false(keep(1, "two"));
        assert_int_equal(unlink(folders[i]) || rename(moved, folders[i]), 0);
        assert_true(has(1, "one"));
        ct_free(moved);
    }
    // the folder around them: a sticky bit keeps others from renaming what is ours
    assert_int_equal(chmod(*state, 0777), 0);
    assert_false(has(1, "one"));
    assert_int_equal(chmod(*state, 01777), 0);
    assert_true(has(1, "one"));
    assert_int_equal(chmod(*state, 0700), 0);
    ct_free(path);
    ct_free(aside);
    ct_free(top);
    ct_free(orders);
}

static void other_owner(void **state) {
    if (geteuid() != 0) skip(); // nobody else can give files away
    enum { SOMEBODY = 12345 };
    char *path = entry_path(1), *top = ct_format("%s/cotree", (char *)*state);
    const char *const all[] = {path, top, *state};
    assert_true(keep(1, "one"));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(chown(all[i], SOMEBODY, SOMEBODY), 0);
        assert_false(has(1, "one"));
        if (i) assert_false(keep(1, "two"));
        assert_int_equal(chown(all[i], geteuid(), getegid()), 0);
        assert_true(has(1, "one"));
    }
    ct_free(path);
    ct_free(top);
}

// As another user, whom permissions bind; exit code 0: as it should be.
static bool holds_for_user(bool (*what)(const char *folder), const char *folder) {
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(12345) || setuid(12345))) _exit(0);
        _exit(!what(folder));
    }
    int status = 1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool read_only(const char *folder) {
    setenv("XDG_CACHE_HOME", folder, 1);
    return !keep(1, "one") && !has(1, "one");
}

static void not_writable(void **state) {
    (void)state;
    char *folder = temporary_folder();
    assert_int_equal(chmod(folder, 0500), 0);
    if (geteuid() == 0) assert_int_equal(chown(folder, 12345, 12345), 0);
    assert_true(holds_for_user(read_only, folder));
    if (geteuid() == 0) assert_int_equal(chown(folder, 0, 0), 0);
    assert_int_equal(chmod(folder, 0700), 0);
    remove_folder(folder);
    // no folder at all
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    assert_false(keep(1, "one"));
    assert_false(has(1, "one"));
    setenv("XDG_CACHE_HOME", "relative", 1);
    char *home = getenv("HOME") ? ct_strdup(getenv("HOME")) : NULL;
    unsetenv("HOME");
    assert_false(keep(1, "one"));
    assert_false(has(1, "one"));
    if (home) setenv("HOME", home, 1);
    ct_free(home);
}

// A file larger than what may be written stands for a full disk: the same write fails half way.
static void full_disk(void **state) {
    (void)state;
    char *folder = ct_format("%s/cotree/orders", (char *)*state);
    enum { LARGE = 300000 };
    char *large = ct_alloc(LARGE + 1, 1);
    memset(large, 'x', LARGE);
    assert_true(keep(1, "one"));
    int before = count_files(folder);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit least = {100000, 100000};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &least);
        _exit(keep(2, large) || has(2, large));
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(count_files(folder), before);
    assert_true(has(1, "one"));
    assert_true(keep(2, large));
    assert_true(has(2, large));
    ct_free(large);
    ct_free(folder);
}

// Entries that were used last stay.
static void bounded(void **state) {
    char *folder = ct_format("%s/cotree/orders", (char *)*state);
    enum { ENTRY = 60000, MOST = 1048576 / 61440 };
    char *text = ct_alloc(ENTRY + 1, 1);
    memset(text, 'x', ENTRY);
    setenv("COTREE_CACHE_SIZE", "1", 1);
    for (uint64_t i = 0; i < 60; i++) {
        assert_true(keep(i, text));
        assert_true(has(0, text)); // in use
        if (i) assert_true(has(i, text));
        assert_true(count_files(folder) <= MOST);
    }
    assert_false(has(1, text));
    assert_true(count_files(folder) >= MOST / 2);
    // none at all, without a number as with it
    setenv("COTREE_CACHE_SIZE", "0", 1);
    assert_false(keep(0, text));
    assert_false(has(0, text));
    setenv("COTREE_CACHE_SIZE", "a lot", 1);
    assert_true(has(0, text));
    ct_free(text);
    ct_free(folder);
}

// Parts and workshops without a maker are gone after the next entry; those of living ones stay.
static void leftovers(void **state) {
    char *part = ct_format("%s/cotree/orders/part.1.2.3", (char *)*state);
    assert_true(keep(1, "one"));
    write_bytes(part, "half", 4);
    pid_t child = fork();
    if (child == 0) { // killed while it builds
        ct_workshop w = ct_workshop_new(true);
        char *file = w.path ? ct_format("%s/model.c", w.path) : NULL;
        if (file) write_bytes(file, "int", 3);
        raise(SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    char *top = ct_format("%s/cotree", (char *)*state);
    assert_int_equal(count_files(top), 2); // orders, the workshop
    ct_workshop mine = ct_workshop_new(true);
    assert_non_null(mine.path);
    assert_int_equal(count_files(top), 3);
    assert_true(keep(2, "two"));
    assert_int_equal(count_files(top), 2);
    assert_int_equal(access(mine.path, R_OK), 0);
    assert_int_not_equal(access(part, F_OK), 0);
    ct_workshop_remove(&mine);
    ct_workshop_clear(&mine);
    assert_int_equal(count_files(top), 1);
    assert_true(has(1, "one") && has(2, "two"));
    ct_free(part);
    ct_free(top);
}

// Processes that read, write and clear at once: what is read is whole.
static void at_once(void **state) {
    (void)state;
    enum { PROCESSES = 6, ROUNDS = 60, LENGTH = 3000 };
    pid_t child[PROCESSES];
    setenv("COTREE_CACHE_SIZE", "0.05", 1);
    for (int p = 0; p < PROCESSES; p++) {
        child[p] = fork();
        if (child[p]) continue;
        char text[LENGTH + 1] = "";
        for (uint64_t i = 0; i < ROUNDS; i++) {
            uint64_t key = (i * 7 + (uint64_t)p) % 20;
            memset(text, 'a' + (int)key, LENGTH);
            keep(key, text);
            char *found = ct_cache_read(CT_CACHE_ORDERS, key_of(key), NULL);
            if (found && strcmp(found, text)) _exit(1);
            ct_free(found);
        }
        _exit(0);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status = 1;
        assert_int_equal(waitpid(child[p], &status, 0), child[p]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

static void shown_and_cleared(void **state) {
    ct_context *ctx = ct_context_new();
    ct_cache_info *info;
    char *top = ct_format("%s/cotree", (char *)*state);
    // before anything was kept
    assert_int_equal(ct_cache_show(ctx, &info), CT_OK);
    assert_null(info->why);
    assert_string_equal(info->folder, top);
    assert_int_equal(info->kinds[CT_CACHE_ORDERS].n, 0);
    assert_int_not_equal(access(top, F_OK), 0);
    ct_cache_info_free(info);
    // two entries, and none
    assert_true(keep(1, "one") && keep(2, "two"));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ct_cache_clear(ctx, &info), CT_OK);
        assert_int_equal(info->kinds[CT_CACHE_ORDERS].n, i ? 0 : 2);
        ct_cache_info_free(info);
    }
    assert_false(has(1, "one") || has(2, "two"));
    // what others may write to is said, and not touched
    assert_true(keep(1, "one"));
    assert_int_equal(chmod(top, 0777), 0);
    assert_int_equal(ct_cache_show(ctx, &info), CT_OK);
    assert_non_null(strstr(info->why, "other users may write"));
    ct_cache_info_free(info);
    assert_int_equal(ct_cache_clear(ctx, &info), CT_INTERNAL);
    assert_null(info);
    ct_messages_clear(ctx);
    assert_int_equal(ct_cache_check(ctx), CT_OK);
    assert_true(has_message(ctx, "is not used: other users may write to it"));
    assert_int_equal(chmod(top, 0700), 0);
    assert_true(has(1, "one"));
    ct_messages_clear(ctx);
    assert_int_equal(ct_cache_check(ctx), CT_OK);
    assert_int_equal(ct_message_count(ctx), 0);
    ct_free(top);
    ct_context_free(ctx);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, own_cache, end_cache)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests), TEST(kept),      TEST(damaged),
        TEST(exchanged),           TEST(foreign),   TEST(other_owner),
        TEST(not_writable),        TEST(full_disk), TEST(bounded),
        TEST(leftovers),           TEST(at_once),   TEST(shown_and_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
