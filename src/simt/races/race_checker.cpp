#include "simt/races/race_checker.h"

#include <algorithm>
#include <utility>

namespace gantry::simt {

namespace {

constexpr std::uint32_t kAllBytes = 0xF;

Cell load(const std::uint64_t* place) {
  return Cell(__atomic_load_n(place, __ATOMIC_RELAXED));
}

/// False if the place has changed. What is read behind it is what other threads have written
/// before.
bool replace(std::uint64_t* place, Cell before, Cell after) {
  std::uint64_t expected = before.bits();
  return __atomic_compare_exchange_n(place, &expected, after.bits(), false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_RELAXED);
}

} // namespace

void RaceChecker::begin(std::shared_ptr<const GridRun> run, AccessOrder order, std::uint64_t shared,
                        std::uint64_t shared_size) {
  if (run != run_) {
    known_reads_.fill({}); // stamps may have begun anew
  }
  run_ = std::move(run);
  fine_ = order == AccessOrder::kFinely;
  shared_ = shared;
  shared_size_ = shared_size;
  in_shared_.words.clear();
}

void RaceChecker::forget(std::uint64_t address, std::uint64_t size) {
  // Where a word has a history, its cells lead to it; without them it begins anew.
  known_reads_.fill({});
  const std::uint64_t end = address + size;
  for (std::uint64_t word = address & ~std::uint64_t{3}; word < end; word += 4) {
    const bool is_listed =
        cells_->covers(word) && is_current_list(load(cells_->write(word)), is_shared(word));
    if (is_listed) {
      WordHistories::Shard& shard = shard_of(word, is_shared(word));
      const std::lock_guard lock(shard.mutex);
      shard.words.erase(word);
    }
  }
  cells_->clear(address, size);
}

Cell RaceChecker::last_write(std::uint64_t address) {
  const std::uint64_t word = address & ~std::uint64_t{3};
  const auto byte = static_cast<unsigned>(address - word);
  Cell write;
  if (cells_->covers(word)) {
    write = load(cells_->write(word));
    if (!is_current_list(write, is_shared(word))) {
      return write.parts() != 0 ? write.of_byte(byte) : write;
    }
  }
  WordHistories::Shard& shard = shard_of(word, is_shared(word));
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.words.find(word);
  if (found == shard.words.end()) {
    return {};
  }
  const WordHistory& history = found->second;
  return history.bytes ? (*history.bytes)[byte].write : history.whole.write;
}

CellKind RaceChecker::kind_of(const AccessFacts& facts) const {
  return !facts.strong        ? CellKind::kWeak
         : facts.beyond_block ? CellKind::kStrong
                              : CellKind::kStrongInBlock;
}

std::optional<Race> RaceChecker::access(const ThreadAccess& access) {
  return access_words(access, kind_of(access.facts), access.thread);
}

std::optional<Race> RaceChecker::access_by_several(const ThreadAccess& access,
                                                   std::uint32_t other_thread) {
  if (fine_ || access.facts.strong || ordering_->same(access.thread, other_thread)) {
    if (auto race = access_words(access, kind_of(access.facts), access.thread)) {
      return race;
    }
    ThreadAccess other = access;
    other.thread = other_thread;
    return access_words(other, kind_of(access.facts), other_thread);
  }
  return access_words(access, CellKind::kSeveral, other_thread);
}

std::optional<Race> RaceChecker::access_words(const ThreadAccess& access, CellKind kind,
                                              std::uint32_t also) {
  const WordAccess here{access.thread,
                        also,
                        access.facts,
                        Cell(ordering_->now(), access.site, access.thread, kind),
                        is_shared(access.address),
                        access.address};
  const std::uint64_t end = access.address + access.size;
  for (std::uint64_t word = access.address & ~std::uint64_t{3}; word < end; word += 4) {
    const std::uint64_t from = std::max(word, access.address) - word;
    const std::uint64_t to = std::min(word + 4, end) - word;
    const auto bytes = static_cast<std::uint32_t>(((1U << to) - 1) & ~((1U << from) - 1));
    if (auto race = access_word(word, bytes, here)) {
      return race;
    }
  }
  return std::nullopt;
}

/// Whether what the cell says happens before the access.
bool RaceChecker::is_before(Cell cell, const WordAccess& access) const {
  const Stamp time = cell.stamp();
  if (const unsigned parts = cell.parts(); parts != 0) {
    for (unsigned part = 0; part < parts; ++part) {
      if (!is_before(cell.of_byte(part * 4 / parts), access)) {
        return false;
      }
    }
    return true;
  }
  if (ordering_->owns(time)) {
    const auto is_before_thread = [&](std::uint32_t thread) {
      return ordering_->is_before(cell.thread(), time, thread);
    };
    return cell.is_of_one() ? is_before_thread(access.thread) &&
                                  (access.also == access.thread || is_before_thread(access.also))
                            : ordering_->all_before(time);
  }
  if (time == run_->own_stamp()) {
    return false;
  }
  GridHistory::Owner owner;
  if (run_->stamps.contains(time)) {
    owner.block = run_->of_block(run_->block_at(time)).begin;
  } else if (auto found = history_->owner_of(time)) {
    owner = *std::move(found);
    if (owner.run->is_before(*run_)) {
      return true;
    }
  } else {
    return true;
  }
  const bool of_launch =
      cell.kind() == CellKind::kSeveralBlocks || cell.kind() == CellKind::kStrongSeveralBlocks;
  return !of_launch &&
         ordering_->is_before(owner.block,
                              cell.is_of_one() ? cell.thread() : Acquisitions::kAllThreads, time,
                              access.thread);
}

/// Whether the cell says nothing about this block's time.
bool RaceChecker::is_stale(Cell cell, bool shared) const {
  return cell.is_empty() || cell.stamp() < run_->floor || cell.is_listed() ||
         (shared && !of_block(cell));
}

/// Whether the cell is of parts of the word that have to be looked at one by one.
bool RaceChecker::is_of_parts(Cell cell, const WordAccess& access) const {
  return cell.parts() != 0 && !is_stale(cell, access.shared) && !is_before(cell, access);
}

/// Whether the access of the cell and this one are a race, if one of the two writes.
bool RaceChecker::conflicts(Cell cell, const WordAccess& access) const {
  if (is_stale(cell, access.shared)) {
    return false;
  }
  if (access.facts.strong && cell.is_strong()) {
    const bool both_wide = access.facts.beyond_block && cell.kind() != CellKind::kStrongInBlock;
    if (both_wide || access.shared || of_block(cell)) {
      return false;
    }
  }
  if (is_before(cell, access)) {
    return false;
  }
  const bool is_observed = cell.kind() == CellKind::kStrong && !access.shared && !of_block(cell) &&
                           ordering_->has_observed(access.address, access.thread);
  return !is_observed;
}

/// Whether the word has a history that counts.
bool RaceChecker::is_current_list(Cell cell, bool shared) const {
  return cell.is_listed() &&
         (shared ? cell.stamp() == ordering_->block() : cell.stamp() >= run_->floor);
}

/// Says that the word's history counts.
Cell RaceChecker::list_cell(bool shared) const {
  return {shared ? ordering_->block() : run_->own_stamp(), 0, 0, CellKind::kListed};
}

/// Whether the access, to a word with a history, is a read that is in it. Remembers it if not: it
/// is put there now.
bool RaceChecker::is_known_read(std::uint64_t word, std::uint32_t bytes, const WordAccess& access) {
  KnownRead& known =
      known_reads_[(word / 4 + std::uint64_t{access.thread} * 31) % known_reads_.size()];
  if (access.facts.writes || access.facts.strong) {
    known = {};
    return false;
  }
  const KnownRead read{word | std::uint64_t{bytes} << 60,
                       access.cell.bits() & (Cell::kStampMask | Cell::kThreadMask)};
  return std::exchange(known, read) == read;
}

/// The cell of reads after another one; nothing if a cell cannot say it.
std::optional<Cell> RaceChecker::after_read(Cell reads, const WordAccess& access) const {
  const Cell mine = access.cell;
  if (is_stale(reads, access.shared)) {
    return mine;
  }
  // A weak read races with all that a strong one races with, and with atomic operations.
  const bool loses = !reads.is_strong() && mine.is_strong();
  const bool in_block = of_block(reads);
  if (reads.stamp() == mine.stamp() && reads.is_of_one() && mine.is_of_one() &&
      ordering_->same(reads.thread(), access.thread)) {
    return loses || reads.kind() == mine.kind()    ? std::optional(reads)
           : reads.is_strong() && mine.is_strong() ? std::nullopt
                                                   : std::optional(mine);
  }
  if (is_before(reads, access)) {
    return loses ? std::nullopt : std::optional(mine);
  }
  if (fine_ || reads.is_strong() != mine.is_strong() || reads.kind() == CellKind::kStrongInBlock ||
      mine.kind() == CellKind::kStrongInBlock) {
    return std::nullopt;
  }
  const bool strong = mine.is_strong();
  const CellKind kind = in_block ? (strong ? CellKind::kStrongSeveral : CellKind::kSeveral)
                        : strong ? CellKind::kStrongSeveralBlocks
                                 : CellKind::kSeveralBlocks;
  const Stamp stamp = in_block ? ordering_->now() : run_->own_stamp();
  return reads.kind() == kind && reads.stamp() == stamp ? reads : mine.as(kind, stamp);
}

std::optional<Race> RaceChecker::access_word(std::uint64_t word, std::uint32_t bytes,
                                             const WordAccess& access) {
  if (!cells_->covers(word)) {
    return access_history(word, bytes, access, false);
  }
  std::uint64_t* const write_place = cells_->write(word);
  std::uint64_t* const read_place = cells_->read(word);
  for (;;) {
    const Cell write = load(write_place);
    const Cell reads = load(read_place);
    if (bytes != kAllBytes || is_current_list(write, access.shared) ||
        is_current_list(reads, access.shared) || is_of_parts(write, access) ||
        is_of_parts(reads, access)) {
      const bool is_known =
          is_known_read(word, bytes, access) && is_current_list(write, access.shared);
      return is_known ? std::nullopt : access_history(word, bytes, access, true);
    }
    if (conflicts(write, access)) {
      return Race{write, true};
    }
    if (!access.facts.writes) {
      const std::optional<Cell> after = after_read(reads, access);
      if (!after) {
        return access_history(word, bytes, access, true);
      }
      if (*after == reads || (replace(read_place, reads, *after) && load(write_place) == write)) {
        return std::nullopt;
      }
      continue;
    }
    if (conflicts(reads, access)) {
      return Race{reads, false};
    }
    if (write == access.cell ||
        (replace(write_place, write, access.cell) && load(read_place) == reads)) {
      return std::nullopt;
    }
  }
}

// The history is what counts from now on; until then it is what the cells said.
void RaceChecker::move_cells(std::uint64_t word, WordHistory& history, const WordAccess& access) {
  const Cell list = list_cell(access.shared);
  const auto take = [&](std::uint64_t* place) {
    const Cell before(__atomic_exchange_n(place, list.bits(), __ATOMIC_SEQ_CST));
    // What happens before this access may not happen before the next one.
    const bool counts = !before.is_listed() && (!access.shared || of_block(before));
    return counts ? before : Cell();
  };
  const Cell write = take(cells_->write(word));
  const Cell reads = take(cells_->read(word));
  const auto give = [&](AccessRecord& record, unsigned byte) {
    const auto of_byte = [&](Cell cell) { return cell.parts() != 0 ? cell.of_byte(byte) : cell; };
    if (!write.is_empty()) {
      record.write = of_byte(write);
    }
    if (!reads.is_empty()) {
      record.reads.push_back(of_byte(reads));
    }
  };
  if (write.parts() != 0 || reads.parts() != 0) {
    history.split();
  }
  if (!history.bytes) {
    give(history.whole, 0);
    return;
  }
  for (unsigned byte = 0; byte < 4; ++byte) {
    give((*history.bytes)[byte], byte);
  }
}

std::optional<Race> RaceChecker::access_history(std::uint64_t word, std::uint32_t bytes,
                                                const WordAccess& access, bool has_cells) {
  WordHistories::Shard& shard = shard_of(word, access.shared);
  const std::lock_guard lock(shard.mutex);
  WordHistory& history = shard.words[word];
  if (has_cells) {
    const Cell list = list_cell(access.shared);
    if (load(cells_->write(word)) != list || load(cells_->read(word)) != list) {
      move_cells(word, history, access);
    }
  }
  if (bytes == kAllBytes && !history.bytes) {
    return access_record(history.whole, access);
  }
  history.split();
  for (unsigned byte = 0; byte < 4; ++byte) {
    if ((bytes >> byte & 1) != 0) {
      if (auto race = access_record((*history.bytes)[byte], access)) {
        return race;
      }
    }
  }
  return std::nullopt;
}

std::optional<Race> RaceChecker::access_record(AccessRecord& record, const WordAccess& access) {
  if (conflicts(record.write, access)) {
    return Race{record.write, true};
  }
  if (!access.facts.writes) {
    add_read(record, access);
    return std::nullopt;
  }
  const auto conflict =
      std::ranges::find_if(record.reads, [&](const Cell& read) { return conflicts(read, access); });
  if (conflict != record.reads.end()) {
    return Race{*conflict, false};
  }
  record.write = access.cell;
  record.reads.clear();
  return std::nullopt;
}

void RaceChecker::add_read(AccessRecord& record, const WordAccess& access) const {
  const Cell mine = access.cell;
  std::vector<Cell>& reads = record.reads;
  // A later read stands for one that happens before it, unless that races with more.
  const auto is_replaced = [&](const Cell& read) {
    return (read.is_strong() || !mine.is_strong()) && is_before(read, access);
  };
  for (const Cell& read : reads) {
    if (read.as(CellKind::kWeak, read.stamp()).bits() ==
            mine.as(CellKind::kWeak, mine.stamp()).bits() &&
        read.kind() == mine.kind()) {
      return;
    }
  }
  if (!reads.empty() && (reads.size() == AccessRecord::kReadsKept || is_replaced(reads.front()) ||
                         is_replaced(reads.back()))) {
    std::erase_if(reads, is_replaced);
  }
  if (reads.size() < AccessRecord::kReadsKept) {
    reads.push_back(mine);
  }
}

} // namespace gantry::simt
