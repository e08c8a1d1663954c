# What the tests of the command line share: counting, expectations, example models. To be sourced as
# `. lib.sh` with COTREE SOURCE_DIR as arguments of the test; works in a folder of its own, with a subfolder "results".
set -uo pipefail
cotree=$1
source_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAILED: $*"; sed 's/^/    /' err 2>/dev/null | head -5; }
check() { local what=$1; shift; if "$@"; then pass; else fail "$what"; fi; }
# expect CODE ARGUMENTS...: runs cotree; stdout in `out`, stderr in `err`
expect() {
    local want=$1 code
    shift
    "$cotree" "$@" >out 2>err </dev/null
    code=$?
    if [ $code -eq "$want" ]; then pass; else fail "exit code $code, not $want: cotree $*"; fi
}
says() { check "stderr says '$1'" grep -q -- "$1" err; }
prints() { check "stdout has '$1'" grep -q -- "$1" out; }
silent() { check "nothing on stdout" test ! -s out; }
left() { # nothing but the known files is left in the folder "results"
    local found
    found=$(ls -A results | tr '\n' ' ')
    if [ "$found" = "$1" ]; then pass; else fail "left in the folder: '$found', not '$1'"; fi
}
valid_json() {
    command -v python3 >/dev/null || return 0
    check "valid JSON of $1" python3 -m json.tool out /dev/null
    python3 - "$@" <<'PYTHON' || fail "JSON keys of $1"
import json, sys
value = json.load(open("out"))
missing = [key for key in sys.argv[2:] if key not in value]
if missing: print("missing keys:", *missing)
sys.exit(bool(missing))
PYTHON
}

cat >crank.yaml <<'YAML'
cotree: 1
name: slider-crank
gravity: [0, -9.81, 0]
parameters: {l1: 0.3, l2: 0.4, m2: 0.5}
bodies:
  crank:  {mass: 0.2, inertia: 0.2*l1^2/12, com: [l1/2, 0, 0], points: {A: [l1, 0, 0]}}
  rod:    {mass: m2, inertia: m2*l2^2/12, com: [l2/2, 0, 0], points: {B: [l2, 0, 0]}}
  piston: {mass: 1.0, inertia: 1e-3}
joints:
  O:     {type: revolute, between: [ground, crank], axis: z}
  A:     {type: revolute, between: [crank, rod], at: [A, [0,0,0]], axis: z}
  B:     {type: revolute, between: [rod, piston], at: [B, [0,0,0]], axis: z}
  slide: {type: prismatic, between: [ground, piston], axis: x}
initial: {O: [pi/4, 2.0]}
guess:   {A: -1.0}
outputs: {tip_y: y(crank.A)}
simulate: {time: 0.1, step: 1e-3}
YAML
sed -e '/^initial/d' -e 's/^simulate.*/motions: {O: pi\/4 + 2*t}\nsimulate: {time: 0.1, step: 1e-3}/' crank.yaml >driven.yaml
sed 's/type: revolute, between: \[crank, rod\]/type: revolut, between: [crank, rod]/' crank.yaml >wrong.yaml
cat >stiff.yaml <<'YAML'
cotree: 1
name: too stiff for large steps
bodies: {cart: {mass: 1, inertia: 1}}
joints: {slide: {type: prismatic, between: [ground, cart], axis: x}}
forces: {spring: {type: actuator, joint: slide, value: -1e12*slide}}
initial: {slide: 1}
simulate: {time: 100, step: 0.1, integrator: euler}
YAML
mkdir results
