// The table of functions, the one thing that the plugins `hsa` and `simt-amd` export.
#include "plugins/hsa/entries.h"

using namespace gantry::hsa;

GANTRY_EXPORT_TABLE(GANTRY_HSA_PLUGIN)
