// A dispatch, read from its packet and the kernel's descriptor.
#pragma once

#include "simt/amdgcn/exec/executor.h"
#include "simt/amdgcn/exec/wave.h"

#include <cstdint>
#include <string>

#include <tl/expected.hpp>

namespace gantry::simt::amdgcn {

/// Which registers a wave begins with (AMDGPUUsage, "Initial Kernel Execution State").
struct RegisterPlan {
  unsigned user_sgprs = 0;
  bool private_buffer = false, dispatch = false, queue = false, kernarg = false;
  bool dispatch_id = false, flat_scratch = false, private_size = false;
  bool group_id[3] = {};
  bool group_info = false;
  bool private_offset = false;
  unsigned item_ids = 1; ///< x, or x and y, or all three
  unsigned vgprs = 0;    ///< how many are the wave's
  std::uint32_t mode = mode::kDefault;
};

class Heat;

struct Launch {
  Grid grid;
  std::string kernel;
  RegisterPlan registers;
  LoadedCode::State* code = nullptr;
  std::uint64_t entry = 0;
  std::uint64_t packet = 0, queue = 0, kernarg = 0;
  std::uint32_t group[3] = {1, 1, 1}; ///< work-items of a work-group
  std::uint32_t items[3] = {1, 1, 1}; ///< of the grid
  std::uint32_t groups[3] = {1, 1, 1};
  std::uint32_t private_size = 0; ///< bytes of a lane
  std::uint32_t shared_size = 0;  ///< bytes of a work-group
  Heat* heat = nullptr;           ///< of the kernel; null if it is not to be compiled

  [[nodiscard]] unsigned waves() const {
    const unsigned lanes = grid.lanes;
    return (group[0] * group[1] * group[2] + lanes - 1) / lanes;
  }
  [[nodiscard]] std::uint64_t group_count() const {
    return std::uint64_t{groups[0]} * groups[1] * groups[2];
  }
};

/// An error if the packet does not fit the machine, or the kernel is none.
[[nodiscard]] tl::expected<Launch, Fault> read_launch(const Dispatch& dispatch);

} // namespace gantry::simt::amdgcn
