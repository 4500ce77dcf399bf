// The plugin's functions; see gantry/plugin.h.
#pragma once

#include "plugins/entry.h"

#define GANTRY_MPI_PLUGIN(X)                                                                       \
  GANTRY_ENTRIES(X)                                                                                \
  X(create_queue)                                                                                  \
  X(destroy_queue)                                                                                 \
  X(queue_copy_to_device)                                                                          \
  X(queue_copy_to_host)                                                                            \
  X(queue_launch)                                                                                  \
  X(queue_launch_data)                                                                             \
  X(synchronize_queue)                                                                             \
  X(query_queue)                                                                                   \
  X(record_times)                                                                                  \
  X(read_times)                                                                                    \
  X(rank_image)                                                                                    \
  X(get_fault)                                                                                     \
  X(copy_between)                                                                                  \
  X(queue_copy_between)                                                                            \
  X(launch_hint)                                                                                   \
  X(start_with_program)                                                                            \
  X(end_with_program)                                                                              \
  X(add_devices)

namespace gantry::mpi::entries {
GANTRY_MPI_PLUGIN(GANTRY_DECLARE_ENTRY)
}
