// Finds data races between the threads of a block, in shared and in global memory: two accesses to
// the same bytes, one of them a write, of which neither happens before the other (ordering.h) and
// not both are strong (PTX ISA 9.0, 8.7). The result does not depend on the order in which the
// warps ran, as long as they execute the same instructions.
//
// Writes of a warp's lanes by one instruction do not race with each other: one of them wins. Not
// found are races between blocks, and races in global memory of programs for targets before sm_70,
// which do not mark strong accesses.
#pragma once

#include "simt/exec/checks/access_facts.h"
#include "simt/exec/checks/ordering.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace gantry::simt::exec {

/// The access that another one races with.
struct Race {
  std::uint32_t thread = 0; ///< as Ordering counts
  Site site = 0;
  bool wrote = false;
};

class RaceChecker {
public:
  /// `ordering` outlives this.
  explicit RaceChecker(const Ordering& ordering) : ordering_(&ordering) {}

  /// A new block: nothing has been accessed.
  void begin();
  /// Forgets all accesses to [address, address + size).
  void forget(std::uint64_t address, std::uint64_t size);

  /// Called before the accesses of each instruction.
  void next_instruction() { ++instruction_; }
  /// A thread accesses `size` bytes at a generic address. Returns the first access found that it
  /// races with.
  [[nodiscard]] std::optional<Race> access(std::uint32_t thread, std::uint64_t address,
                                           std::uint32_t size, const AccessFacts& facts, Site site);

private:
  struct Read {
    Moment moment;
    Site site = 0;
  };
  /// The last read of each thread, without reads that happen before a later one: none, one, or a
  /// list sorted by thread.
  struct Reads {
    Read one; ///< time 0: none, unless there is a list
    std::unique_ptr<std::vector<Read>> list;

    void clear() {
      one = {};
      list.reset();
    }
  };
  /// What has happened to a word of 4 bytes, or, where parts of one were accessed, to a byte.
  struct Record {
    Moment written; ///< time 0: never
    bool written_strongly = false;
    std::uint64_t write_instruction = 0;
    Site write_site = 0;
    Reads weak_reads;
    std::unique_ptr<Reads> strong_reads; ///< null: none
  };
  struct Word {
    Record whole;
    std::unique_ptr<std::array<Record, 4>> bytes;
  };
  static constexpr std::uint64_t kChunk = 256; ///< bytes
  using Chunk = std::array<Word, kChunk / 4>;
  static constexpr std::size_t kChunksKept = 4096;
  /// Reads kept of each word. A write that is not ordered with one of so many readers is hardly
  /// ordered with the ones that are kept.
  static constexpr std::size_t kReadsKept = 64;

  [[nodiscard]] Word& word_at(std::uint64_t address);
  [[nodiscard]] std::optional<Race> check(Record& record, std::uint32_t thread,
                                          const AccessFacts& facts, Site site);
  [[nodiscard]] static Record copy_of(const Record& record);
  void add(Reads& reads, const Read& read);
  void add_to_list(std::vector<Read>& list, const Read& read);
  [[nodiscard]] const Read* unordered(const Reads& reads, std::uint32_t thread) const;

  const Ordering* ordering_;
  std::uint64_t instruction_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Chunk>> chunks_; ///< by address / kChunk
  std::vector<std::unique_ptr<Chunk>> free_;
  std::uint64_t last_chunk_ = ~std::uint64_t{0};
  Chunk* last_ = nullptr;
};

} // namespace gantry::simt::exec
