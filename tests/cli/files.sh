#!/bin/bash
# Files and surroundings: input that is no file or too large, names that collide in generated folders, compilers with
# arguments, rows of a run that fails, a locale with a decimal comma.
# usage: files.sh COTREE SOURCE_DIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
export XDG_CACHE_HOME=$work/cache

# input that is no file, or no text: a message, no waiting and no memory
mkfifo silent.yaml silent.csv
ln -s /dev/zero zero.yaml
ln -s /dev/zero zero.csv
truncate -s 3G hole.yaml hole.csv
bounded() { (ulimit -v 2000000; expect "$@"; echo "$passed $failed" >counts); read -r passed failed <counts; }
[ -n "${ASAN_OPTIONS:-}" ] && bounded() { expect "$@"; } # its shadow needs the whole address space
for name in silent zero hole; do
    for command in check configurations; do
        bounded 1 $command $name.yaml; says "^$name.yaml: error: "; silent
    done
    bounded 1 plot $name.csv; says "^$name.csv: error: "
    bounded 1 view $name.csv --model crank.yaml -o results/page.html; says "^$name.csv: error: "
done
expect 1 check results; says 'it is a folder'
left ''
# a pipe with a writer is read, and so is stdin
check "a pipe" "$cotree" check <(cat crank.yaml) >out 2>err
"$cotree" simulate crank.yaml --quiet -o results/crank.csv
"$cotree" plot - --ascii <results/crank.csv >out 2>err; prints ' slide'

# many columns: in time that grows as they do
many() { # COUNT
    awk -v n="$1" 'BEGIN { printf "t"; for (i = 0; i < n; i++) printf ",c%d", i; print ""
                           for (r = 0; r < 2; r++) { printf "%d", r; for (i = 0; i < n; i++) printf ",%d", i; print "" } }'
}
many 100000 >wide.csv
check "a result of 100 000 columns" timeout 20 "$cotree" plot wide.csv >out 2>err
awk 'BEGIN { printf "cotree: 1\nparameters: {"; for (i = 0; i < 100000; i++) printf "%sp%d: %d", i ? ", " : "", i, i
             print "}\nbodies: {a: {mass: 1}}\njoints: {J: {type: prismatic, between: [ground, a], axis: x}}" }' >wide.yaml
check "a model of 100 000 parameters" timeout 20 "$cotree" check wide.yaml >out 2>err

# names: the folder builds, and `make clean` leaves what was there before. All but three with a compiler that only makes
# the file that is asked for.
cat >quick_cc <<'SH'
#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = -o ] && { echo 'echo t,O,' >"$2" && chmod +x "$2"; }; shift; done
SH
chmod +x quick_cc
for name in clean _ 'two words' all Makefile GNUmakefile __ . .. con time ctk main 1st 'a$(b)' "it's" 'ü' -o crank; do
    case $name in clean | _ | 'two words') tool=$(command -v cc) ;; *) tool=$work/quick_cc ;; esac
    cp crank.yaml "results/$name.yaml"
    expect 0 generate "./results/$name.yaml" -o code --quiet
    ls code >before
    check "make for '$name'" make -C code CC="$tool" CFLAGS=-O0 >out 2>err
    check "one program for '$name'" test "$(ls code | diff before - | grep -c '^>')" = 1
    program=$(ls code | diff before - | sed -n 's/^> //p')
    check "rows from '$name'" test "$("code/$program" 2>err | head -1 | cut -c1-4)" = t,O,
    check "make clean for '$name'" make -C code clean >out 2>err
    ls code | check "as before: '$name'" diff before -
    rm -rf code
done
rm -f results/* results/.*.yaml

# compilers with arguments
compiler=$(command -v cc)
cat >own_cc <<'SH'
#!/bin/sh
echo "$*" >>calls
shift
exec "$REAL_CC" "$@"
SH
chmod +x own_cc
export REAL_CC=$compiler
CC="./own_cc first -O0 -DX=1" expect 0 simulate crank.yaml --quiet -o results/crank.csv
check "arguments of CC come first" grep -q '^first -O0 -DX=1 -std=c99' calls
check "its level counts" grep -qv -- '-O2' calls
CC="  $compiler	-O1 " expect 0 simulate crank.yaml --quiet -o results/crank.csv
CC="no-such-compiler -O2" expect 4 simulate crank.yaml; says "'no-such-compiler' was not found"
CC='cc "-DX=a b"' expect 4 simulate crank.yaml; says 'needs a shell'
CC="$(printf 'cc%40s' ' ' | sed 's/ / -DX/g')" expect 4 simulate crank.yaml; says 'more than 32 words'
CC="" expect 0 simulate crank.yaml --quiet -o results/crank.csv

# a run that fails keeps its complete rows
cat >failing.yaml <<'YAML'
cotree: 1
bodies: {cart: {mass: 1, inertia: 1}}
joints: {slide: {type: prismatic, between: [ground, cart], axis: x}}
forces: {push: {type: actuator, joint: slide, value: "sqrt(0.5 - t)"}}
simulate: {time: 1, step: 0.01}
YAML
rm -f results/*
whole() { # FILE: header, 51 rows of three values, a line end
    [ "$(head -1 "$1")" = "t,slide,slide'" ] && [ "$(wc -l <"$1")" = 52 ] && [ "$(tail -1 "$1" | cut -d, -f1)" = 0.5 ] &&
        [ "$(awk -F, 'NF != 3' "$1" | wc -l)" = 0 ]
}
expect 3 simulate failing.yaml -o results/rows.csv
says "the value of force 'push' is not a finite number"
says 'the 51 rows up to t = 0.5 s are kept in results/rows.csv'
silent; left 'rows.csv '; check "whole rows" whole results/rows.csv
expect 3 simulate failing.yaml; check "whole rows on stdout" whole out
expect 3 simulate failing.yaml --json -o results/rows.csv; silent; check "whole rows beside JSON" whole results/rows.csv
sed 's/0.5 - t/-1 - t/' failing.yaml >never.yaml # not even the first
rm -f results/*
expect 3 simulate never.yaml -o results/none.csv; says 'at t = 0 '; left ''

# a decimal comma
localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null
if [ -d "$work/de_DE.UTF-8" ]; then
    for command in "simulate crank.yaml" "equations crank.yaml" "close crank.yaml --json" "plot results/point.csv --ascii"; do
        # shellcheck disable=SC2086
        expect 0 $command --quiet; grep -v seconds out >point
        [ "$command" = "simulate crank.yaml" ] && cp out results/point.csv
        # shellcheck disable=SC2086
        env LOCPATH="$work" LC_ALL=de_DE.UTF-8 "$cotree" $command --quiet >out 2>err
        grep -v seconds out | check "a comma changes nothing: $command" diff point -
    done
else
    echo "skipped: 4 checks of a locale with a decimal comma (no localedef)"
fi

# linear algebra on one thread, unless the user has said how many: a library that stands for OpenBLAS tells
if [ -z "${ASAN_OPTIONS:-}" ]; then # its run-time must be loaded first
    echo '#include <stdio.h>
    static void tell(int x) { FILE *f = fopen("threads", "a"); fprintf(f, "%d ", x); fclose(f); }
    void openblas_set_num_threads(int n) { tell(n); }
    int blas_thread_shutdown_(void) { tell(0); return 0; }' >threads.c
    cc -shared -fPIC -o threads.so threads.c
    LD_PRELOAD=$work/threads.so expect 0 check crank.yaml
    check "one thread, and none that wait" test "$(cat threads)" = "1 0 "
    rm threads
    OPENBLAS_NUM_THREADS=3 LD_PRELOAD=$work/threads.so expect 0 check crank.yaml
    check "as many threads as the user says" test ! -e threads
fi

echo "files: $passed passed, $failed failed"
[ $failed -eq 0 ]
