# Seconds of tests that take long, on one core of two: ctest starts these first, so that none is left for the end. A tree in
# which ctest has run has figures of its own. Measured with an empty cache of loops; unit.bad_input comes after
# unit.operations, because both compile loops in single arithmetic.
foreach(cost "house.torture 60" "gpu.compile 50" "unit.operations 42" "unit.fmm 38" "python.notebooks 35" "house.new 32"
        "physics.box_formula 29" "unit.bad_input 28" "cli.run_examples 25" "unit.fmm_vortex 24" "cli.bits 23" "cli.bench 21"
        "unit.direct 19" "physics.pipelines 18" "physics.integrators 17" "unit.expansion 17" "unit.neighbour 16"
        "report.browser 15" "cli.demand 14" "mpi.damaged.mpich 13" "physics.elements 13" "unit.lists 12"
        "cli.run_elements 12" "physics.hermite 12" "unit.lists_periodic 12" "mpi.demand.openmpi 11" "unit.fmm_periodic 11"
        "cli.molecular 11" "physics.domains 11" "cli.documents 10")
    string(REPLACE " " ";" cost "${cost}")
    list(GET cost 0 name)
    list(GET cost 1 test_cost_${name})
endforeach()
