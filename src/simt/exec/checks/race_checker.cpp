#include "simt/exec/checks/race_checker.h"

#include <algorithm>

namespace gantry::simt::exec {

void RaceChecker::begin() {
  for (auto& [number, chunk] : chunks_) {
    if (free_.size() == kChunksKept) {
      break;
    }
    free_.push_back(std::move(chunk));
  }
  chunks_.clear();
  last_ = nullptr;
}

void RaceChecker::forget(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t begin = address & ~std::uint64_t{3};
  const std::uint64_t end = address + size;
  if (size / kChunk > chunks_.size()) {
    // The range has more chunks than are known.
    for (auto& [number, chunk] : chunks_) {
      for (std::uint64_t word = 0; word < chunk->size(); ++word) {
        const std::uint64_t at = number * kChunk + word * 4;
        if (at >= begin && at < end) {
          (*chunk)[word] = {};
        }
      }
    }
    return;
  }
  for (std::uint64_t at = begin; at < end; at += 4) {
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
    if (!chunk && free_.empty()) {
      chunk = std::make_unique<Chunk>();
    } else if (!chunk) {
      chunk = std::move(free_.back());
      free_.pop_back();
      for (Word& word : *chunk) {
        word = {};
      }
    }
    last_ = chunk.get();
    last_chunk_ = number;
  }
  return (*last_)[address % kChunk / 4];
}

RaceChecker::Record RaceChecker::copy_of(const Record& record) {
  const auto copy = [](const Reads& reads) {
    return Reads{reads.one,
                 reads.list ? std::make_unique<std::vector<Read>>(*reads.list) : nullptr};
  };
  return {record.written,
          record.written_strongly,
          record.write_instruction,
          record.write_site,
          copy(record.weak_reads),
          record.strong_reads ? std::make_unique<Reads>(copy(*record.strong_reads)) : nullptr};
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
      for (Record& byte : *word.bytes) {
        byte = copy_of(word.whole);
      }
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
    if (facts.strong && !record.strong_reads) {
      record.strong_reads = std::make_unique<Reads>();
    }
    add(facts.strong ? *record.strong_reads : record.weak_reads, {ordering_->now(thread), site});
    return std::nullopt;
  }
  const Read* read = unordered(record.weak_reads, thread);
  if (read == nullptr && !facts.strong && record.strong_reads) {
    read = unordered(*record.strong_reads, thread);
  }
  if (read != nullptr) {
    return Race{read->moment.thread, read->site, false};
  }
  record.written = ordering_->now(thread);
  record.written_strongly = facts.strong;
  record.write_instruction = instruction_;
  record.write_site = site;
  record.weak_reads.clear();
  record.strong_reads.reset();
  return std::nullopt;
}

const RaceChecker::Read* RaceChecker::unordered(const Reads& reads, std::uint32_t thread) const {
  const auto is_unordered = [&](const Read& read) {
    return !ordering_->is_before(read.moment, thread);
  };
  if (!reads.list) {
    return reads.one.moment.time != 0 && is_unordered(reads.one) ? &reads.one : nullptr;
  }
  const auto found = std::ranges::find_if(*reads.list, is_unordered);
  return found == reads.list->end() ? nullptr : &*found;
}

void RaceChecker::add(Reads& reads, const Read& read) {
  if (reads.list) {
    add_to_list(*reads.list, read);
  } else if (reads.one.moment.time == 0 ||
             ordering_->is_before(reads.one.moment, read.moment.thread)) {
    reads.one = read;
  } else {
    reads.list = std::make_unique<std::vector<Read>>(1, reads.one);
    reads.one = {};
    add_to_list(*reads.list, read);
  }
}

void RaceChecker::add_to_list(std::vector<Read>& list, const Read& read) {
  const std::uint32_t thread = read.moment.thread;
  // After a barrier the first reader stands for all before it.
  if (!list.empty() && ordering_->is_before(list.front().moment, thread)) {
    std::erase_if(list,
                  [&](const Read& other) { return ordering_->is_before(other.moment, thread); });
  }
  const auto place =
      list.empty() || list.back().moment.thread < thread
          ? list.end()
          : std::ranges::lower_bound(
                list, thread, {}, [](const Read& other) { return other.moment.thread; });
  if (place != list.end() && place->moment.thread == thread) {
    *place = read;
  } else if (list.size() < kReadsKept) {
    list.insert(place, read);
  }
}

} // namespace gantry::simt::exec
