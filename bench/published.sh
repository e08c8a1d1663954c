#!/bin/bash
# Trees of Leger (2006) row by row: operations and times of our equations beside the published counts.
exec python3 "$(dirname "$0")/published.py" "${COTREE:-cotree}"
