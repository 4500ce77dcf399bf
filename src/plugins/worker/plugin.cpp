// The table of functions, the one thing that the plugin exports.
#include "plugins/worker/entries.h"

using namespace gantry::worker;

GANTRY_EXPORT_TABLE(GANTRY_WORKER_PLUGIN)
