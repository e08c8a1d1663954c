#!/bin/bash
# Tests what is said while a command works, its last words, and what Ctrl-C leaves behind.
# usage: progress.sh COTREE SOURCE_DIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
export XDG_CACHE_HOME=$work/cache
skipped=0
long=(simulate crank.yaml --time 1e6 --step 1e-4 --output-step 100)

# a line every ten seconds where stderr is a file; nothing with --quiet or --json
stopped_after() { timeout --preserve-status -s INT "$@"; }
expect 0 simulate crank.yaml -q # compiled from here on
stopped_after 12 "$cotree" "${long[@]}" -o results/a.csv >out.a 2>err.a & a=$!
stopped_after 12 "$cotree" "${long[@]}" -o results/b.csv -q >out.b 2>err.b & b=$!
stopped_after 12 "$cotree" "${long[@]}" -o results/c.csv --json >out.c 2>err.c & c=$!
# meanwhile: last words
hints() { # on a terminal
    script -qec "$1" /dev/null </dev/null | tr -d '\r' >out
}
last_words() { # COMMAND WHAT-IT-SAYS ARGUMENTS...: on stderr, but not with --quiet or --json
    local command=$1 what=$2
    shift 2
    expect 0 "$command" "$@"; says "$what"
    check "$command: no hint in a file" test -z "$(grep 'next:' err out)"
    expect 0 "$command" "$@" --quiet; check "$command --quiet" test ! -s err
    expect 0 "$command" "$@" --json; check "$command --json" test ! -s err
}
last_words check 'checked in [0-9.e-]* s' crank.yaml
last_words trees 'formulated in' crank.yaml
last_words equations '3 coordinates, 2 constraints, [0-9]* operations' crank.yaml
last_words close 'read, closed and checked in' crank.yaml
last_words simulate 'times real time; 101 rows in results/x.csv' crank.yaml -o results/x.csv
last_words kinematics 'largest residual of the loops' driven.yaml -o results/x.csv
last_words bench 'fastest: .* times as long' crank.yaml --time 0.02
last_words generate 'generated in' crank.yaml -o results/c
printf 'unknowns: [x, y]\nequations: [x^2 + y^2 - 25, x + y - 7]\n' >circle.yaml
last_words configurations '2 configurations, 2 real, all certified' circle.yaml
expect 0 check crank.yaml -o results/check.txt; silent; says 'in results/check.txt'
expect 0 simulate crank.yaml; prints '^t,'; says 'rows$' # CSV on stdout, the summary on stderr
rm -rf results/x.csv results/c results/check.txt
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then # and there are pseudo-terminals
    hints "$cotree simulate crank.yaml -o 'results/a b.csv'"
    check 'next: plot' grep -q "next: cotree plot 'results/a b.csv'" out
    hints "$cotree simulate crank.yaml -o 'results/a b.csv' --quiet"; check 'none if quiet' test ! -s out
    hints "$cotree check driven.yaml"; check 'next: kinematics' grep -q 'next: cotree kinematics driven.yaml -o driven.csv' out
    hints "$cotree generate crank.yaml -o results/c"; check 'next: make' grep -q 'next: make -C results/c && results/c/crank > crank.csv' out
    rm -r results/c "results/a b.csv"

    # a bar with the time left, and stages, over one line that is cleared at the end
    bar() { script -qec "stty cols 80; $1" /dev/null </dev/null >out; }
    LC_ALL=C.UTF-8 TERM=xterm bar "timeout --foreground --preserve-status -s INT 2 $cotree ${long[*]} -o results/x.csv"
    check 'a bar' grep -qP '\rintegrating ▕.*▏ [0-9]+ %' out
    check 'it is cleared' grep -qP '\r\x1b\[Kcotree: stopped at t = ' out
    LC_ALL=C TERM=xterm bar "timeout --foreground --preserve-status -s INT 2 $cotree ${long[*]} -o results/x.csv"
    check 'a plain bar' grep -qP '\rintegrating \[[#.]*\] [0-9]+ %' out
    LC_ALL=C TERM=xterm bar "timeout --foreground --preserve-status -s INT 2 $cotree ${long[*]} -q -o results/x.csv"
    check 'no bar if quiet' test -z "$(grep integrating out)"
    TERM=dumb bar "timeout --foreground --preserve-status -s INT 2 $cotree ${long[*]} -o results/x.csv"
    check 'no bar on a dumb terminal' test -z "$(grep integrating out)"
    TERM=xterm bar "$cotree simulate crank.yaml -o results/x.csv"
    check 'no bar for a short run' test -z "$(grep integrating out)"
    printf '#!/bin/sh\nsleep 2\nexec cc "$@"\n' >slow; chmod +x slow
    LC_ALL=C.UTF-8 TERM=xterm CC=$work/slow bar "$cotree simulate crank.yaml --set l1=0.27 -o results/x.csv"
    check 'the stage is named' grep -qP '\rcompiling [0-9]+ s' out
    LC_ALL=C.UTF-8 TERM=xterm bar "$cotree bench crank.yaml --time 4"; check 'bench' grep -qP '\rmeasuring ▕' out
    rm results/x.csv
else
    skipped=$((skipped + 1))
fi
wait $a; check 'stopped: exit code 130' test $? -eq 130
wait $b; wait $c
check 'a line every ten seconds' test "$(grep -c "^cotree: integrating, [0-9]* %" err.a)" -ge 1
check 'what was kept' grep -q '^cotree: stopped at t = .*rows so far are kept in results/a.csv$' err.a
check 'no line if quiet' test -z "$(grep integrating err.b)"
check 'no line with --json' test -z "$(grep integrating err.c)"
check 'JSON of a run that was stopped' grep -q '"interrupted": true' out.c
left 'a.csv b.csv c.csv '; rm results/*

# interrupted before anything is there: nothing is left, not even in the cache
printf '#!/bin/sh\nexec sleep 20\n' >slow; chmod +x slow
for command in simulate bench; do
    CC=$work/slow stopped_after 1 "$cotree" $command crank.yaml --set l1=0.28 -o results/x.csv >out 2>err
    check "$command: exit code 130" test $? -eq 130
    says '^cotree: stopped (compiling); nothing was written$'; silent; left ''
done
check 'no unfinished build' test -z "$(find cache -name 'build.*')"
mkfifo pipe.yaml # a model that never comes
for command in check trees equations close simulate kinematics generate configurations; do
    stopped_after 0.5 "$cotree" $command pipe.yaml -o results/x >out 2>err
    check "$command: exit code 130" test $? -eq 130
    says '^cotree: stopped; nothing was written$'; silent; left ''
done
YAML=$source_dir/models/systems/stewart_general.yaml
stopped_after 0.3 "$cotree" configurations "$YAML" --prove -o results/x >out 2>err
code=$?
check 'configurations: stopped or done' test $code -eq 130 -o $code -eq 0
[ $code -eq 130 ] && { says '^cotree: stopped (.*); nothing was written$'; left ''; }

echo "progress: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
