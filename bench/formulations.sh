#!/bin/bash
# Tables of Cuadrado, Dopico, Gonzalez and Naya (2003) for four examples, ours beside the published figures.
exec python3 "$(dirname "$0")/formulations.py" "${COTREE:-cotree}" "$@"
