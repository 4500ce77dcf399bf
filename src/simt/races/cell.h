// What the race check remembers of an access: 64 bits, for the last write and for the reads since
// of each word of 4 bytes (access_cells.h).
//
// A stamp is the time of the access. Each block has stamps of its own, which only grow
// (grid_history.h): it takes a new one whenever something orders its threads, so accesses with one
// stamp are those between two such events. Stamps say which block and which launch they are of.
#pragma once

#include <cstdint>

namespace gantry::simt {

using Stamp = std::uint32_t;

enum class CellKind : std::uint8_t {
  kWeak,          ///< an access of one thread
  kStrongInBlock, ///< a strong one, of block scope
  kStrong,        ///< a strong one, of a wider scope
  // Of reads alone, and only where full barriers are what orders threads (AccessOrder). The thread
  // is one of them.
  kSeveral,             ///< weak ones of several threads of a block
  kSeveralBlocks,       ///< … of several blocks; the stamp is the launch's
  kStrongSeveral,       ///< strong ones of several threads of a block
  kStrongSeveralBlocks, ///< … of several blocks, of a wider scope; the stamp is the launch's
  kListed,              ///< the word's history is in a WordHistories
  // Weak accesses to all bytes of the word, one by one, or two by two: the first by the thread, the
  // others by those that follow it.
  kBytes = 8, ///< these have the bit of Cell::kPartsMask
  kHalves,
};

class Cell {
public:
  static constexpr unsigned kStampShift = 32, kSiteShift = 14, kThreadShift = 4;
  static constexpr std::uint64_t kKindMask = 0xF;
  /// Set in the kinds that are of parts of a word.
  static constexpr std::uint64_t kPartsMask = 8;
  static constexpr std::uint64_t kThreadMask = std::uint64_t{0x3FF} << kThreadShift;
  static constexpr std::uint64_t kSiteMask = std::uint64_t{0x3'FFFF} << kSiteShift;
  static constexpr std::uint64_t kStampMask = ~std::uint64_t{0} << kStampShift;
  /// Stands for all sites from here on.
  static constexpr std::uint32_t kLastSite = kSiteMask >> kSiteShift;

  Cell() = default; ///< no access
  explicit Cell(std::uint64_t bits) : bits_(bits) {}
  /// `site` is a number of the kernel's RacingKernel, `thread` one in the block.
  Cell(Stamp stamp, std::uint32_t site, std::uint32_t thread, CellKind kind)
      : bits_(std::uint64_t{stamp} << kStampShift |
              std::uint64_t{site < kLastSite ? site : kLastSite} << kSiteShift |
              std::uint64_t{thread} << kThreadShift | static_cast<std::uint64_t>(kind)) {}

  [[nodiscard]] std::uint64_t bits() const { return bits_; }
  [[nodiscard]] bool is_empty() const { return bits_ == 0; }
  [[nodiscard]] Stamp stamp() const { return static_cast<Stamp>(bits_ >> kStampShift); }
  [[nodiscard]] std::uint32_t site() const {
    return static_cast<std::uint32_t>((bits_ & kSiteMask) >> kSiteShift);
  }
  [[nodiscard]] std::uint32_t thread() const {
    return static_cast<std::uint32_t>((bits_ & kThreadMask) >> kThreadShift);
  }
  [[nodiscard]] CellKind kind() const { return static_cast<CellKind>(bits_ & kKindMask); }

  [[nodiscard]] bool is_of_one() const { return kind() <= CellKind::kStrong; }
  /// How many threads it says accessed a part each; 0 if it does not say so.
  [[nodiscard]] unsigned parts() const {
    return kind() == CellKind::kBytes ? 4 : kind() == CellKind::kHalves ? 2 : 0;
  }
  /// Of one with parts: that of one byte.
  [[nodiscard]] Cell of_byte(unsigned byte) const {
    return {stamp(), site(), thread() + byte * parts() / 4, CellKind::kWeak};
  }
  [[nodiscard]] bool is_listed() const { return kind() == CellKind::kListed; }
  [[nodiscard]] bool is_strong() const {
    const CellKind of = kind();
    return of == CellKind::kStrongInBlock || of == CellKind::kStrong ||
           of == CellKind::kStrongSeveral || of == CellKind::kStrongSeveralBlocks;
  }
  /// The same access, as one of a kind and a time.
  [[nodiscard]] Cell as(CellKind kind, Stamp stamp) const {
    return Cell((bits_ & (kSiteMask | kThreadMask)) | std::uint64_t{stamp} << kStampShift |
                static_cast<std::uint64_t>(kind));
  }

  friend bool operator==(Cell, Cell) = default;

private:
  std::uint64_t bits_ = 0;
};

} // namespace gantry::simt
