#!/bin/bash
# Loops on demand on ranks: with a cold cache one rank compiles and the others wait for it; ranks on machines with
# different processors use the instruction set that all of them have, with its bits.
. "$(dirname "$0")/common.inc"
unset MYRIAD_BEST_ISA
"$MYRIAD" info | grep -q avx2 || { echo "skipped: no second instruction set here"; exit 77; }
cat > box.yaml <<END
particles: {model: fcc, n: 4000, density: 0.8, temperature: 1.0, seed: 3}
species: [{name: A, epsilon: 1, sigma: 1}]
interaction: {kernel: lennard_jones, method: neighbour, cutoff: 2.5}
integrator: {name: verlet, dt: 0.004}
run: {steps: 20}
output: {directory: out, report: false, diagnostics: 20}
END

# energies DIR: the last line of the diagnostics
energies() { tail -n 1 "$1/diagnostics.csv" | cut -d, -f1-6; }

export MYRIAD_CACHE=$PWD/cold
on 4 run box.yaml --set output.directory=cold_run || fail "four ranks with a cold cache: $(cat err)"
compiled=$(ls cold/*.so 2> /dev/null | wc -l)
"$MYRIAD" info | grep -q 'all loops built' || [ "$compiled" -ge 1 ] || fail "nothing was compiled"
[ "$(grep -c compiling err)" -le 2 ] || fail "compiled more than once: $(cat err)"

# rank 1 on a lesser processor
MYRIAD_BEST_ISA=avx2 "$MYRIAD" run box.yaml --set output.directory=lesser --quiet || fail "one rank on avx2"
cat > rank.sh <<END
#!/bin/sh
rank=\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-0}}
[ "\$rank" = 1 ] && export MYRIAD_BEST_ISA=avx2
exec "$MYRIAD" "\$@"
END
chmod +x rank.sh
timeout 120 bash "$HERE/run.sh" "$FLAVOUR" 2 ./rank.sh run box.yaml --set output.directory=both --quiet > out 2> err < /dev/null ||
    fail "two ranks on different processors: $(cat err)"
[ "$(energies both)" = "$(energies lesser)" ] || fail "bits: $(energies both), not those of avx2 $(energies lesser)"
echo "ranks with loops on demand: one compiles, and all use what all have"
