#!/bin/bash
# Tests the pages in a browser. usage: run.sh COTREE SOURCE_DIR WEB_FOLDER. Exit code 77: skipped, no browser here.
. "$(dirname "$0")/browser.sh"
cp "$source"/tests/view/*.mjs "$work/"
cd "$work" || exit 1
XDG_CACHE_HOME=${XDG_CACHE_HOME:-$work/cache} node pages.mjs "$cotree" "$source" "$browser" "$work/out"
