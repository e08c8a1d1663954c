#!/bin/bash
# Tests `cotree plot`: messages, the text plot, pictures, differences, names that mean harm.
# usage: plot.sh COTREE SOURCE_DIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
export LC_ALL=C
skipped=0

# what is wrong with a file, and where
csv() { printf '%b' "$2" >"$1"; }
csv a.csv 't,x,y\n0,0,1\n1,2,1\n2,4,1\n'
expect 1 plot none.csv; says '^none.csv: error: cannot be read: No such file'; silent
expect 1 plot results; says '^results: error: cannot be read: it is a folder'
csv bad.csv ''; expect 1 plot bad.csv; says '^bad.csv: error: is empty'
csv bad.csv ' \n\n'; expect 1 plot bad.csv; says 'is empty'
csv bad.csv 't,x\n'; expect 1 plot bad.csv; says '^bad.csv: error: .*no rows'
csv bad.csv 'a\0b,c\n'; expect 1 plot bad.csv; says 'is not a CSV file: it is binary'
csv bad.csv 'just text\nmore\n'; expect 1 plot bad.csv; says '^bad.csv:1: error: is not a CSV file'
csv bad.csv '0,1\n1,2\n'; expect 1 plot bad.csv; says '^bad.csv:1: error: the first line must name'
csv bad.csv 't,x,x\n0,1,2\n'; expect 1 plot bad.csv; says "columns 2 and 3 are both called 'x'"
csv bad.csv 't,"x\n0,1\n'; expect 1 plot bad.csv; says '^bad.csv:1: error: .*quotes do not match'
csv bad.csv 't,x\n0,1\n1,2,3\n'; expect 1 plot bad.csv; says '^bad.csv:3: error: 3 fields, .* 2 columns'
csv bad.csv 't,x\n0,1\n1\n2,2\n'; expect 1 plot bad.csv; says '^bad.csv:3: error: 1 field, '
csv bad.csv 't,x\n0,1\n\n2,2\n'; expect 1 plot bad.csv; says '^bad.csv:3: error: '
csv bad.csv 't,x\n0,1\n1,one\n'; expect 1 plot bad.csv; says "^bad.csv:3: error: column 'x' has 'one'"
csv bad.csv 't,x\n0,1\n1,\n2,3\n'; expect 1 plot bad.csv; says "^bad.csv:3: error: column 'x' is empty"
csv bad.csv 't,x\n0,1\n1,"2\n3"\n'; expect 1 plot bad.csv; says '^bad.csv:3: error: the quotes'
csv bad.csv 't,x\n0,1\r1,2\n'; expect 1 plot bad.csv; says '^bad.csv:2: error: '
csv bad.csv 't,x\n0,1\n1,1.5e\n'; expect 1 plot bad.csv; says "'1.5e', which is not a number"
csv bad.csv '"a\nb",t,x\n0,0,1\n1,1,z\n'; expect 1 plot bad.csv --columns x; says '^bad.csv:4: error'
csv bad.csv 't,x\n0,1\nnan,2\n'; expect 1 plot bad.csv; says "^bad.csv:3: error: column 't', .* is nan"
csv bad.csv 't,x\n0,1\n1,1e301\n'; expect 1 plot bad.csv; says '^bad.csv:3: error: .*too large'
csv bad.csv 't,x\n0,nan\n1,inf\n'; expect 1 plot bad.csv; says 'no finite number'
csv gap.csv 't,x\n0,1\n1,nan\n2,-inf\n3,2\n'
expect 0 plot gap.csv; says "^gap.csv:3: warning: column 'x' is nan here, and not finite later; left out"
expect 0 plot gap.csv --json; prints '"not_finite": 2'; prints '"mean": 1.5'
expect 1 plot crank.yaml; says 'is a model, not a result: run `cotree simulate'
csv bad.csv 's,x\n0,1\n'; expect 1 plot bad.csv; says "no column 't' to plot against: name one with --x, such as --x 's'"
expect 0 plot bad.csv --x s

# columns and ranges
expect 1 plot a.csv --columns z,x; says "no column 'z': did you mean"
expect 1 plot a.csv --columns 'velocity'; says "no column 'velocity'; there are: t x y"
expect 1 plot a.csv --x tt; says "no column 'tt': did you mean 't'"
expect 2 plot a.csv --columns 'x,,y'; says 'empty name'
expect 1 plot a.csv --from 3; says "no row is between --from and --to: 't' goes from 0 to 2"
expect 2 plot a.csv --from 3 --to 1; says 'beyond'
expect 2 plot a.csv --from now; says 'needs a number'
expect 0 plot a.csv --from -1 --to 1.5 --json; prints '"rows": 2'
expect 0 plot a.csv --columns '[xy]' --json; prints '"name": "x"'; prints '"name": "y"'
expect 2 plot; says 'needs a result'
expect 2 plot a.csv --set l1=1; says 'not an option of plot'
expect 2 plot a.csv -o a.gif; says 'ends in .svg, .png or .pdf'
expect 2 plot a.csv -o nowhere/a.png; says 'does not exist'
cp a.csv a.txt; expect 2 plot a.txt -o a.txt; says 'it is the result itself'; rm a.txt
csv many.csv 't,q1,q2,q1'"'"',q2'"'"',out\n0,0,0,0,0,0\n1,1,2,1,2,3\n'
expect 0 plot many.csv; prints '\* q1   + q2$' # coordinates only
expect 0 plot many.csv --columns "q?',out"; prints "\* q1'   + q2'   x out$"
expect 0 plot many.csv --json; prints '"name": "out", "min": 0, "min_at": 0, "max": 3, "max_at": 1, "mean": 1.5, "first": 0, "last": 3'
valid_json plot x results output
{ printf t; printf ',c%d' $(seq 40); printf '\n0'; printf ',%d' $(seq 40); echo; } >wide.csv
expect 0 plot wide.csv; says '32 coordinates more: choose with --columns'
expect 2 plot wide.csv --columns 'c*'; says '40 lines are too many for the terminal'
"$cotree" plot - <a.csv >out 2>err; check 'stdin' grep -q stdin out

# the text plot, character by character
golden_is() { # FILE: stdout is what that has
    if cmp -s "$source_dir/tests/cli/$1" out; then pass; else fail "$1 differs:"; diff "$source_dir/tests/cli/$1" out; fi
}
awk 'BEGIN { print "t,parabola,line"; for (i = 0; i <= 100; i++) { t = i / 10; print t "," t * t / 10 - 2 "," 5 - t } }' >p.csv
expect 0 plot p.csv
check '24 rows' test "$(wc -l <out)" -eq 24
check 'nothing wider than 80' test "$(wc -L <out)" -le 80
check 'plain ASCII' test -z "$(LC_ALL=C grep -P '[^\x00-\x7F]' out)"
golden_is plot_ascii.txt; says '^2 lines from 101 rows$'
expect 0 plot p.csv --quiet; check 'quiet' test ! -s err
expect 0 plot p.csv -o results/p.txt; silent; left 'p.txt '; rm results/*
LC_ALL=C.UTF-8 "$cotree" plot p.csv --title 'é∑' >out 2>err; golden_is plot_utf8.txt
LC_ALL=C.UTF-8 "$cotree" plot p.csv --ascii --title 'é∑' >out 2>err; prints '\\u00e9\\u2211'
check '--ascii' test -z "$(LC_ALL=C grep -P '[^\x00-\x7F]' out)"

# ranges that are points, large and small numbers
csv c.csv 't,x\n0,5\n1,5\n'; expect 0 plot c.csv; prints '5.0 +'
csv c.csv 't,x\n0,0\n1,0\n'; expect 0 plot c.csv; prints ' 0.0 +'
csv c.csv 't,x\n3,7\n'; expect 0 plot c.csv; prints ' 7.0 +'
csv c.csv 't,x\n0,1e-9\n1,5e-9\n'; expect 0 plot c.csv; prints '^ 2e-9 +'
csv c.csv 't,x\n0,-1e299\n1,1e299\n'; expect 0 plot c.csv; prints '^ *5e298 +'
csv c.csv 't,x\n1e6,1\n3e6,2\n'; expect 0 plot c.csv; prints '1.0e6'
csv c.csv '\xef\xbb\xbft,x\r\n0, 1\r\n1,"2" \r\n'; expect 1 plot c.csv; says 'quotes'
csv c.csv '\xef\xbb\xbft,x\r\n0, 1\r\n1,"2"\r\n\r\n'; expect 0 plot c.csv --json; prints '"last": 2'

# on a terminal: its width, colours unless they are not wanted
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then # and there are pseudo-terminals
    on_terminal() { script -qec "stty cols $1 rows 30; $2" /dev/null </dev/null | tr -d '\r' >out; }
    for width in 40 60 100; do
        LC_ALL=C.UTF-8 NO_COLOR=1 TERM=xterm on_terminal $width "$cotree plot p.csv"
        check "$width columns" test "$(grep -v lines out | LC_ALL=C.UTF-8 wc -L)" -eq $((width - 1))
        check 'no colours' test -z "$(grep -P '\x1b' out)"
    done
    TERM=xterm on_terminal 80 "$cotree plot p.csv"; check 'colours' grep -qP '\x1b\[38;5;' out
    TERM=dumb on_terminal 80 "$cotree plot p.csv"; check 'a dumb terminal' test -z "$(grep -P '\x1b' out)"
else
    skipped=$((skipped + 1))
fi

# differences: d = 0, -1, 0, 2 at 0, 0.5, 1, 2; the integral of d^2 is 1/6 + 1/6 + 4/3
csv b.csv 't,x,z\n0,0,0\n0.5,2,0\n2,2,0\n'
expect 0 plot a.csv b.csv --difference; prints '^  x *2 *0.912871 *2$'
prints 'at 4 values of t, from 0 to 2; at 2 of them one result is interpolated'; prints 'a.csv - b.csv'
expect 0 plot a.csv b.csv --difference --json --columns x
valid_json plot x results differences
prints '"max": 2, "at": 2, "rms": 0.91287092917527[0-9]*, "samples": 4, "interpolated": 2'
expect 0 plot a.csv a.csv --difference --json; prints '"max": 0, "at": 0, "rms": 0, "samples": 3, "interpolated": 0'
csv b.csv 't,x\n1,1\n3,1\n'
expect 0 plot a.csv b.csv --difference --json; prints '"max": 3, "at": 2, "rms": 2.0816659994661[0-9]*, "samples": 2'
expect 0 plot a.csv b.csv --difference --to 1 --json; prints '"max": 1, "at": 1, "rms": 1, "samples": 1'
csv fine.csv 't,x\n0,0\n0.1,0.01\n0.2,0.04\n0.30000000000000004,0.09\n0.4,0.16\n0.5,0.25\n0.6,0.36\n' # t^2
csv coarse.csv 't,x\n0,0\n0.3,0.09\n0.6,0.36\n' # every third: no error of interpolation
expect 0 plot fine.csv coarse.csv --difference --json; prints '"max": 0, "at": 0, "rms": 0, "samples": 3, "interpolated": 0'
csv coarse.csv 't,x\n0,0\n0.3,0.09\n'
expect 0 plot coarse.csv fine.csv --difference --json; prints '"max": 0, "at": 0, "rms": 0, "samples": 2'
csv coarse.csv 't,x\n0,0\n0.15,0.0225\n0.45,0.2025\n0.6,0.36\n'
expect 0 plot coarse.csv fine.csv --difference; prints '^  x *0.0225 '; prints 'at 9 values of t, from 0 to 0.6; at 7 of them'
csv b.csv 't,x\n5,1\n6,1\n'; expect 1 plot a.csv b.csv --difference; says "no 't' in common with a.csv: 0 to 2 there, 5 to 6 here"
csv b.csv 't,x\n0,1\n2,1\n1,3\n'; expect 1 plot a.csv b.csv --difference; says '^b.csv:4: error: .*grow'
csv b.csv 't,x\n0,1\n1,nan\n'; expect 1 plot a.csv b.csv --difference; says '^b.csv:3: error: .*cannot be compared'
csv b.csv 't,w\n0,1\n1,2\n'; expect 1 plot a.csv b.csv --difference; says 'has none of the columns'
expect 2 plot a.csv --difference; says 'needs two results, not 1'
expect 2 plot a.csv a.csv a.csv --difference; says 'not 3'

# several results: the legend says which
csv b.csv 't,x\n0,1\n1,2\n'; mkdir other; cp b.csv other/a.csv
expect 0 plot a.csv b.csv --columns x; prints 'a.csv: x   + b.csv: x$'
expect 0 plot a.csv other/a.csv --columns x; prints ' a.csv: x   + other/a.csv: x$'

# pictures
expect_picture() { # FILE
    expect 0 plot hostile.csv -o "results/$1" --title "it's \`touch title\` \$HOME a_b"
    check "$1 is there" test -s "results/$1"
}
cat >hostile.csv <<'CSV'
t,a_b^2,"q'uo""te","$HOME `touch hacked`","new
line","übung ∑","@m {x} %s","c,d","\\n ""; system('touch system'); """
0,1,2,3,4,5,6,7,8
1,2,3,4,5,6,7,8,9
2,1,2,3,4,5,6,7,8
CSV
expect 0 plot hostile.csv; prints 'q.uo"te'; prints '`touch hacked`'; prints 'new\\nline'; prints '\\u00fcbung'
expect 0 plot hostile.csv --columns c,d; prints '\* c,d$'
if command -v gnuplot >/dev/null; then
    expect_picture p.svg
    expect_picture p.png
    expect_picture 'a $(touch name) `x` "q'"'"' é.pdf'
    check 'PDF' grep -qa '^%%EOF' results/*.pdf
    check 'nothing was executed' test -z "$(find . "$HOME" -maxdepth 1 \( -name hacked -o -name title -o -name system -o -name name \) 2>/dev/null)"
    if command -v python3 >/dev/null; then
        python3 - <<'PYTHON' || fail 'SVG and PNG'
import struct, sys, xml.etree.ElementTree as tree, zlib
text = "".join(tree.parse("results/p.svg").getroot().itertext())
for name in ["a_b^2", "q'uo\"te", "$HOME `touch hacked`", r"new\nline", "übung ∑", "@m {x} %s", "c,d",
             "\\\\n \"; system('touch system'); \"", "it's `touch title` $HOME a_b"]:
    assert name in text, name
png = open("results/p.png", "rb").read()
assert png[:8] == b"\x89PNG\r\n\x1a\n"
at, kinds, pixels = 8, [], b""
while at < len(png):
    n, kind = struct.unpack(">I4s", png[at:at + 8])
    data = png[at + 8:at + 8 + n]
    assert struct.unpack(">I", png[at + 8 + n:at + 12 + n])[0] == zlib.crc32(kind + data)
    kinds.append(kind)
    if kind == b"IHDR": width, height = struct.unpack(">II", data[:8])
    if kind == b"IDAT": pixels += data
    at += 12 + n
assert kinds[-1] == b"IEND" and (width, height) == (1000, 600)
assert len(set(zlib.decompress(pixels))) > 20
PYTHON
    fi
    rm results/*
    expect 0 plot a.csv b.csv --difference -o results/d.svg --columns x; prints '^  x '; left 'd.svg '; rm results/*
    expect 0 plot a.csv --json -o results/d.PNG; prints '"output": "results/d.PNG"'; rm results/*
    csv c.csv 't,x\n0,5\n1,5\n'; expect 0 plot c.csv -o results/c.svg; rm results/*
    expect 0 plot gap.csv -o results/c.svg; rm results/*
    expect 0 plot wide.csv --columns 'c*' -o results/w.svg; rm results/*
    awk 'BEGIN { print "t,x"; for (i = 0; i < 300000; i++) print i "," i * 7919 % 1000 }' >long.csv
    expect 0 plot long.csv -o results/l.svg
    check 'long results are thinned out' test "$(stat -c %s results/l.svg)" -lt 600000
    rm results/*
else
    echo 'no gnuplot: pictures are not tested'
    skipped=$((skipped + 1))
fi

# gnuplot that is not there, fails, draws nothing, or takes too long
mkdir bin
with_gnuplot() { printf '#!/bin/sh\n%s\n' "$1" >bin/gnuplot; chmod +x bin/gnuplot; }
program=$cotree
cotree=wrapped
wrapped() { PATH=$path "$program" "$@"; }
path=/nowhere expect 4 plot a.csv -o results/x.png; says 'install the package gnuplot-nox'; says 'terminal'; left ''
with_gnuplot 'cat >/dev/null; echo "  line 3: no such terminal" >&2; exit 1'
echo before >results/x.png
path=$PWD/bin:$PATH expect 4 plot a.csv -o results/x.png; says 'gnuplot failed: line 3: no such terminal'
left 'x.png '; check 'the old picture is untouched' grep -q before results/x.png; rm results/*
with_gnuplot 'exit 1'
path=$PWD/bin:$PATH expect 4 plot a.csv -o results/x.png; says 'gnuplot failed'; left ''
with_gnuplot 'cat >/dev/null'
path=$PWD/bin:$PATH expect 4 plot a.csv -o results/x.png; says 'gnuplot drew nothing'; left ''
with_gnuplot 'cat >/dev/null; echo half; exec sleep 20'
PATH=$PWD/bin:$PATH timeout --preserve-status -s INT 1 "$program" plot a.csv -o results/x.png >out 2>err
check 'interrupted: exit code 130' test $? -eq 130
says '^cotree: stopped; nothing was written'; left ''

echo "plot: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
