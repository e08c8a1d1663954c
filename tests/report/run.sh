#!/bin/bash
# Tests reports in a browser. usage: run.sh COTREE SOURCE_DIR WEB_FOLDER. Exit code 77: skipped, no browser here.
set -uo pipefail
cotree=$1 source=$2 web=$3
browser=${COTREE_BROWSER:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
for missing in "$(command -v node || echo node)" "${browser:-a browser (Debian: chromium)}"; do
    [ -x "$missing" ] && continue
    echo "skipped: $missing is not installed"
    exit 77
done
if [ ! -e "$web/complete" ]; then
    echo "skipped: the program was built without its viewer"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/node_modules" "$work/out" "$work/bin"
ln -s "$web"/node_modules/* "$work/node_modules/"
cp "$source"/tests/view/browser.mjs "$source"/tests/report/*.mjs "$work/"
# every program but dot
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}"; do
    [ -d "$folder" ] && find "$folder" -maxdepth 1 -executable ! -type d ! -name dot -exec ln -s -t "$work/bin" {} + 2>/dev/null
done
cd "$work" || exit 1
XDG_CACHE_HOME=${XDG_CACHE_HOME:-$work/cache} node report.mjs "$cotree" "$source" "$browser" "$work/out" "$work/bin"
