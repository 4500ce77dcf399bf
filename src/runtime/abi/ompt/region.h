// What a construct keeps for the tool from its begin to its end (Construct::of_tool).
#pragma once

#include "runtime/core/events/events.h"

#include <vector>

#include <omp-tools.h>

namespace gantry::abi::ompt {

/// One thread at a time.
struct Region {
  ompt_target_t kind = ompt_target;
  ompt_data_t* task_data = nullptr;
  ompt_data_t* target_task_data = nullptr;
  /// The tool's, or where it has not registered target_emi the region's number.
  ompt_data_t target_data = {};

  /// Copies and launches that a record is to be made of when they are complete.
  struct UnderWay {
    core::EventId id;
    ompt_record_ompt_t record; ///< `time` is when it was put in
  };
  std::vector<UnderWay> under_way;
};

} // namespace gantry::abi::ompt
