#!/bin/bash
# Tests the command line from outside: exit codes, messages, JSON, CSV, and what is left on the disk.
# usage: run.sh COTREE SOURCE_DIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# help and version
expect 0 --help; prints simulate
expect 0 --version; prints '^cotree [0-9]'
for command in check trees equations simulate kinematics configurations close generate view report bench plot; do
    expect 0 $command --help; prints "usage: cotree $command"; prints '--json'
done

# usage
expect 2; silent
expect 2 simulat crank.yaml; says "did you mean 'simulate'"
expect 2 dance crank.yaml; says 'unknown command'
for command in linearize import; do
    expect 2 $command crank.yaml; says 'not available yet'; silent
done
expect 2 check; says 'needs a model file'
# forces of joints: of all, of some, of none that is there
expect 0 simulate crank.yaml --time 0.01 --reactions -o results/all.csv -q
expect 0 simulate crank.yaml --reactions O --time 0.01 -o results/some.csv -q
expect 0 simulate --reactions crank.yaml --time 0.01 -o results/before.csv -q
head -1 results/all.csv | grep -q 'O.fx,O.fy,O.fz,O.mx,O.my,O.mz' || fail 'columns of reactions'
cmp -s results/all.csv results/before.csv || fail 'names of --reactions are taken from the file'
rm -f results/all.csv results/some.csv results/before.csv
expect 2 simulate crank.yaml --reactions Oo --time 0.01; says "did you mean 'O'"
expect 3 statics crank.yaml; says 'not in equilibrium'
expect 3 inverse crank.yaml; says 'not driven'
expect 0 statics driven.yaml --json
expect 0 inverse driven.yaml --time 0.01 --json
expect 2 check crank.yaml --jsn; says "did you mean '--json'"
expect 2 check crank.yaml --frobnicate; says 'unknown option'
expect 2 check crank.yaml --latex; says 'not an option of check'
expect 2 check crank.yaml driven.yaml; says 'one model file'
expect 2 check crank.yaml --json=yes; says 'takes no value'
expect 2 equations crank.yaml --c --latex
expect 2 simulate crank.yaml --rule best; says 'not available yet'
expect 2 simulate crank.yaml --budget 2; says 'not an option of simulate'
expect 2 trees crank.yaml --rule best --budget 0
expect 2 trees crank.yaml --rule jont; says "did you mean 'joint'"
expect 2 simulate crank.yaml --method triangle; silent
expect 2 simulate crank.yaml --integrator rk5; silent
expect 2 simulate crank.yaml --step 0; says 'greater than zero'
expect 2 simulate crank.yaml --time -1; says 'negative'
expect 2 simulate crank.yaml --time soon; says 'needs a number'
expect 2 simulate crank.yaml --time; says 'needs a value'
expect 2 simulate crank.yaml --set l1; says 'NAME=EXPR'
expect 2 generate crank.yaml; says '-o DIR'
expect 2 generate crank.yaml --target fmu2 -o results/c; says 'not available yet'

# configurations
cat >circle.yaml <<'YAML'
name: circle and line
parameters: {r: 5}
unknowns: [x, y]
equations: [x^2 + y^2 - r^2, x + y - 7]
hide: y
YAML
printf 'unknowns: [x, y]\nequations: [x*y - 1]\n' >curve.yaml
printf 'unknowns: [x]\nequations:\n  - x - 1\n  - x^2 - 3\n' >contradiction.yaml
printf 'unknowns: [x, y]\nequations: [x + z, sqrt(y)]\n' >mistakes.yaml
keys='variable degree coefficients count real solutions generators matrix seconds'
expect 0 configurations circle.yaml; prints '^circle and line'; prints 'y^2 - 7 y + 12 = 0'
prints '2 configurations, 2 real'; prints 'x = 4 *y = 3'
expect 0 configurations circle.yaml --json; valid_json configurations $keys
prints '"coefficients": \["1", "-7", "12"\]'; prints '"variable": "y"'; prints '"x": 4'
for method in sylvester rur eigen; do
    expect 0 configurations circle.yaml --method $method --json; prints "\"method\": \"$method\""
    prints '"count": 2'
done
expect 0 --method rur configurations circle.yaml --prove --limit-time 60 --limit-memory 500
expect 0 configurations circle.yaml --hide x; prints 'x^2 - 7 x + 12 = 0'
expect 0 configurations circle.yaml --set r=4 --json; prints '"real": 0'; prints '"re": '
expect 0 configurations circle.yaml -o results/c.txt; silent; left 'c.txt '; rm results/c.txt
expect 0 configurations curve.yaml; prints 'infinitely many'; prints '1 freedom is left open'
expect 0 configurations curve.yaml --json; valid_json curve $keys; prints '"count": null'
prints '"dimension": 1'
expect 0 configurations contradiction.yaml; prints 'no configuration'; prints 'line 3: x - 1'
expect 0 configurations contradiction.yaml --json; valid_json contradiction $keys
prints '"count": 0'
expect 1 configurations mistakes.yaml --json -o results/x.txt; silent; left ''
says '^mistakes.yaml:2:17: error: .*neither an unknown nor a parameter'; says 'sqrt of an unknown'
expect 1 configurations circle.yaml --hide z; says 'no unknown'
expect 1 configurations circle.yaml --set q=1; says "no parameter 'q'"
expect 1 configurations no-such-file.yaml; says no-such-file.yaml; silent
expect 2 configurations circle.yaml --method newton; says 'sylvester rur eigen'
expect 2 configurations circle.yaml --rule joint; says 'not an option of configurations'
expect 2 simulate crank.yaml --method rur; silent
expect 1 check circle.yaml; says 'cotree configurations'
expect 3 configurations "$source_dir/models/systems/eco_8.yaml" --limit-time 0.001; silent; says 'error: '
expect 0 configurations crank.yaml; prints '2 configurations, 2 real'; prints 'slide = 0.55124'
expect 0 configurations driven.yaml --json; valid_json configurations $keys; prints '"slide": 0.55124'

# close
keys='independent triangular steps iterated iterated_unknowns operations dynamics_operations residual
    seconds cached recalled'
expect 0 close crank.yaml; prints '^slider-crank'; prints 'independent: O$'; prints 'quadratic'
prints 'every unknown follows in closed form'; prints 'found in'
expect 0 close crank.yaml --json; valid_json close $keys
prints '"triangular": true'; prints '"iterated": 0,'; prints '"independent": \["O"\]'
expect 0 close crank.yaml --independent slide --json; prints '"independent": \["slide"\]'
prints '"triangular": true'
expect 0 close driven.yaml --json; prints '"independent": \[\]'; prints '"triangular": true'
expect 0 close crank.yaml -o results/c.txt; silent; left 'c.txt '; rm results/c.txt
expect 2 close crank.yaml --independent slid; says "no coordinate 'slid': did you mean 'slide'"; silent
expect 2 close crank.yaml --independent O,slide; says '2 independent coordinates .* 1 freedom'
expect 2 close crank.yaml --independent O,O; says 'twice'
expect 3 close "$source_dir/models/four_bar.yaml" --independent h13; says 'a limit position for them'; silent
expect 2 close driven.yaml --independent O; says '0 freedoms'
expect 2 close crank.yaml --independent; says 'needs a value'
expect 2 close crank.yaml --rule joint; says 'not an option of close'
expect 1 close wrong.yaml --json; silent

# bench
expect 0 bench crank.yaml --time 0.02; prints '^slider-crank'; prints 'triangular'; prints 'newton dense 1e-6'
expect 0 bench crank.yaml --time 0.02 --step 1e-3 --json
valid_json bench approaches time step dof triangular published
prints '"name": "triangular", "kinematic_ms_per_s": [0-9]'; prints '"ratio": 1,'
expect 0 bench driven.yaml --time 0.02 --json; prints '"dynamic_ms_per_s": null'
prints '"note": "the motions leave no freedom'
expect 1 bench stiff.yaml; says 'no loops'; silent
expect 2 bench crank.yaml --step 0; says 'greater than zero'
expect 2 bench crank.yaml --independent B,O; says '1 freedom'
expect 2 simulate crank.yaml --independent O; says 'not an option of simulate'

# places that cannot be written to are refused before the work
expect 2 simulate crank.yaml -o results; says 'is a folder'
expect 2 simulate crank.yaml -o nowhere/x.csv; says 'does not exist'
expect 2 simulate crank.yaml -o crank.yaml; says 'the model itself'
expect 2 generate crank.yaml -o crank.yaml; says 'not a folder'
check 'the model is untouched' grep -q slider-crank crank.yaml

# wrong models
expect 1 check no-such-file.yaml; says no-such-file.yaml; silent
expect 1 simulate wrong.yaml -o results/x.csv --json; silent
says '^wrong.yaml:[0-9]*:[0-9]*: error: '; left ''
expect 1 generate wrong.yaml -o results/c; left ''

# JSON of each command
expect 0 check crank.yaml --json
valid_json check name bodies joints coordinates constraints dof redundant planar loops \
    dof_after_motions redundant_joints residual
prints '"dof": 1,'; prints '"planar": true'
expect 0 trees crank.yaml --json
valid_json trees rotation translation coordinates dynamic_equations constraint_equations operations \
    expanded rule beside
expect 0 trees crank.yaml --rule best --json --budget 0.1; prints '"best"'; prints '"fbts"'
expect 0 trees crank.yaml --dot; prints 'class="both"'
expect 0 trees crank.yaml --json --rule=absolute; prints '"absolute"'
expect 0 equations crank.yaml --json
valid_json equations coordinates mass forcing constraints definitions
expect 0 simulate crank.yaml --json
valid_json simulate time steps seconds max_residual energy_drift method integrator limits branch_changes \
    interrupted rows file
expect 0 kinematics driven.yaml --json
valid_json kinematics time steps seconds max_residual method
prints '"method": "triangular"'
expect 0 kinematics driven.yaml --json --method newton; prints '"method": "newton"'
expect 2 kinematics driven.yaml --method penalty; says 'triangular newton-loops newton'
# advice that the command can follow
sed 's/^motions.*/motions: {slide: 0.6 + 0.3*t}/; s/time: 0.1/time: 1/' driven.yaml >far.yaml
for method in triangular newton-loops newton; do
    expect 3 kinematics far.yaml --method $method
    check "no partition in a driven motion" test "$(grep -c partition err)" = 0
done
expect 0 generate crank.yaml --json -o results/c
valid_json generate files operations bytes
check 'a header was generated' test -n "$(ls results/c/*.h)"
expect 0 generate "$source_dir/models/four_bar.yaml" --fold -o results/folded
check 'folded parameters are gone' grep -q 'n_parameters = 0' results/folded/four_bar.c
for fold in '' --fold; do
    expect 0 simulate "$source_dir/models/four_bar.yaml" --time 1 $fold -o results/folded"$fold".csv
done
expect 0 plot results/folded.csv results/folded--fold.csv --difference --json
check 'folded, the same motion' python3 -c '
import json, sys
worst = [c["max"] for c in json.load(open("out"))["differences"]]
sys.exit(not worst or max(worst) > 1e-9)'
rm -rf results/folded*
# where numbers take more operations than symbols, the symbols stay
for fold in '' --fold; do
    expect 0 close "$source_dir/models/andrews.yaml" --json $fold
    cp out operations"$fold".json
done
check 'folded, no longer' python3 -c '
import json
count = [sum(json.load(open("operations%s.json" % fold))[part]["total"] for part in ("position_operations", "dynamics_operations"))
         for fold in ("", "--fold")]
raise SystemExit(count[1] > count[0])'

# a browser, and none
printf '#!/bin/sh\necho "$1" >"%s/shown"\n' "$work" >browser; chmod +x browser
BROWSER=$work/browser expect 0 view crank.yaml -o crank.svg --open
for i in 1 2 3 4 5 6 7 8 9 10; do [ -s shown ] && break; sleep 0.2; done
check 'the browser got the page' grep -q "crank.svg" shown
mkdir empty
PATH=$work/empty BROWSER= expect 0 view crank.yaml -o crank.svg --open; says 'no browser was found'
rm -rf results/c

# text
expect 0 check crank.yaml; prints '1 degree of freedom'
expect 0 trees crank.yaml; prints rotation
expect 0 equations crank.yaml
expect 0 equations crank.yaml --latex
expect 0 equations crank.yaml --c -o results/e.c; silent; left 'e.c '
rm -f results/*

# CSV
expect 0 simulate crank.yaml --time 0.05 --step=0.001 --output-step 0.01 -o results/x.csv
silent; left 'x.csv '; says 'residual'
check 'seven lines' test "$(wc -l <results/x.csv)" -eq 7
check 'header' grep -q "^t,.*O'.*,tip_y$" results/x.csv
expect 0 simulate crank.yaml --quiet -oresults/x.csv
check 'quiet' test ! -s err
expect 0 simulate crank.yaml; prints '^t,'
expect 0 simulate crank.yaml -o - ; prints '^t,'
expect 0 simulate crank.yaml -o /dev/null; silent
expect 0 simulate crank.yaml --json -o results/x.csv; prints '"file": "results/x.csv"'
expect 0 kinematics driven.yaml -o results/x.csv
check 'accelerations' grep -q "^t,.*O''" results/x.csv
ln -s x.csv results/link.csv
expect 0 simulate crank.yaml --quiet -o results/link.csv
check 'a link stays a link' test -L results/link.csv
rm -f results/*

# overriding parameters
expect 0 simulate crank.yaml --set l1=0.2 --set l2=2*l1+0.1 --quiet; cp out a.csv
expect 0 simulate crank.yaml --quiet
check '--set changes the motion' test "$(tail -1 a.csv)" != "$(tail -1 out)"
"$cotree" check crank.yaml --set lenght=1 >out 2>err
check 'unknown parameter refused' test $? -ne 0

# failing numerics leave nothing, and keep what was there before
expect 3 simulate stiff.yaml -o results/x.csv; left 'x.csv '; says 'rows up to t = .* are kept'
check 'the rows so far' grep -q '^t,slide' results/x.csv
echo before >results/x.csv
expect 1 simulate wrong.yaml --json -o results/x.csv; silent; left 'x.csv '
check 'the old file is untouched' grep -q before results/x.csv
rm -f results/*

# full disk, closed pipe
if [ -c /dev/full ]; then
    "$cotree" simulate crank.yaml --quiet >/dev/full 2>err
    check 'full disk: exit code 4' test $? -eq 4
    says 'cannot write'
fi
"$cotree" simulate crank.yaml --quiet --step 1e-5 2>err | head -1 >out
check 'closed pipe: quiet' test ! -s err
prints '^t,'

# stopping keeps the complete rows
"$cotree" simulate crank.yaml --time 1e5 --step 1e-4 --output-step 0.1 -o results/x.csv >out 2>err &
job=$!
for _ in $(seq 100); do
    sleep 0.1
    [ -n "$(ls -A results)" ] && [ "$(cat results/* | wc -l)" -gt 3 ] && break
done
kill -TERM $job
wait $job
check 'stopped: exit code 130' test $? -eq 130
says 'stopped at t ='; left 'x.csv '
check 'stopped: whole rows' test -z "$(awk -F, 'NR == 1 { n = NF } NF != n' results/x.csv)"
rm -f results/*

# pages
cat >page.yaml <<'YAML'
cotree: 1
name: page
bodies: {arm: {mass: 1, inertia: 1, com: [1, 0, 0]}}
joints: {O: {type: revolute, between: [ground, arm], axis: z}}
initial: {O: [0, 1]}
simulate: {time: 1, step: 1e-2}
YAML
sed 's/com: .1, 0, 0./&, shape: {type: file, path: none.stl}/' page.yaml >lost.yaml
"$cotree" view page.yaml -o results/p.html >out 2>err
if grep -q 'built without its viewer' err; then
    check 'no viewer: exit code 4' test "$(tail -1 err | grep -c 'npm')" = 1
    left ''
else
    left 'p.html '; says 'open it in a browser'
    expect 0 view page.yaml --json -o results/p.html; valid_json view file bytes frames bodies seconds
    expect 0 view page.yaml -o -; prints '^<!doctype html>'; rm -f results/*
    expect 0 view page.yaml --quiet; check 'named after the model' test -s page.html; rm -f page.html
    expect 0 simulate page.yaml -o page.csv
    expect 0 view page.csv --model page.yaml -o results/p.html; left 'p.html '; rm -f results/*
    expect 1 view lost.yaml -o results/p.html; says 'lost.yaml:3:[0-9]*: error: cannot use the shape file none.stl'; left ''
    expect 1 view page.yaml --time 1 --configurations --set x=1 -o results/p.html; left ''
    sed 's/initial.*//' page.yaml >open.yaml
    expect 1 view open.yaml --configurations -o results/p.html; says 'infinitely many'; left ''
    printf 't,O\n0,0\n1,x\n' >wrong.csv
    expect 1 view wrong.csv --model page.yaml -o results/p.html; says 'wrong.csv:3:3: error'; left ''
    expect 1 view gone.csv --model page.yaml -o results/p.html; says 'gone.csv: error: cannot open'; left ''
fi
# stills need nothing of what pages are made of
expect 0 view page.yaml -o results/p.svg; says 'a still'; left 'p.svg '
check 'a drawing' grep -q '^<svg xmlns=' results/p.svg
expect 0 view page.yaml --time 0.5 --json -o results/q.svg; valid_json view file bytes frames bodies seconds
cat >hung.yaml <<'END'
bodies: {b: {mass: 1, inertia: [1, 1, 1], points: {P: [0, 0, 0], Q: [1, 0, 0]}}}
points: {A: [0, 0, 1], B: [1, 0, 1]}
joints:
  l1: {type: link, between: [ground, b], at: [A, P]}
  l2: {type: link, between: [ground, b], at: [B, Q]}
END
expect 0 view hung.yaml -o results/h.svg; says 'a still'
check 'of a body without joints too' grep -q '^<svg xmlns=' results/h.svg
check 'later it looks different' test "$(cmp -s results/p.svg results/q.svg; echo $?)" = 1
expect 0 simulate page.yaml -o page.csv
expect 0 view page.csv --model page.yaml --time 0.5 -o results/r.svg
check 'a result has the same still' cmp -s results/q.svg results/r.svg; rm -f results/*
printf 't,O\n0,nan\n' >gap.csv
expect 1 view gap.csv --model page.yaml -o results/p.svg; left ''
expect 2 view page.yaml --configurations -o results/p.svg; says 'one position'; left ''
expect 2 view page.csv -o results/p.html; says 'needs its model'; left ''
expect 2 view page.yaml --model page.yaml; says 'goes with a result'
expect 2 view page.yaml -o page.yaml; says 'the model itself'
expect 2 view page.yaml --json -o -; says 'cannot both'

# reports
"$cotree" report page.yaml -q -o results/r.html >out 2>err
if grep -q 'built without its viewer' err; then
    left ''
else
    left 'r.html '; rm -f results/*
    expect 0 report page.yaml --json -o results/r.html; valid_json report file bytes seconds sections; rm -f results/*
    expect 0 report page.yaml -o -; prints '^<!doctype html>'
    expect 0 report "$source_dir/tests/report/locks.yaml" -o results/r.html; says 'warning: the run failed, and the report says so'
    left 'r.html '; rm -f results/*
    expect 1 report page.yaml -o results/r.html --set none=1; left ''
fi
expect 2 report page.yaml; says 'where to'
expect 2 report page.yaml -o page.yaml; says 'the model itself'
expect 2 report page.yaml --json -o -; says 'cannot both'

# every example reads, assembles and has something to say
for model in "$source_dir"/models/*.yaml; do
    [ -f "$model" ] || continue
    grep -q '^unknowns:' "$model" && continue
    expect 0 check "$model"
done

echo "command line: $passed passed, $failed failed"
[ $failed -eq 0 ]
