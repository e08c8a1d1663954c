#!/bin/bash
# Trees from 7 to 300 joints: operations, time to write and compile them, time per forward dynamics, beside MuJoCo and
# Simbody where these are installed.
exec python3 "$(dirname "$0")/trees.py" "${COTREE:-cotree}" "$@"
