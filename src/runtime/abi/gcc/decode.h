// From GCC's list items to the core's.
#pragma once

#include "base/result.h"
#include "runtime/abi/gcc/layouts.h"
#include "runtime/core/data/construct_work.h"

#include <gantry/plugin.h>

namespace gantry::abi::gcc {

/// What a construct does with its items, on which the meaning of some kinds depends.
enum class Purpose : std::uint8_t {
  kTarget,    ///< the start of a target region; its end takes the same items
  kData,      ///< target data
  kEnterData, ///< target enter data
  kExitData,  ///< target exit data
  kUpdate,    ///< target update
};

/// Appends the items of a construct. For kTarget each element of the arrays yields one value of the
/// kernel's block, in order. Fails if an element is of no known kind.
[[nodiscard]] Status decode_maps(const MapArrays& arrays, Purpose purpose, core::MapItems& items);

/// The shape of a launch from the words that the compiler passes; `arguments` may be null.
[[nodiscard]] gantry_launch decode_launch(void* const* arguments);

} // namespace gantry::abi::gcc
