#include "simt/races/grid_history.h"

#include "simt/memory/device_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gantry::simt {

namespace {

constexpr std::uint64_t kAllStamps = std::uint64_t{1} << 32;
/// From here on the cells are cleared, and stamps begin anew, once no launch is under way.
constexpr std::uint64_t kManyStamps = kAllStamps / 2;
/// Left for what blocks take while they run.
constexpr std::uint64_t kReserve = kAllStamps / 16;
/// Stamps of all blocks of a launch, if each has more than it needs.
constexpr std::uint64_t kManyForGrid = std::uint64_t{1} << 24;

/// Stamps that a block has from the beginning: one that stands for it, and its times.
std::uint32_t stride_of(AccessOrder order, std::uint64_t blocks) {
  const std::uint32_t wanted = order == AccessOrder::kNothing  ? 2
                               : order == AccessOrder::kFinely ? 64
                                                               : 32;
  return blocks * wanted > kManyForGrid ? 2 : wanted;
}

} // namespace

GridHistory& GridHistory::instance() {
  static GridHistory* const history = new GridHistory(); // as DeviceMemory
  return *history;
}

std::optional<StampRange> GridHistory::take(std::uint64_t count) {
  if (count > kAllStamps - next_) {
    return std::nullopt;
  }
  const auto begin = static_cast<Stamp>(next_);
  next_ += count;
  return StampRange{begin, static_cast<Stamp>(next_)};
}

void GridHistory::forget_all() {
  logs_.clear();
  words_.clear();
  if (next_ > kManyStamps) {
    next_ = 1;
    if (AccessCells* const cells = DeviceMemory::instance()->access_cells()) {
      cells->clear_all();
    }
  }
}

// Those that happen before, or after, all that have not ended.
void GridHistory::forget_ended() {
  std::erase_if(launches_, [&](const auto& entry) {
    const Launch& ended = entry.second;
    const bool counts = !ended.has_ended || std::ranges::any_of(launches_, [&](const auto& other) {
      return !other.second.has_ended && !are_ordered(*ended.run, *other.second.run);
    });
    if (!counts) {
      std::erase_if(ranges_, [&](const auto& range) { return range.second.run == ended.run; });
    }
    return !counts;
  });
}

GridHistory::Launch& GridHistory::add(const std::optional<LaunchPlace>& place,
                                      const IsAfter& is_after) {
  auto run = std::make_shared<GridRun>();
  run->number = announced_.fetch_add(1, std::memory_order_relaxed) + 1;
  for (const auto& [number, other] : launches_) {
    // Of a launch without a place only that it has begun says something, and only to those like it.
    const bool may_race = place && other.place
                              ? other.place->queue != place->queue && !is_after(*other.place)
                              : !place && !other.place && other.has_begun;
    if (!other.has_ended && may_race) {
      run->beside.insert(number);
    }
  }
  return launches_.emplace(run->number, Launch{run, place}).first->second;
}

std::uint64_t GridHistory::announce(const LaunchPlace& place, const IsAfter& is_after) {
  const std::lock_guard lock(mutex_);
  return add(place, is_after).run->number;
}

void GridHistory::withdraw(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = launches_.find(number);
  if (found != launches_.end() && !found->second.has_begun) {
    launches_.erase(found);
    forget_ended();
  }
}

std::shared_ptr<const GridRun> GridHistory::begin(GridShape shape, std::uint64_t number) {
  const std::uint64_t blocks = std::uint64_t{shape.blocks[0]} * shape.blocks[1] * shape.blocks[2];
  const std::lock_guard lock(mutex_);
  Launch& launch = number == 0 ? add(std::nullopt, {}) : launches_.at(number);
  GridRun& run = *launch.run;
  run.stride = stride_of(shape.order, blocks);
  run.shape = std::move(shape);
  if (std::ranges::none_of(launches_, [](const auto& other) { return other.second.has_begun; })) {
    forget_all();
  }
  if (blocks > kAllStamps / run.stride || next_ + blocks * run.stride + 1 + kReserve > kAllStamps) {
    launches_.erase(run.number);
    return nullptr;
  }
  launch.has_begun = true;
  run.stamps = *take(blocks * run.stride + 1);
  run.floor = run.stamps.begin;
  for (const auto& [other_number, other] : launches_) {
    if (other.has_begun && other_number != run.number && !are_ordered(*other.run, run)) {
      run.floor = std::min(run.floor, other.run->stamps.begin);
    }
  }
  ranges_.emplace(run.stamps.begin, Range{run.stamps.end, launch.run, std::nullopt});
  return launch.run;
}

void GridHistory::end(const GridRun& run) {
  const std::lock_guard lock(mutex_);
  launches_.at(run.number).has_ended = true;
  forget_ended();
}

StampRange GridHistory::more(const GridRun& run, Stamp block, std::uint32_t least) {
  const std::lock_guard lock(mutex_);
  const std::optional<StampRange> range = take(least);
  if (!range) {
    // What is ordered by the last stamps again and again hides races, and reports none.
    return {static_cast<Stamp>(kAllStamps - 1 - least), static_cast<Stamp>(kAllStamps - 1)};
  }
  ranges_.emplace(range->begin, Range{range->end, launches_.at(run.number).run, block});
  return *range;
}

std::optional<GridHistory::Owner> GridHistory::owner_of(Stamp stamp) const {
  const std::lock_guard lock(mutex_);
  const auto after = ranges_.upper_bound(stamp);
  if (after == ranges_.begin()) {
    return std::nullopt;
  }
  const auto& [begin, range] = *std::prev(after);
  if (stamp >= range.end) {
    return std::nullopt;
  }
  const GridRun& run = *range.run;
  const Stamp first = range.block ? *range.block : stamp;
  const std::uint64_t index = run.block_at(first);
  const Stamp block = first == run.own_stamp() ? first : run.of_block(index).begin;
  return Owner{range.run, block, index};
}

} // namespace gantry::simt
