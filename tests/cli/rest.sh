#!/bin/bash
# Tests `cotree equilibrium`, `mass` and `simulate --equilibrium`: keys, options, messages, exit codes.
# usage: rest.sh COTREE SOURCE_DIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# equilibrium
keys="coordinates residual redundant imbalance stability independent stiffness frequencies potential iterations"
expect 0 equilibrium crank.yaml; prints '^slider-crank'; prints 'at rest, stable'; prints '^    O  *-1.57079633'
expect 0 equilibrium crank.yaml --json; valid_json equilibrium $keys; prints '"independent": \["O"\]'
expect 0 equilibrium crank.yaml -o results/e.txt; silent; left 'e.txt '; rm results/e.txt
expect 0 equilibrium crank.yaml --set m2=0.1 --json; prints '"stability": "stable"'
expect 0 equilibrium crank.yaml --hold slide --json; prints '"independent": \[\]'; prints '"frequencies": \[\]'
expect 2 equilibrium crank.yaml --hold slid; says "no coordinate 'slid': did you mean 'slide'"; silent
expect 2 equilibrium crank.yaml --hold; says 'needs a value'
expect 2 equilibrium crank.yaml --at -1; silent
expect 2 equilibrium crank.yaml --equilibrium; says 'not an option of equilibrium'

# motions are taken at a time, without their rates
expect 0 equilibrium driven.yaml --json; prints '"O": 0.785398'; prints '"independent": \[\]'
expect 0 equilibrium driven.yaml --at 3 --json; prints '"O": 6.785398'
expect 0 equilibrium driven.yaml; prints 'held by its motions'

# a top is left, unless the nearest position is asked for
cat >top.yaml <<'YAML'
cotree: 1
gravity: [0, -9.81, 0]
bodies: {rod: {mass: 1, inertia: 0.1, com: [0, 0.5, 0]}}
joints: {swing: {type: revolute, between: [ground, rod], axis: z}}
YAML
expect 0 equilibrium top.yaml --json; prints '"swing": 3.14159'; prints '"stability": "stable"'
expect 0 equilibrium top.yaml --nearest --json; prints '"stability": "unstable"'; prints '"frequencies": \[null\]'
says "this equilibrium is unstable: stiffness -4.905 N m/rad along 'swing'"
expect 0 simulate top.yaml --equilibrium --time 0.01 --step 0.01; prints '^0,3.14159265358979.*,0$'

# neutral; nothing resists; --set and --input change the place
cat >cart.yaml <<'YAML'
cotree: 1
gravity: [0, 0, -9.81]
parameters: {k: 100}
inputs: {push: 5}
bodies: {cart: {mass: 2}, hook: {mass: 1}}
joints:
  way: {type: prismatic, between: [ground, cart], axis: x}
  drop: {type: prismatic, between: [cart, hook], axis: z}
forces:
  f: {type: actuator, joint: way, value: push}
  k: {type: torsion, joint: drop, stiffness: k}
YAML
expect 3 equilibrium cart.yaml; says "'way' still has 5 N after"; says "nothing resists 'way'"; silent
expect 3 simulate cart.yaml --equilibrium -o results/c.csv; says "nothing resists 'way'"; silent; left ''
expect 0 equilibrium cart.yaml --input push=0 --json; says "'way' may stand anywhere (no stiffness)"
prints '"stability": "neutral"'; prints '"drop": -0.0981'
expect 0 equilibrium cart.yaml --hold way --set k=200 --json; prints '"drop": -0.0490'; prints '"stability": "stable"'
for drop in 100=-0.098 200=-0.049 100=-0.098; do # what was kept of another start is not taken
    expect 0 simulate cart.yaml --equilibrium --input push=0 --set k=${drop%=*} --time 0.01 --step 0.01
    prints "^0,0,${drop#*=}"
done
expect 0 simulate cart.yaml --time 0.01 --step 0.01; prints '^0,0,0,'

# mass
expect 0 mass crank.yaml; prints '^slider-crank'; prints 'piston'
expect 0 mass crank.yaml --json
valid_json mass mass com inertia kinetic potential momentum angular_momentum bodies
prints '"mass": 1.7'
expect 2 mass crank.yaml --at 1; says 'not an option of mass'

echo "rest: $passed passed, $failed failed"
[ $failed -eq 0 ]
