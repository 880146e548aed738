#!/bin/bash
# Energies by term of alanine dipeptide beside those of GROMACS in double precision (gmx_d), for which ParmEd converts the
# topology. Skipped where they are not there; Debian: apt-get install gromacs python3-parmed.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"
files=$(cd "$(dirname "$0")/../../examples" && pwd)/alanine
python=
for p in python3 /usr/bin/python3; do
    "$p" -c 'import parmed' 2>/dev/null && python=$p && break
done
command -v gmx_d >/dev/null || { echo "skipped: GROMACS in double precision (gmx_d) is not there"; exit 77; }
[ -n "$python" ] || { echo "skipped: ParmEd (python3-parmed) is not there"; exit 77; }

# Away from the start, in which no bond is stretched.
awk 'NR < 3 { print; next }
    { for (k = 1; k <= NF; k++) printf "%12.7f", $k + 0.06 * sin(7.3 * ++n); printf "\n" }' "$files.inpcrd" >"$WORK/m.inpcrd"
cp "$files.prmtop" "$WORK/m.prmtop"
"$MYRIAD" molecule "$WORK/m.prmtop" "$WORK/m.inpcrd" --json >"$WORK/ours" || fail "myriad molecule"
cd "$WORK" || exit 1
"$python" - >parmed.log 2>&1 <<'END' || fail "ParmEd: $(cat parmed.log)"
import parmed
from parmed.gromacs import GromacsGroFile
m = parmed.load_file('m.prmtop', 'm.inpcrd')
m.save('m.top', overwrite=True)
m.box = [100, 100, 100, 90, 90, 90]
GromacsGroFile.write(m, 'm.gro', precision=8)
END
# All pairs: a cutoff longer than the molecule in a box of which no image comes near. The reaction field of epsilon-rf 1
# shifts the Coulomb energy by -Q^2/2rc, and the charge Q of the molecule is 0.
cat >m.mdp <<'END'
integrator = md
nsteps = 0
rlist = 4
rcoulomb = 4
rvdw = 4
coulombtype = Cut-off
epsilon-rf = 1
vdw-modifier = None
coulomb-modifier = None
verlet-buffer-tolerance = -1
nstenergy = 1
nstcalcenergy = 1
END
gmx_d -quiet grompp -f m.mdp -c m.gro -p m.top -o m.tpr -maxwarn 5 >grompp.log 2>&1 || fail "$(tail -n 20 grompp.log)"
gmx_d -quiet mdrun -s m.tpr -nt 1 -deffnm m >mdrun.log 2>&1 || fail "$(tail -n 20 mdrun.log)"
# bond, angle, proper, improper, LJ-14, Coulomb-14, LJ, Coulomb
printf '1 2 3 4 5 6 7 8\n\n' | gmx_d -quiet energy -f m.edr -dp -xvg none -o e.xvg >energy.log 2>&1 || fail "gmx energy"

# Coulomb's constants differ: 138.935458 kJ nm/mol/e^2 of GROMACS, 18.2223^2 kcal Angstrom/mol/e^2 of AMBER. The topology
# of ParmEd has 5/6 as 0.83333333 and eight digits of the Lennard-Jones parameters. Measured: 5.9e-8 at most.
awk 'BEGIN { at["bond"] = 2; at["angle"] = 3; at["dihedral"] = 4; at["lj14"] = 6; at["coulomb14"] = 7; at["lj"] = 8; at["coulomb"] = 9 }
    NR == FNR { split($0, g); next }
    /"(bond|angle|dihedral|lj14|coulomb14|lj|coulomb)":/ {
        gsub(/[",:]/, ""); ours = 4.184 * $2
        theirs = g[at[$1]] + ($1 == "dihedral" ? g[5] : 0)
        if ($1 ~ /coulomb/) ours *= 138.935458 / (18.2223 ^ 2 * 0.4184)
        off = (ours - theirs) / theirs; off = off < 0 ? -off : off
        printf "%-10s %18.10f %18.10f kJ/mol %9.1e\n", $1, ours, theirs, off
        count++; if (!(off < 2e-7)) bad++
    }
    END { exit bad || count != 7 }' e.xvg ours || fail "the energies are not those of GROMACS"
finish
