// The table of the plugin.
#include "plugins/mpi/entries.h"

using namespace gantry::mpi;

GANTRY_EXPORT_TABLE(GANTRY_MPI_PLUGIN)
