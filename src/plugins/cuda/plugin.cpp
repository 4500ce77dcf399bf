// The table of functions, the one thing that the plugins `cuda` and `simt` export.
#include "plugins/cuda/entries.h"

using namespace gantry::cuda;

GANTRY_EXPORT_TABLE(GANTRY_CUDA_PLUGIN)
