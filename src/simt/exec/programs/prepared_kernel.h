// The properties of a kernel that launches need, computed when they are first asked for.
#pragma once

#include "simt/ptx/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::simt::exec {

/// The properties of a kernel that the host may ask for.
struct KernelFacts {
  struct Parameter {
    std::uint32_t offset = 0, size = 0; ///< bytes in the parameter buffer
  };
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_shared = 0;
  std::uint32_t local_bytes = 0;
  std::uint32_t const_bytes = 0;
  std::uint32_t registers = 0;      ///< an estimate, 16 to 255
  std::uint32_t max_threads = 1024; ///< by .maxntid, .reqntid
  std::uint32_t required_threads[3] = {0, 0, 0};
  std::uint32_t required_cluster[3] = {0, 0, 0}; ///< by .reqnctapercluster
  bool has_cluster_barrier = false;              ///< its blocks are clusters in any case
  bool needs_cluster = false;                    ///< .explicitcluster: launches give its size
  std::uint32_t most_blocks_of_cluster = 0;      ///< by .maxclusterrank; 0: not limited
};

/// A kernel made ready: its layout of shared memory, and the addresses that its code sees.
struct PreparedKernel {

  ptx::Reachable reachable;
  KernelFacts facts;
  /// Warp::variables: by index in Program::variables, the generic address of a variable, or its
  /// offset in the block's shared memory.
  std::vector<std::uint64_t> variables;
  std::string verification_error; ///< why it cannot be executed; empty if it can
};
/// `addresses` are those of the program's variables.
[[nodiscard]] PreparedKernel prepare_kernel(const ptx::Program& program, std::uint32_t kernel,
                                            const std::vector<std::uint64_t>& addresses);

} // namespace gantry::simt::exec
