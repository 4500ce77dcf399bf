// One thread's place in a profile: where its next record comes, and which texts it has written.
#pragma once

#include "profile/record.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gantry::core {

/// The numbers of what a writer has written already. What was used least lately may be forgotten,
/// and is written again then.
class WrittenTexts {
public:
  /// The number for `key`; 0 if there is none.
  [[nodiscard]] std::uint32_t find(std::uint64_t key) const {
    for (const Entry& entry : sets_[key % kSets]) {
      if (entry.key == key && entry.number != 0) {
        return entry.number;
      }
    }
    return 0;
  }
  void insert(std::uint64_t key, std::uint32_t number) {
    auto& set = sets_[key % kSets];
    std::memmove(&set[1], &set[0], (kWays - 1) * sizeof(Entry));
    set[0] = {key, number};
  }
  void clear() { sets_ = {}; }

private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t number = 0;
  };
  static constexpr std::size_t kSets = 256;
  static constexpr std::size_t kWays = 4;
  std::array<std::array<Entry, kWays>, kSets> sets_{};
};

/// One thread at a time uses it.
struct Writer {
  std::uint64_t number = 0;
  /// The next record's place and the end of the block; both null: a block is needed.
  std::byte* next = nullptr;
  std::byte* end = nullptr;
  /// Which file the block is in, and since which change of what is loaded the texts are known.
  std::uint64_t file = 0;
  std::uint64_t loaded = 0;
  std::int64_t last_time = 0;
  WrittenTexts texts;
  Writer* next_idle = nullptr;

  [[nodiscard]] bool has_room(std::size_t size) const {
    return static_cast<std::size_t>(end - next) >= size;
  }

  /// Writes a record into the block, in which there is room.
  template <typename Record>
  void put(const Record& record) {
    static_assert(sizeof(Record) % sizeof(std::uint64_t) == 0);
    std::byte* const place = next;
    next += sizeof(Record);
    std::uint64_t head = 0;
    std::memcpy(&head, &record, sizeof head);
    std::memcpy(place + sizeof head, reinterpret_cast<const std::byte*>(&record) + sizeof head,
                sizeof(Record) - sizeof head);
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place))
        .store(head, std::memory_order_release);
  }
};

} // namespace gantry::core
