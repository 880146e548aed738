#!/bin/bash
# Runs a program on some ranks, on whatever cores there are. usage: run.sh FLAVOUR RANKS PROGRAM [ARGUMENTS]
# FLAVOUR: openmpi or mpich. Exit code 77 (skipped) where its mpirun is missing.
set -u
flavour=$1 ranks=$2
shift 2
command -v "mpirun.$flavour" > /dev/null || { echo "skipped: no mpirun.$flavour"; exit 77; }
# More ranks than cores, perhaps as root; ranks that wait give their core to others.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# None is bound to a core, which another test may be bound to.
export OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader
# Nothing of a rank that the launcher ends is waited for.
export OMPI_MCA_odls_base_sigkill_timeout=0
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}" OMP_WAIT_POLICY=passive
# MPI libraries keep memory to the end; one test preloads another library.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0:verify_asan_link_order=0"
exec "mpirun.$flavour" -np "$ranks" "$@"
