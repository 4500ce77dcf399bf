#include "simt/exec/blocks/cluster.h"

#include <utility>

namespace gantry::simt::exec {

Block* Cluster::neighbour_at(std::uint64_t address) const {
  const std::uint64_t rank = (address - blocks.front()->shared) / kSharedStride;
  return rank < blocks.size() ? blocks[rank] : nullptr;
}

Block* Cluster::owner_of(std::uint64_t address, std::uint64_t size) const {
  Block* const block = neighbour_at(address);
  if (block == nullptr || block->warps_alive == 0) {
    return nullptr;
  }
  const std::uint64_t into = address - block->shared;
  return into < block->shared_size && block->shared_size - into >= size ? block : nullptr;
}

void Cluster::begin(std::vector<Block*> all) {
  blocks = std::move(all);
  phase = 0;
  arrived_.assign(blocks.size(), {});
  pledged_.assign(blocks.size(), {});
}

std::string_view Cluster::arrive(const Block& block, std::uint32_t warp, LaneMask lanes) {
  LaneMask& pledged = pledged_[block.rank][warp];
  if ((pledged & lanes) != 0) {
    return "a thread arrives a second time before it has waited";
  }
  pledged |= lanes;
  arrived_[block.rank][warp] |= lanes;
  ++blocks[block.rank]->progress;
  settle();
  return {};
}

bool Cluster::take(const Block& block, std::uint32_t warp, LaneMask lanes) {
  if ((arrived_[block.rank][warp] & lanes) != 0) {
    return false;
  }
  pledged_[block.rank][warp] &= ~lanes;
  return true;
}

void Cluster::settle() {
  bool somebody = false;
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    const Block& block = *blocks[rank];
    for (std::uint32_t warp = 0; warp < block.warps; ++warp) {
      if ((block.alive[warp] & ~arrived_[rank][warp]) != 0) {
        return;
      }
      somebody |= arrived_[rank][warp] != 0;
    }
  }
  if (!somebody) {
    return;
  }
  ++phase;
  arrived_.assign(blocks.size(), {});
  for (Block* const block : blocks) {
    ++block->progress;
  }
}

std::uint64_t Cluster::token(bool current) const {
  const std::uint32_t which = current ? phase : phase - 1;
  return blocks.front()->shared + kSharedWindow + std::uint64_t{8} * (which & 1);
}

} // namespace gantry::simt::exec
