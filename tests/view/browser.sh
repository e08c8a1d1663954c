# What tests in a browser share: to be sourced with COTREE SOURCE_DIR WEB_FOLDER. Ends the test with code 77 where
# there is no browser; else a folder $work with the packages, and $work/out.
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
mkdir "$work/node_modules" "$work/out"
ln -s "$web"/node_modules/* "$work/node_modules/"
