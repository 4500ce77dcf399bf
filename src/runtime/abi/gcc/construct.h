// What constructs of GCC have in common: their device, their dependences and their deferral.
#pragma once

#include "runtime/abi/gcc/layouts.h"
#include "runtime/core/runtime/runtime.h"

#include <functional>
#include <memory>
#include <vector>

#include <absl/container/inlined_vector.h>

namespace gantry::abi::gcc {

/// The device of a construct; null for the host. What cannot be satisfied ends the process with a
/// message.
[[nodiscard]] core::Device* select_device(int number, const core::Construct& construct);

/// The kinds of the oldest forms of constructs in the form of today's.
class WideKinds {
public:
  WideKinds(const std::uint8_t* kinds, std::size_t count);
  [[nodiscard]] const std::uint16_t* data() const { return kinds_.data(); }

private:
  absl::InlinedVector<std::uint16_t, core::kInlineItems> kinds_;
};

/// Copies of a construct's arrays and of what its firstprivate items are, for a task.
class KeptArrays {
public:
  explicit KeptArrays(const MapArrays& arrays);
  [[nodiscard]] MapArrays arrays();

private:
  std::vector<void*> addresses_;
  std::vector<std::size_t> sizes_;
  std::vector<std::uint16_t> kinds_;
  std::vector<std::unique_ptr<std::byte[]>> values_;
};

/// Makes a task of libgomp's that executes a construct with nowait, which may come to run at once.
void defer(std::function<void()> construct, void** dependences);

/// Waits for the dependences of a construct without nowait.
void wait_for(void** dependences);

} // namespace gantry::abi::gcc
