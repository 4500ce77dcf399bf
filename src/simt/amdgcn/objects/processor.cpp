#include "simt/amdgcn/objects/processor.h"

#include <algorithm>
#include <array>

namespace gantry::simt::amdgcn {

namespace {

constexpr std::array kProcessors = {
    Processor{.name = "gfx906", .features = ":sramecc-:xnack-", .mach = 0x2f},
    Processor{.name = "gfx900", .features = ":xnack-", .mach = 0x2c},
    Processor{.name = "gfx803", .mach = 0x2a, .is_gfx8 = true},
    Processor{.name = "gfx90a",
              .features = ":sramecc+:xnack-",
              .mach = 0x3f,
              .packs_work_item = true,
              .has_accumulators = true},
    Processor{
        .name = "gfx1100", .mach = 0x41, .wave = 32, .packs_work_item = true, .is_gfx11 = true},
};

} // namespace

std::span<const Processor> processors() {
  return kProcessors;
}

const Processor* find_processor(std::string_view name) {
  const auto* const found = std::ranges::find(kProcessors, name, &Processor::name);
  return found == kProcessors.end() ? nullptr : found;
}

const Processor* find_processor(std::uint32_t mach) {
  const auto* const found = std::ranges::find(kProcessors, mach, &Processor::mach);
  return found == kProcessors.end() ? nullptr : found;
}

} // namespace gantry::simt::amdgcn
