#include "simt/exec/race_checker.h"

#include <algorithm>

namespace gantry::simt::exec {

void RaceChecker::begin() {
  chunks_.clear();
  last_ = nullptr;
}

void RaceChecker::forget(std::uint64_t address, std::uint64_t size) {
  for (std::uint64_t at = address & ~std::uint64_t{3}; at < address + size; at += 4) {
    if (chunks_.contains(at / kChunk)) {
      word_at(at) = {};
    } else {
      at = (at / kChunk + 1) * kChunk - 4;
    }
  }
}

RaceChecker::Word& RaceChecker::word_at(std::uint64_t address) {
  const std::uint64_t number = address / kChunk;
  if (last_ == nullptr || number != last_chunk_) {
    std::unique_ptr<Chunk>& chunk = chunks_[number];
    if (!chunk) {
      chunk = std::make_unique<Chunk>();
    }
    last_ = chunk.get();
    last_chunk_ = number;
  }
  return (*last_)[address % kChunk / 4];
}

std::optional<Race> RaceChecker::access(std::uint32_t thread, std::uint64_t address,
                                        std::uint32_t size, const AccessFacts& facts, Site site) {
  const std::uint64_t end = address + size;
  for (std::uint64_t at = address; at < end;) {
    Word& word = word_at(at);
    const bool whole = at % 4 == 0 && end - at >= 4;
    if (whole && !word.bytes) {
      if (const auto race = check(word.whole, thread, facts, site)) {
        return race;
      }
      at += 4;
      continue;
    }
    if (!word.bytes) {
      word.bytes = std::make_unique<std::array<Record, 4>>();
      word.bytes->fill(word.whole);
      word.whole = {};
    }
    if (const auto race = check((*word.bytes)[at % 4], thread, facts, site)) {
      return race;
    }
    ++at;
  }
  return std::nullopt;
}

std::optional<Race> RaceChecker::check(Record& record, std::uint32_t thread,
                                       const AccessFacts& facts, Site site) {
  const bool same_instruction = record.write_instruction == instruction_ && facts.writes;
  if (record.written.time != 0 && !same_instruction && !(facts.strong && record.written_strongly) &&
      !ordering_->is_before(record.written, thread)) {
    return Race{record.written.thread, record.write_site, true};
  }
  if (!facts.writes) {
    add(facts.strong ? record.strong_reads : record.weak_reads, {ordering_->now(thread), site});
    return std::nullopt;
  }
  const Read* read = unordered(record.weak_reads, thread);
  if (read == nullptr && !facts.strong) {
    read = unordered(record.strong_reads, thread);
  }
  if (read != nullptr) {
    return Race{read->moment.thread, read->site, false};
  }
  record.written = ordering_->now(thread);
  record.written_strongly = facts.strong;
  record.write_instruction = instruction_;
  record.write_site = site;
  record.weak_reads.clear();
  record.strong_reads.clear();
  return std::nullopt;
}

const RaceChecker::Read* RaceChecker::unordered(const Reads& reads, std::uint32_t thread) const {
  const auto found = std::ranges::find_if(
      reads, [&](const Read& read) { return !ordering_->is_before(read.moment, thread); });
  return found == reads.end() ? nullptr : &*found;
}

void RaceChecker::add(Reads& reads, const Read& read) {
  const std::uint32_t thread = read.moment.thread;
  // After a barrier the first reader stands for all before it.
  if (!reads.empty() && ordering_->is_before(reads.front().moment, thread)) {
    std::erase_if(reads,
                  [&](const Read& other) { return ordering_->is_before(other.moment, thread); });
  }
  const auto place =
      reads.empty() || reads.back().moment.thread < thread
          ? reads.end()
          : std::ranges::lower_bound(
                reads, thread, {}, [](const Read& other) { return other.moment.thread; });
  if (place != reads.end() && place->moment.thread == thread) {
    *place = read;
  } else {
    reads.insert(place, read);
  }
}

} // namespace gantry::simt::exec
