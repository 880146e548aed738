/* myriad.h - includes the whole public interface of libmyriad. */
#ifndef MYRIAD_MYRIAD_H
#define MYRIAD_MYRIAD_H

#include <myriad/catalogue.h>
#include <myriad/context.h>
#include <myriad/csv_table.h>
#include <myriad/diagnostic.h>
#include <myriad/elements.h>
#include <myriad/ensemble.h>
#include <myriad/external.h>
#include <myriad/flow.h>
#include <myriad/interaction.h>
#include <myriad/kernel.h>
#include <myriad/machine.h>
#include <myriad/model.h>
#include <myriad/molecular.h>
#include <myriad/molecule.h>
#include <myriad/observable.h>
#include <myriad/output_file.h>
#include <myriad/particles.h>
#include <myriad/ranks.h>
#include <myriad/simulation.h>
#include <myriad/snapshot.h>
#include <myriad/status.h>
#include <myriad/topology.h>
#include <myriad/trajectory.h>
#include <myriad/version.h>

#endif
