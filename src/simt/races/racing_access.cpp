#include "simt/races/racing_access.h"

namespace gantry::simt {

namespace {

std::array<std::uint32_t, 3> place_in(const std::array<std::uint32_t, 3>& size,
                                      std::uint64_t index) {
  return {static_cast<std::uint32_t>(index % size[0]),
          static_cast<std::uint32_t>(index / size[0] % size[1]),
          static_cast<std::uint32_t>(index / size[0] / size[1])};
}

} // namespace

RacingAccess racing_access(const RaceChecker& races, const Ordering& ordering, const Race& race) {
  const Cell cell = race.other;
  RacingAccess other;
  other.threads = cell.is_of_one() ? RacingAccess::Threads::kOne
                  : cell.kind() == CellKind::kSeveral || cell.kind() == CellKind::kStrongSeveral
                      ? RacingAccess::Threads::kSeveral
                      : RacingAccess::Threads::kSeveralBlocks;
  other.wrote = race.wrote;
  other.in_block = ordering.owns(cell.stamp());
  const GridRun* run = &races.run();
  const auto owner = GridHistory::instance().owner_of(cell.stamp());
  if (owner) {
    run = owner->run.get();
    other.block = place_in(run->shape.blocks, owner->index);
  }
  const RacingKernel& kernel = *run->shape.kernel;
  if (run->number != races.run().number) {
    other.kernel = kernel.name();
  }
  other.thread = place_in(run->shape.threads, ordering.first_of(cell.thread()));
  other.source = kernel.source(cell.site());
  other.position = kernel.position(cell.site());
  return other;
}

} // namespace gantry::simt
