// A lane's access to a barrier in shared memory, with the checks that are made of it. Functions
// return the fault that ends the launch, because what they own must be destroyed before fail()
// abandons the stack.
#pragma once

#include "simt/exec/blocks/block.h"
#include "simt/exec/blocks/mbarrier.h"
#include "simt/exec/warp/async_operation.h"
#include "simt/exec/warp/fault.h"
#include "simt/exec/warp/warp.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace gantry::simt::exec {

/// The block whose shared memory has `size` bytes at `address`, as far as the warp may access it;
/// null if there is none.
[[nodiscard]] Block* block_with_shared(const Warp& warp, std::uint64_t address, std::uint64_t size,
                                       AsyncPlace place);

class SharedBarrier {
public:
  /// `address` is a generic one. `warp` outlives this.
  SharedBarrier(Warp& warp, unsigned lane, std::uint64_t address, AsyncPlace place, Site site)
      : warp_(&warp), lane_(lane), address_(address), place_(place), site_(site) {}

  [[nodiscard]] std::optional<Fault> init(std::uint64_t count);
  [[nodiscard]] std::optional<Fault> invalidate();
  /// `change` returns what is wrong. `before` becomes the barrier's word before it. With `releases`
  /// what the lane has done happens before what those do who wait for the phase.
  [[nodiscard]] std::optional<Fault>
  change(const std::function<std::string_view(Mbarrier&)>& change, bool releases,
         std::uint64_t& before);
  /// The other way round, with `acquires`, if the phase of that parity is over.
  [[nodiscard]] std::optional<Fault> test(bool parity, bool acquires, bool& is_over);
  [[nodiscard]] Fault wrong(std::string_view what, std::string_view hint = {}) const;

private:
  [[nodiscard]] std::optional<Fault> begin(AccessKind kind);
  [[nodiscard]] std::optional<Fault> read(Mbarrier& barrier);
  void write(std::uint64_t word) const;
  [[nodiscard]] std::uint32_t offset() const;

  Warp* warp_;
  unsigned lane_;
  std::uint64_t address_;
  AsyncPlace place_;
  Site site_;
  Block* owner_ = nullptr; ///< once begin() has succeeded
};

} // namespace gantry::simt::exec
