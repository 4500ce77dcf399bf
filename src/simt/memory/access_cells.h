// Where the race check keeps what it knows of the arena's words (GANTRY_SIMT_CHECK=race): for each
// 4 bytes two numbers of 64 bits, one of the last write and one of the reads since. What they mean
// is checks/cell.h's. The two lie apart, so that memory which is only read, or only written, has
// one of them. Zero until it is written; takes memory as it is used.
//
// All functions may be called from any thread.
#pragma once

#include <cstdint>
#include <memory>

namespace gantry::simt {

class AccessCells {
public:
  /// Behind the last and in front of the first cell there are so many that belong to nothing, for
  /// code that looks at those of a whole warp.
  static constexpr std::uint64_t kRoom = 512;

  /// For the arena [arena, arena + size). Null if the address space is too small.
  [[nodiscard]] static std::unique_ptr<AccessCells> reserve(std::uint64_t arena,
                                                            std::uint64_t size);
  ~AccessCells();
  AccessCells(const AccessCells&) = delete;
  AccessCells& operator=(const AccessCells&) = delete;

  [[nodiscard]] bool covers(std::uint64_t address) const { return address - arena_ < size_; }
  /// Of the word that a covered address is in.
  [[nodiscard]] std::uint64_t* write(std::uint64_t address) const {
    return writes_ + static_cast<std::int64_t>(address - arena_) / 4;
  }
  [[nodiscard]] std::uint64_t* read(std::uint64_t address) const {
    return reads_ + static_cast<std::int64_t>(address - arena_) / 4;
  }
  /// Makes the cells of all words that [address, address + size) touches zero.
  void clear(std::uint64_t address, std::uint64_t size);
  void clear_all();

private:
  AccessCells(std::uint64_t arena, std::uint64_t size, void* memory);

  std::uint64_t arena_, size_;
  std::byte* memory_;
  std::uint64_t* writes_; ///< of the arena's first word
  std::uint64_t* reads_;
};

} // namespace gantry::simt
