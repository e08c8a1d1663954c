#!/bin/bash
# Tests reports in a browser. usage: run.sh COTREE SOURCE_DIR WEB_FOLDER. Exit code 77: skipped, no browser here.
. "$(dirname "$0")/../view/browser.sh"
mkdir "$work/bin"
cp "$source"/tests/view/browser.mjs "$source"/tests/report/*.mjs "$work/"
# every program but dot
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}"; do
    [ -d "$folder" ] && find "$folder" -maxdepth 1 -executable ! -type d ! -name dot -exec ln -s -t "$work/bin" {} + 2>/dev/null
done
cd "$work" || exit 1
XDG_CACHE_HOME=${XDG_CACHE_HOME:-$work/cache} node report.mjs "$cotree" "$source" "$browser" "$work/out" "$work/bin"
