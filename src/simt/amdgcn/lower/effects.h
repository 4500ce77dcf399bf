// Which registers an instruction reads and writes, as far as it matters to what is live.
#pragma once

#include "simt/amdgcn/exec/compile_request.h"

#include <bitset>

namespace gantry::simt::amdgcn::lower {

using VectorSet = std::bitset<vector::kCount>;
using ScalarSet = std::bitset<scalar::kCount>;

/// Reads may be too many, and writes too few.
struct Effects {
  VectorSet reads;  ///< VGPRs, by lanes that are active
  VectorSet writes; ///< in all lanes that are active, whatever they were
  ScalarSet scalar_reads, scalar_writes;
  bool reads_inactive = false; ///< `reads` is of any lanes
  bool reads_all = false;      ///< anything may be read behind it: code that is not known goes on
  bool changes_exec = false;
  bool ends = false; ///< the wave
};

/// `by_lanes`: the instruction reads and writes nothing of other lanes, and writes all that are
/// active.
[[nodiscard]] Effects effects_of(const CodePlace& code, unsigned lanes, bool by_lanes);

} // namespace gantry::simt::amdgcn::lower
