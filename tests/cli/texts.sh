#!/bin/bash
# Tests the manual page and the completion of bash and zsh against what the program itself says.
# usage: texts.sh COTREE SOURCE_DIR TEXTS_DIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
texts=$3
skipped=0
commands=$("$cotree" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
options_of() { "$cotree" "$1" --help | grep -oE '^  (-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort; }
check 'ten commands or more' test "$(wc -w <<<"$commands")" -ge 10

# manual page: every command, every option, nothing else
page() { sed -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" "$texts/cotree.1"; }
check 'commands' test "$(page | sed -n '/^.SH COMMANDS/,/^.SH OPTIONS/s/^.SS //p')" = "$commands"
all=$(for command in $commands; do options_of "$command"; done | sort -u)
listed=$(page | sed -n '/^.SH COMMANDS/,/^.SH EXIT/p' | grep -A1 '^\.TP' | grep -oE -- '--[a-z-]+' | sort -u)
check 'options' test "$all" = "$listed"
for command in $commands; do
    own=$(page | awk -v c="$command" '/^\.S[SH]/ { on = $0 == ".SS " c } on' | grep -A1 '^\.TP' | grep -oE -- '--[a-z-]+')
    common=$(page | awk '/^\.SH/ { on = /OPTIONS OF ALL/ } on' | grep -A1 '^\.TP' | grep -oE -- '--[a-z-]+')
    [ "$command" = plot ] && common=$(grep -v -- --set <<<"$common")
    [ "$command" = cache ] && common=$(grep -v -e --set -e --output <<<"$common")
    check "options of $command" test "$(printf '%s\n' $own $common | sort)" = "$(options_of "$command")"
done
check 'choices' test "$(page | grep -c 'newton-loops')" -ge 2
if command -v groff >/dev/null; then
    groff -man -ww -z "$texts/cotree.1" >out 2>err
    check 'groff finds nothing' test ! -s err
else skipped=$((skipped + 1)); fi
if command -v mandoc >/dev/null; then
    check 'mandoc finds nothing' mandoc -T lint -W warning "$texts/cotree.1"
else skipped=$((skipped + 1)); fi

# bash
check 'bash reads it' bash -n "$texts/cotree.bash"
. "$texts/cotree.bash"
check 'it is registered' grep -q -- '-F _cotree cotree' <<<"$(complete -p cotree)"
completed() { # WORDS...: the last one is completed
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _cotree
    printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
}
gives() { # EXPECTED WORDS...
    local want=$1 found
    shift
    found=$(completed "$@")
    if [ "$found" = "$want" ]; then pass; else fail "'$*' gives '$found', not '$want'"; fi
}
touch m.yml r.csv 'with blank.yaml' notes.txt
gives "$(sort <<<"$commands" | tr '\n' ' ')" cotree ''
gives 'simulate ' cotree si
gives ' ' cotree zz
gives '--help --version ' cotree --
for command in $commands; do
    gives "$(options_of "$command" | tr '\n' ' ')" cotree "$command" --
done
gives 'newton newton-loops ' cotree simulate crank.yaml --method ne
gives 'newton newton-loops ' cotree simulate crank.yaml --method = ne
gives 'eigen rur sylvester ' cotree configurations --method =
gives 'rk2 rk4 ' cotree simulate --integrator rk
gives 'absolute fbts joint vbts ' cotree check --rule ''
gives 'c ' cotree generate --target ''
gives ' ' cotree simulate --time ''
gives 'm.yml ' cotree check m
gives 'with blank.yaml ' cotree check wi
gives 'r.csv results ' cotree plot r
gives 'r.csv ' cotree plot a.csv r.
gives 'results ' cotree generate -o r
gives 'notes.txt ' cotree simulate crank.yaml -o n
gives '--difference ' cotree plot a.csv --d

# zsh
if command -v zsh >/dev/null; then
    check 'zsh reads it' zsh -n "$texts/_cotree"
else skipped=$((skipped + 1)); fi
check 'compdef' grep -q '^#compdef cotree$' "$texts/_cotree"
for command in $commands; do
    check "zsh: $command" grep -q "^        $command)\$" "$texts/_cotree"
    listed=$(awk -v c="        $command)" '/^        [a-z]+\)$/ { on = $0 == c } on' "$texts/_cotree" |
        sed 's/\[.*//' | grep -oE -- '--[a-z-]+' | sort -u)
    check "zsh: options of $command" test "$listed" = "$(options_of "$command")"
done

echo "manual and completion: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
