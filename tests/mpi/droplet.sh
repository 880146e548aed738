#!/bin/bash
# A droplet off the middle, 4 % of the box: of 8 ranks one has most of the pairs, until the planes have moved. The bits
# are those of one rank all the time.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"
[ "$FLAVOUR" = mpich ] && { echo "skipped: ranks of MPICH that wait keep their cores busy"; exit 77; }

# A lattice of liquid within a radius of 6.8 about a quarter of the box, and one of vapour outside.
awk 'BEGIN {
    edge = 30; radius = 6.8; liquid = 1.12; vapour = 3.6; c = edge / 4
    for (x = 0.5; x * liquid < edge; x++) for (y = 0.5; y * liquid < edge; y++) for (z = 0.5; z * liquid < edge; z++)
        if ((x * liquid - c) ^ 2 + (y * liquid - c) ^ 2 + (z * liquid - c) ^ 2 < radius ^ 2)
            line[n++] = "Ar " x * liquid " " y * liquid " " z * liquid
    for (x = 0.5; (x + 0.4) * vapour < edge; x++) for (y = 0.5; (y + 0.4) * vapour < edge; y++)
        for (z = 0.5; (z + 0.4) * vapour < edge; z++)
            if ((x * vapour - c) ^ 2 + (y * vapour - c) ^ 2 + (z * vapour - c) ^ 2 > (radius + 1) ^ 2)
                line[n++] = "Ar " x * vapour " " y * vapour " " z * vapour
    print n
    print "Lattice=\"30 0 0 0 30 0 0 0 30\" Properties=species:S:1:pos:R:3"
    for (i = 0; i < n; i++) print line[i]
}' > droplet.extxyz
cat > droplet.yaml <<'END'
units: {system: lj}
particles: {file: droplet.extxyz, thermal: 0.7}
species: [{name: Ar, epsilon: 1, sigma: 1}]
box: {x: 30, y: 30, z: 30}
interaction: {method: neighbour, cutoff: 2.5, cut: smooth, skin: 0.3}
integrator: {name: langevin, dt: 0.005, temperature: 0.7, friction: 1}
run: {steps: 200}
output: {diagnostics: 0.5, snapshots: 1, format: extxyz, report: false}
END

"$MYRIAD" run droplet.yaml --quiet --set output.directory=one || fail "one rank"
for balance in no pairs time; do
    on 8 run droplet.yaml --set output.directory=$balance --set run.balance=$balance || fail "8 ranks: $(cat out err)"
    for file in one/snapshot_*.extxyz one/diagnostics.csv; do
        cmp -s "$file" "$balance/$(basename "$file")" || fail "$(basename "$file") is not that of one rank"
    done
    line=$(grep '^ranks:' out)
    echo "balance $balance: $line"
    after=$(sed 's/.*most over mean \([0-9.]*\) (\([0-9.]*\) before).*/\1/' <<< "$line")
    before=$(sed 's/.*most over mean \([0-9.]*\) (\([0-9.]*\) before).*/\2/' <<< "$line")
    awk "BEGIN { exit !($before >= 3) }" || fail "before: $before"
    [ $balance = pairs ] && { awk "BEGIN { exit !($after < 1.15) }" || fail "after: $after"; }
    # by time: first pairs, then what processors took, on a busy machine and in domains that are nearly empty
    [ $balance = time ] && { awk "BEGIN { exit !($after < 1.6) }" || fail "after: $after"; }
    [ $balance = no ] && { awk "BEGIN { exit !($after >= 3) }" || fail "planes that do not move: $after"; }
done
exit 0
