// From the items of a target construct to the values of its kernel's parameters, with the private
// copies that the construct makes (OpenMP 5.2, sections 5.4 and 13.8).
#pragma once

#include "base/result.h"
#include "runtime/core/data/construct_work.h"
#include "runtime/core/queues/private_storage.h"

#include <cstdint>

#include <absl/container/inlined_vector.h>

namespace gantry::core {

/// The values of a kernel's parameters.
using KernelArguments = absl::InlinedVector<void*, kInlineItems + 1>;

/// How the values of a construct's items reach its kernel.
enum class ParameterForm : std::uint8_t {
  kValues, ///< each as a parameter
  kBlock,  ///< one parameter: the address of an array of them on the device, null if there are none
};

/// Where the values of a kernel's parameters, if it takes them as a block, and the private copies
/// of its items lie, in one piece.
struct PrivateLayout {
  PrivateLayout(Items items, ParameterForm form);

  bool block;
  std::size_t values = 0; ///< parameters
  std::uint64_t size = 0; ///< bytes of all of it
  /// Of each item's private copy; empty if there is none.
  absl::InlinedVector<std::uint64_t, kInlineItems> offsets;
};

/// Appends one value to `arguments` for each item with `argument`, or the address of a block of
/// these. `work.found` has what the items were found in, and private copies lie in `storage` as
/// `layout` says. With the lock of the device data environment.
[[nodiscard]] Status append_arguments(MappingTable& table, Items items, ConstructWork& work,
                                      KernelArguments& arguments, const PrivateLayout& layout,
                                      PrivateStorage& storage);

} // namespace gantry::core
