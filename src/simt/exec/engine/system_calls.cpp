#include "simt/exec/engine/system_calls.h"

#include "simt/exec/blocks/block.h"
#include "simt/exec/engine/device_printf.h"
#include "simt/exec/engine/scheduler.h"
#include "simt/exec/reports/fault_report.h"
#include "simt/memory/device_heap.h"

#include <bit>
#include <optional>
#include <utility>

namespace gantry::simt::exec {

namespace {

/// What the calls of all lanes share. The functions below return the fault that ends the launch,
/// because what they own must be destroyed before fail() abandons the stack.
struct Call {
  const Warp& warp;
  LaneMask active;
  const std::uint64_t* arguments;
  std::uint64_t* results;
  Site site;

  [[nodiscard]] std::uint64_t argument(unsigned index, unsigned lane) const {
    return arguments[index * kLanes + lane];
  }
  [[nodiscard]] std::int32_t device() const { return warp.block->launch->program->options.device; }
};

Fault unreadable_fault(const Call& call, unsigned lane, const Unreadable& what) {
  std::uint64_t addresses[kLanes] = {};
  addresses[lane] = what.address;
  return access_fault(call.warp, 1U << lane, addresses, what.size, AccessKind::kLoad,
                      AccessSpace::kGeneric, call.site);
}

std::optional<Fault> call_vprintf(const Call& call, unsigned lane) {
  std::string text;
  const auto count = format_device_text(text, LaneMemory(call.warp, lane), call.argument(0, lane),
                                        call.argument(1, lane));
  if (!count) {
    return unreadable_fault(call, lane, count.error());
  }
  print_from_device(text);
  call.results[lane] = static_cast<std::uint32_t>(*count);
  return std::nullopt;
}

std::optional<Fault> call_free(const Call& call, unsigned lane) {
  const std::uint64_t address = call.argument(0, lane);
  const FreeResult result = device_free(call.device(), address);
  if (result == FreeResult::kFreed) {
    return std::nullopt;
  }
  return heap_fault(call.warp, 1U << lane, address, result, call.site);
}

/// The lanes whose assertion is that of `lane`.
LaneMask same_assertion(const Call& call, unsigned lane) {
  LaneMask same = 0;
  for (LaneMask left = call.active; left != 0; left &= left - 1) {
    const auto other = static_cast<unsigned>(std::countr_zero(left));
    bool equal = true;
    for (unsigned index = 0; index < 4; ++index) {
      equal = equal && call.argument(index, lane) == call.argument(index, other);
    }
    same |= equal ? 1U << other : 0;
  }
  return same;
}

Fault call_assertfail(const Call& call, unsigned lane) {
  std::string texts[3];
  constexpr unsigned kStrings[3] = {0, 1, 3};
  for (unsigned i = 0; i < 3; ++i) {
    auto text = read_device_string(LaneMemory(call.warp, lane), call.argument(kStrings[i], lane));
    if (!text) {
      return unreadable_fault(call, lane, text.error());
    }
    texts[i] = *std::move(text);
  }
  const auto line = static_cast<std::uint32_t>(call.argument(2, lane));
  return assert_fault(call.warp, same_assertion(call, lane), texts[0], texts[1], line, texts[2]);
}

std::optional<Fault> call_lane(const Call& call, ptx::SystemCall which, unsigned lane) {
  switch (which) {
  case ptx::SystemCall::kVprintf:
    return call_vprintf(call, lane);
  case ptx::SystemCall::kMalloc:
    call.results[lane] = device_malloc(call.device(), call.argument(0, lane));
    if (BlockWatch* const watch = call.warp.block->watch.get();
        watch != nullptr && call.results[lane] != 0) {
      watch->heap_given(call.results[lane], call.argument(0, lane));
    }
    return std::nullopt;
  case ptx::SystemCall::kFree:
    return call_free(call, lane);
  case ptx::SystemCall::kAssertfail:
    return call_assertfail(call, lane);
  }
  return std::nullopt;
}

} // namespace

void system_call(Warp& warp, LaneMask active, ptx::SystemCall call, const std::uint64_t* arguments,
                 std::uint64_t* results, Site site) {
  const Call all{warp, active, arguments, results, site};
  for (LaneMask left = active; left != 0; left &= left - 1) {
    fail_if(warp, call_lane(all, call, static_cast<unsigned>(std::countr_zero(left))));
  }
}

} // namespace gantry::simt::exec
