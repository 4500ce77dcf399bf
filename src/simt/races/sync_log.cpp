#include "simt/races/sync_log.h"

#include <algorithm>
#include <iterator>

namespace gantry::simt {

namespace {

/// The last of a list by position that is before `end`; null if none is.
template <typename List, typename Position>
auto last_before(const List& list, std::uint32_t end, const Position& position) {
  const auto after = std::ranges::lower_bound(list, end, {}, position);
  return after == list.begin() ? nullptr : &*std::prev(after);
}

} // namespace

void BlockClock::raise_all(Stamp to) {
  if (to > all_) {
    all_ = to;
    later_.remove_up_to(to);
  }
}

void BlockClock::raise(std::uint32_t thread, Stamp to) {
  if (to > all_) {
    later_.raise(thread, to);
  }
}

void BlockClock::merge(const BlockClock& other) {
  later_.merge(other.later_);
  all_ = std::max(all_, other.all_);
  later_.remove_up_to(all_);
}

void BlockClock::shorten(std::size_t most) {
  const auto& entries = later_.entries();
  if (entries.size() > most) {
    raise_all(std::ranges::max(entries, {}, &std::pair<std::uint32_t, Stamp>::second).second);
  }
}

void SyncLog::append(Stamp block, const BlockClock& clock, const Acquisitions* acquired) {
  const std::lock_guard lock(mutex_);
  std::vector<Release>& releases = by_block_[block];
  Release release{length_, clock};
  if (!releases.empty()) {
    release.clock.merge(releases.back().clock);
  }
  releases.push_back(std::move(release));
  ++kept_;
  if (acquired != nullptr) {
    for (const auto& [log, length] : acquired->all()) {
      auto& lengths = through_[log];
      if (log != this && (lengths.empty() || lengths.back().second < length)) {
        lengths.emplace_back(length_, length);
        ++kept_;
      }
    }
  }
  ++length_;
  if (kept_ > most_) {
    shorten();
  }
}

void SyncLog::shorten() {
  kept_ = 0;
  for (auto& [block, releases] : by_block_) {
    releases.erase(releases.begin(), std::prev(releases.end()));
    releases.back().position = 0;
    ++kept_;
  }
  for (auto& [log, lengths] : through_) {
    if (!lengths.empty()) {
      lengths = {{0, lengths.back().second}};
      ++kept_;
    }
  }
  most_ = std::max(kReleasesKept, 2 * kept_);
}

std::uint32_t SyncLog::length() const {
  const std::lock_guard lock(mutex_);
  return length_;
}

bool SyncLog::covers(std::uint32_t length, Stamp block, std::uint32_t thread, Stamp time,
                     std::vector<std::pair<const SyncLog*, std::uint32_t>>& further) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_block_.find(block); found != by_block_.end()) {
    const Release* const release = last_before(found->second, length, &Release::position);
    if (release != nullptr &&
        (thread == Acquisitions::kAllThreads ? release->clock.all() : release->clock.of(thread)) >=
            time) {
      return true;
    }
  }
  for (const auto& [log, lengths] : through_) {
    const auto* const last =
        last_before(lengths, length, &std::pair<std::uint32_t, std::uint32_t>::first);
    if (last != nullptr) {
      further.emplace_back(log, last->second);
    }
  }
  return false;
}

bool Acquisitions::cover(Stamp block, std::uint32_t thread, Stamp time) const {
  std::vector<std::pair<const SyncLog*, std::uint32_t>> further(all().begin(), all().end());
  std::unordered_map<const SyncLog*, std::uint32_t> seen;
  while (!further.empty()) {
    const auto [log, length] = further.back();
    further.pop_back();
    std::uint32_t& before = seen[log];
    if (length <= before) {
      continue;
    }
    before = length;
    if (log->covers(length, block, thread, time, further)) {
      return true;
    }
  }
  return false;
}

SyncLog* SyncLogs::find(std::uint64_t address) const {
  const Shard& shard = shards_[shard_of(address)];
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.logs.find(address);
  return found == shard.logs.end() ? nullptr : found->second.get();
}

SyncLog& SyncLogs::at(std::uint64_t address) {
  Shard& shard = shards_[shard_of(address)];
  const std::lock_guard lock(shard.mutex);
  std::unique_ptr<SyncLog>& log = shard.logs[address];
  if (!log) {
    log = std::make_unique<SyncLog>();
  }
  return *log;
}

void SyncLogs::clear() {
  for (Shard& shard : shards_) {
    shard.logs.clear();
  }
}

} // namespace gantry::simt
