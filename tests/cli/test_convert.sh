#!/bin/bash
# myriad convert: every format to every other and back with the same bits, what is lost is said, nothing is overwritten.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"
cd "$WORK" || exit 1
three=(--field position --field velocity --field mass)

# convert FROM TO OPTIONS...: without a word, and it must work
convert()
{
    "$MYRIAD" convert "$@" --quiet >out 2>&1 || fail "myriad convert $*: $(cat out)"
}

# Particles of mixed types and with ids out of order, with a time and a box; numbers of 53 bits.
"$MYRIAD" init plummer -n 150 -o plain.csv --quiet || fail "init plummer"
awk -F, -v OFS=, 'NR == 1 { print; print "# time = 0.10000000000000001"; for (c = 120; c < 123; c++)
        print "# box_" substr("xyz", c - 119, 1) " = 12.300000000000001"; next }
    /^#/ { next } { $1 = 1000 - 7 * $1; $2 = (NR * 5) % 6; print }' plain.csv >mixed.csv
convert mixed.csv start.nemo
convert start.nemo start.csv "${three[@]}"
grep -q '^# time = 0.10000000000000001' start.csv || fail "the time is lost"

# what each format writes: its name and ending; exact = the same bits come back, in the same order
exact="csv:csv gadget2:gadget2 nemo:nemo extxyz:xyz"
"$MYRIAD" info --json | grep -A 2 '"name": "gadget_hdf5"' | grep -q '"available": true' &&
    exact="$exact gadget_hdf5:hdf5 h5md:h5md"
for a in $exact; do
    convert start.nemo "a.${a#*:}" --to "${a%:*}" "${three[@]}"
    for b in $exact; do
        convert "a.${a#*:}" "b.${b#*:}" --to "${b%:*}" --force
        convert "b.${b#*:}" back.csv "${three[@]}" --force
        cmp -s back.csv start.csv || fail "$a to $b and back: $(diff back.csv start.csv | head -n 3)"
    done
done

# Formats of floats: what fits into them comes back, whatever the order; Tipsy has three types.
convert start.nemo float.tipsy "${three[@]}"
convert float.tipsy float.csv
for f in tipsy tipsy_native gadget2_float gadget2 nemo csv; do
    convert float.csv "float.$f.file" --to $f "${three[@]}"
    convert "float.$f.file" back.csv "${three[@]}" --force
    diff <(grep -v '^#' back.csv | sort) <(grep -v '^#' float.csv | sort) >out ||
        fail "floats through $f: $(head -n 3 out)"
done

# What is lost is said by name, and is an error with --strict.
expect 0 "stores 'position' in 32 bits" convert start.nemo c.tipsy
expect 0 "particles of other types" convert start.nemo c.tipsy --force
expect 0 "without the periodic box" convert start.nemo c.tipsy --force
rm -f c.tipsy
expect 1 "in 32 bits" convert start.nemo c.tipsy --strict
[ -e c.tipsy ] && fail "--strict wrote a file"
expect 0 "" convert start.nemo c.gadget2 --strict
printf 'id,type,x,y,z,jerk[0],jerk[1],jerk[2]\n1,0,1,2,3,4,5,6\n' >jerk.csv
expect 0 "'d.gadget2' is written without the field 'jerk'" convert jerk.csv d.gadget2
expect 1 "cannot carry the field 'jerk'" convert jerk.csv e.gadget2 --field jerk
expect 1 "cannot carry the field 'jerk'" convert jerk.csv e.gadget2 --strict
[ -e e.gadget2 ] && fail "a file was written although it could not hold what was asked for"

# All frames of a file, and all snapshots of a run, in one file.
printf '1\nProperties=pos:R:3 time=0\n1 2 3\n1\nProperties=pos:R:3 time=0.5\n4 5 6\n' >two.xyz
expect 0 "holds 2 frames; this is frame 1" convert two.xyz last.csv
expect 0 "2 frames from two.xyz to both.xyz" convert two.xyz both.xyz --all-frames
[ "$(grep -c Properties both.xyz)" = 2 ] || fail "both.xyz: $(cat both.xyz)"
expect 1 "cannot carry more than one frame" convert two.xyz both.csv --all-frames
expect 0 "2 frames from two.xyz to both.nemo" convert two.xyz both.nemo --all-frames
convert both.nemo again.xyz --all-frames
cmp -s again.xyz both.xyz || fail "two frames through nemo: $(diff again.xyz both.xyz | head -n 3)"
mkdir -p series
convert start.nemo series/snapshot_00001.nemo
convert start.csv series/snapshot_00000.csv
cp start.csv series/snapshot_00002.csv.partial
touch series/snapshot_00001.nemo.kdtree series/snapshot_00001.hsml.hdf5 # as yt leaves beside ours
expect 0 '"frames_written": 2' convert series series.xyz --all-frames --json
convert series.xyz first.csv --frame 0 "${three[@]}"
cmp -s first.csv start.csv || fail "the first snapshot of a series is not its first frame"
rm -r series
mkdir -p empty
expect 1 "empty has no snapshots" convert empty e.xyz --all-frames

# Files are safe.
cp c.gadget2 before
expect 1 "c.gadget2 is there already; --force replaces it" convert jerk.csv c.gadget2
cmp -s c.gadget2 before || fail "a file was overwritten without --force"
head -c 1000 c.gadget2 >cut.gadget2
expect 1 "at byte 296: the file is cut short" convert cut.gadget2 c.csv
head -c -3 start.csv >cut.csv # within the last number
expect 0 "the last line of 'cut.csv' has no end" convert cut.csv cut.xyz
head -c -1 both.xyz >cut.xyz
expect 0 "the last line of 'cut.xyz' has no end" convert cut.xyz g.csv --force
expect 0 "" convert both.xyz g.csv --force
grep -q "has no end" err && fail "a whole file is said to have no end: $(cat err)"
expect 1 "cannot read 'none.csv'" convert none.csv f.nemo
expect 2 "the ending of 'f.what' tells no file format" convert jerk.csv f.what
expect 2 "did you mean 'nemo'?" convert jerk.csv f --to nmeo
expect 1 "no frame 3" convert start.nemo f.csv --frame 3
expect 2 "say which TO" convert start.nemo
expect 1 "the particles have no field 'masss'" convert start.nemo f.csv --field masss
expect 0 '"to_format": "nemo"' convert jerk.csv g.nemo --json
parses out || fail "convert --json is not JSON"
[ -z "$(find . -name '*.partial')" ] || fail "temporary files are left: $(find . -name '*.partial')"
finish
