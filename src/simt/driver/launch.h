// Launches: the checks that the driver makes, and the parameters' way into the kernel.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/exec/run/loaded_program.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <tl/expected.hpp>

namespace gantry::simt::driver {

class Function;
class Stream;

/// The values of a kernel's parameters, inside a StreamOperation if they are few.
class ParameterBytes {
public:
  static constexpr std::uint32_t kInline = 256;

  explicit ParameterBytes(std::size_t size) {
    if (size > kInline) {
      large_ = std::make_unique_for_overwrite<std::byte[]>(size);
    }
  }
  explicit ParameterBytes(std::span<const std::byte> bytes);
  [[nodiscard]] std::byte* data() { return large_ != nullptr ? large_.get() : few_.data(); }

private:
  std::unique_ptr<std::byte[]> large_;
  alignas(16) std::array<std::byte, kInline> few_;
};

/// `parameters` and `extra` as cuLaunchKernel has them; both are read before the call returns.
struct LaunchRequest {
  std::shared_ptr<Function> function;
  exec::LaunchShape shape;
  void** parameters = nullptr;
  void** extra = nullptr;
};

/// A launch that has been checked.
struct CheckedLaunch {
  std::shared_ptr<Function> function;
  exec::LaunchShape shape;
  ParameterBytes bytes;
};

/// What the attributes of a launch ask for beyond an ordinary one.
struct LaunchWishes {
  bool cooperative = false;
  std::optional<std::array<std::uint32_t, 3>> cluster; ///< blocks of one, in each direction
  CUevent event = nullptr; ///< to be recorded; when the launch has ended is soon enough
};
/// Adds what the attribute asks for. CUDA_ERROR_INVALID_VALUE if it is none, or cannot have the
/// value; _NOT_SUPPORTED if it is not offered.
[[nodiscard]] CUresult read_attribute(CUlaunchAttributeID attribute,
                                      const CUlaunchAttributeValue& value, LaunchWishes& wishes);

/// Gives the shape the clusters that were asked for, or that the kernel requires.
/// CUDA_ERROR_INVALID_CLUSTER_SIZE if it cannot have them.
[[nodiscard]] CUresult set_cluster(const Function& function, exec::LaunchShape& shape);
/// The most blocks that a cluster of the kernel may have.
[[nodiscard]] std::uint32_t most_blocks_of_cluster(const Function& function);
/// Writes the wish into the shape.
void ask_for_cluster(const LaunchWishes& wishes, exec::LaunchShape& shape);

[[nodiscard]] CUresult check_shape(const Function& function, const exec::LaunchShape& shape);
/// Checks what can be checked without the kernel's code.
[[nodiscard]] tl::expected<CheckedLaunch, CUresult> check_launch(LaunchRequest request);
/// Puts the launch into the stream; the function is prepared().
void enqueue_launch(Stream& stream, CheckedLaunch&& launch);

[[nodiscard]] CUresult launch_in(Stream& stream, LaunchRequest request);

/// Blocks of the kernel that one multiprocessor can hold at once.
[[nodiscard]] unsigned blocks_of_multiprocessor(const Function& function, unsigned threads,
                                                std::size_t dynamic_shared);

} // namespace gantry::simt::driver
