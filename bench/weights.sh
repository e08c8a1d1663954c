#!/bin/bash
# Time of a right-hand side over the gallery beside its operations: fits what
# quotients and functions cost in sums or products, and prints how well counts tell the time.
exec python3 "$(dirname "$0")/weights.py" "${COTREE:-cotree}"
