// The processors that the executor stands in for, by LLVM's names (AMDGPUUsage, "Processors").
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace gantry::simt::amdgcn {

struct Processor {
  std::string_view name;         ///< "gfx906"
  std::string_view features;     ///< of the ISA's name: ":sramecc-:xnack-", or empty
  std::uint32_t mach = 0;        ///< EF_AMDGPU_MACH of its code objects
  unsigned wave = 64;            ///< lanes of a wave, where a kernel does not say so
  bool packs_work_item = false;  ///< v0 has the work-item's three numbers, ten bits each
  bool has_accumulators = false; ///< AccVGPRs, as many as VGPRs, which memory instructions know
  bool is_gfx8 = false;          ///< v_add_u32 writes VCC; flat scratch is an offset
  bool is_gfx11 =
      false; ///< encodings of its own, waves of 32 lanes or 64, flat scratch without SGPRs
};

[[nodiscard]] std::span<const Processor> processors();
/// Null if there is none of that name, or of that number.
[[nodiscard]] const Processor* find_processor(std::string_view name);
[[nodiscard]] const Processor* find_processor(std::uint32_t mach);

} // namespace gantry::simt::amdgcn
