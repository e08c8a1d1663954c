#!/bin/bash
# What is kept between runs: it changes no result, whatever was run before and beside; nobody else's file is loaded;
# damage, full disks and killed runs do no harm; `cotree cache` shows and clears it.
# usage: cache.sh COTREE SOURCE_DIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
export CC=$source_dir/tests/quick_cc
unset COTREE_CACHE_SIZE
fresh() { rm -rf "$work/$1"; mkdir -m 700 "$work/$1"; export XDG_CACHE_HOME=$work/$1; }
code() { find "$XDG_CACHE_HOME/cotree/code" -type f -size +4k 2>/dev/null | sort; } # objects

# results -------------------------------------------------------------------------------------------------------------
# models that share structures: other lengths, other trees, other names for what is independent
models=$source_dir/models
cp "$models/trammel.yaml" "$models/five_bar.yaml" "$models/gough_stewart.yaml" "$models/slider_crank.yaml" .
trees() { # FILE: with the trees that it would have as its own
    "$cotree" trees --json "$1" 2>/dev/null | python3 -c '
import json, sys
t = json.load(sys.stdin)
print("\ntrees: {rotation: [%s], translation: [%s]}" % (", ".join(t["rotation"]), ", ".join(t["translation"])))'
}
fresh first
for name in trammel gough_stewart; do { cat $name.yaml; trees $name.yaml; } >${name}_trees.yaml; done
sed 's/l1: 0.3/l1: 0.35/' crank.yaml >longer.yaml
sed 's/^initial.*/initial: {slide: [0.6, 0]}/' crank.yaml >pushed.yaml
cases=(trammel trammel_trees five_bar gough_stewart gough_stewart_trees slider_crank crank longer pushed)
answer() { # CASE FOLDER: closure without times and generated code
    "$cotree" close --json "$1.yaml" 2>/dev/null | grep -vE '"(seconds|cached|recalled)":' >"$2/$1.json"
    "$cotree" generate "$1.yaml" -o "$2/$1" --quiet >/dev/null 2>&1
}
mkdir alone
for case in "${cases[@]}"; do fresh own; answer "$case" alone; done
check "closures" test -s alone/trammel.json -a -s alone/gough_stewart_trees/Makefile
for round in 1 2; do # the second finds everything
    [ $round = 1 ] && fresh shared && sequence=$(printf '%s\n' "${cases[@]}" | sort -R --random-source=<(yes))
    rm -rf together && mkdir together
    for case in $sequence; do answer "$case" together; done
    check "the same whatever was run before, round $round" diff -r alone together >out
done
fresh crowded
rm -rf together && mkdir together && for i in 1 2 3; do mkdir together/$i; done
for i in 1 2 3; do # at once
    { for case in $(printf '%s\n' "${cases[@]}" | sort -R --random-source=<(yes $i)); do answer "$case" together/$i; done; } &
done
wait
for i in 1 2 3; do check "the same beside others, $i" diff -r alone together/$i >out; done

# runs at once: eight processes, in other orders, with nothing kept and with everything kept
cases=(crank longer five_bar trammel)
mkdir rows
for case in "${cases[@]}"; do COTREE_CACHE_SIZE=0 "$cotree" simulate --time 0.02 "$case.yaml" --quiet -o "rows/$case.csv"; done
fresh crowded
for round in 1 2; do
    rm -rf together && mkdir together
    for i in 1 2 3 4 5 6 7 8; do
        mkdir together/$i
        { for case in $(printf '%s\n' "${cases[@]}" | sort -R --random-source=<(yes $i)); do
            "$cotree" simulate --time 0.02 "$case.yaml" --quiet -o "together/$i/$case.csv"
        done; } &
    done
    wait
    for i in 1 2 3 4 5 6 7 8; do check "the rows of process $i of 8, round $round" diff -r rows together/$i >out; done
done

# compiled code -------------------------------------------------------------------------------------------------------
run() { # CASE RESULT
    rm -f "$2"
    expect 0 simulate "$1.yaml" -o "$2"
    check "the rows of $1" cmp -s "$2" "right_$1.csv"
}
fresh code
for case in crank longer; do "$cotree" simulate $case.yaml --quiet -o right_$case.csv; done
check "two objects" test "$(code | wc -l)" = 2
one=$(code | head -1)
two=$(code | tail -1)
# an object of somebody else's says that it was loaded
echo "#include <stdio.h>
__attribute__((constructor)) static void loaded(void) { fclose(fopen(\"$work/loaded\", \"w\")); }" >evil.c
cc -shared -fPIC -o evil.so evil.c
tail -c 102 "$one" >tail_one
plant() { for object in $(code); do rm -f "$object"; cp "$1" "$object"; chmod "${2:-600}" "$object"; done; }
cat evil.so tail_one >signed.so
for file in evil.so signed.so; do
    plant $file
    run crank results/a.csv
    run longer results/b.csv
done
# cut short, changed, exchanged
for object in "$one" "$two"; do truncate -s -1 "$object"; done
run crank results/a.csv; run longer results/b.csv
for object in "$one" "$two"; do printf 'x' | dd of="$object" bs=1 seek=9000 conv=notrunc status=none; done
run crank results/a.csv; run longer results/b.csv
mv "$one" aside && mv "$two" "$one" && mv aside "$two"
run crank results/a.csv; run longer results/b.csv
# links, and files that others may write to
for object in "$one" "$two"; do mv "$object" "$work/$(basename "$object")"; ln -s "$work/$(basename "$object")" "$object"; done
run crank results/a.csv; run longer results/b.csv
check "links are replaced" test -z "$(find "$XDG_CACHE_HOME" -type l)"
chmod 666 "$one" "$two"
run crank results/a.csv; run longer results/b.csv
# a whole object in a folder that others may write to, and in one that is a link: a warning, and no cache
chmod 777 "$XDG_CACHE_HOME/cotree/code"
run crank results/a.csv; says 'warning: the cache .*/cotree/code is not used: other users may write to it'
chmod 700 "$XDG_CACHE_HOME/cotree/code"
mv "$XDG_CACHE_HOME/cotree" "$work/elsewhere"; ln -s "$work/elsewhere" "$XDG_CACHE_HOME/cotree"
run crank results/a.csv; says 'is not used: it is a symbolic link'
expect 4 cache --clear; says 'is not cleared: it is a symbolic link'
rm "$XDG_CACHE_HOME/cotree"; mv "$work/elsewhere" "$XDG_CACHE_HOME/cotree"
if [ "$(id -u)" = 0 ]; then
    chown -R 12345 "$XDG_CACHE_HOME/cotree"
    run crank results/a.csv; says 'is not used: it belongs to another user'
    chown -R 0 "$XDG_CACHE_HOME/cotree"
fi
run crank results/a.csv
check "no warning" test "$(grep -c warning err)" = 0
check "nothing of somebody else's was loaded" test ! -e loaded

# surroundings --------------------------------------------------------------------------------------------------------
# nowhere to write: a file in the place of the folder, no folder at all
touch file
XDG_CACHE_HOME=$work/file run crank results/a.csv
(unset XDG_CACHE_HOME HOME; run crank results/a.csv; echo "$passed $failed" >counts); read -r passed failed <counts
COTREE_CACHE_SIZE=0 run crank results/a.csv
# a full disk and one that is read only, where they can be had
mkdir disk
if mount -t tmpfs -o size=64k,mode=700 none disk 2>/dev/null; then
    mkdir disk/cotree disk/cotree/code && chmod -R 700 disk/cotree
    XDG_CACHE_HOME=$work/disk run crank results/a.csv
    check "nothing half written" test -z "$(find disk -name 'part.*' -o -name 'build.*')"
    umount disk
fi
if mount -t tmpfs -o ro,mode=700 none disk 2>/dev/null; then
    XDG_CACHE_HOME=$work/disk run crank results/a.csv
    umount disk
fi
# a run that is killed while it compiles leaves nothing, once another one has kept something
fresh killed
printf '#!/bin/sh\necho $$ >%s/compiler\nexec sleep 20\n' "$work" >slow_cc && chmod +x slow_cc
CC=$work/slow_cc "$cotree" simulate crank.yaml -o results/a.csv >/dev/null 2>&1 &
killed=$!
for _ in $(seq 100); do [ -s compiler ] && break; sleep 0.1; done
kill -9 $killed
wait $killed 2>/dev/null
check "a leftover" test -n "$(ls -d "$XDG_CACHE_HOME"/cotree/build.* 2>/dev/null)"
kill "$(cat compiler)"
run crank results/a.csv
check "no leftover" test -z "$(ls -d "$XDG_CACHE_HOME"/cotree/build.* 2>/dev/null)"

# the command ---------------------------------------------------------------------------------------------------------
expect 0 cache; prints "cache: $XDG_CACHE_HOME/cotree"; prints 'of at most 256 MiB'
COTREE_CACHE_SIZE=12 expect 0 cache; prints 'of at most 12 MiB'
expect 0 cache --json
valid_json cache folder used why cleared limit kinds entries bytes
check "one compiled model, and which compiler has made it" grep -q '"name": "code".*"entries": 2' out
expect 0 cache --clear; prints 'removed: 5 entries'
expect 0 cache; prints 'no entries'
expect 2 cache crank.yaml; says 'cache takes no file'
expect 2 check crank.yaml --clear; says 'not an option of check'
COTREE_CACHE_SIZE=much expect 0 check crank.yaml; says 'COTREE_CACHE_SIZE is no number of MiB'

echo "cache: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
