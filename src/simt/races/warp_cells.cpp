#include "simt/races/warp_cells.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gantry::simt {

namespace {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GANTRY_ATOMIC_CELLS 1
#endif
#endif

#define GANTRY_INLINE __attribute__((always_inline)) inline

constexpr std::uint64_t kTimeAndKind = Cell::kStampMask | Cell::kKindMask;

template <int size>
struct Vector {
  using Of __attribute__((ext_vector_type(size))) = std::uint64_t;
  using Signed __attribute__((ext_vector_type(size))) = std::int64_t;
  using Bits __attribute__((ext_vector_type(size))) = bool;
};

template <int size>
using Cells = Vector<size>::Of;
/// All ones or zero in each element.
template <int size>
using Choice = Vector<size>::Signed;

template <int size>
GANTRY_INLINE Cells<size> load(const std::uint64_t* place) {
  Cells<size> cells;
#ifdef GANTRY_ATOMIC_CELLS
  for (int i = 0; i < size; ++i) {
    cells[i] = __atomic_load_n(place + i, __ATOMIC_RELAXED);
  }
#else
  std::memcpy(&cells, place, sizeof(std::uint64_t) * size);
#endif
  return cells;
}

template <int size>
GANTRY_INLINE unsigned bits_of(Choice<size> choice) {
  const auto bits = __builtin_convertvector(choice, typename Vector<size>::Bits);
  if constexpr (size == 8) {
    return __builtin_bit_cast(std::uint8_t, bits);
  } else {
    static_assert(size == 1);
    return bits[0] ? 1 : 0;
  }
}

/// Writes the elements of `which`.
template <int size>
GANTRY_INLINE void store(std::uint64_t* place, Cells<size> cells, unsigned which) {
#ifndef GANTRY_ATOMIC_CELLS
  if (which == (1U << size) - 1) {
    std::memcpy(place, &cells, sizeof(std::uint64_t) * size);
    return;
  }
#endif
  for (; which != 0; which &= which - 1) {
    const int i = std::countr_zero(which);
    __atomic_store_n(place + i, static_cast<std::uint64_t>(cells[i]), __ATOMIC_RELAXED);
  }
}

/// Whether the cells say what is ordered with the access, of whichever thread.
template <int size>
GANTRY_INLINE Choice<size> ordered(const WarpTime& time, Cells<size> cells, bool shared) {
  const Cells<size> own = cells - time.own;
  Choice<size> result = (cells < time.floor) | (own < time.own_ordered);
  if (shared && time.only_newest_count) {
    result |= (own >= time.own_all) &
              ((cells & Cell::kKindMask) != static_cast<std::uint64_t>(CellKind::kListed));
  }
  return result;
}

/// Looks at the accesses of `which` elements; the result is those that need more. With `parts` they
/// are each by the threads of some lanes.
template <int size, bool parts>
GANTRY_INLINE unsigned check(const WarpTime& time, std::uint64_t* write_place,
                             std::uint64_t* read_place, Cells<size> mine, unsigned which,
                             bool is_store, bool shared) {
  const std::uint64_t same = Cell::kStampMask | time.thread_mask;
  const Cells<size> writes = load<size>(write_place);
  const Cells<size> reads = load<size>(read_place);
  const std::uint64_t same_writer = same | (parts ? Cell::kKindMask : Cell::kPartsMask);
  const Choice<size> good_writes =
      ordered<size>(time, writes, shared) | (((writes ^ mine) & same_writer) == 0);
  const Choice<size> own_read = ((reads ^ mine) & (same | Cell::kKindMask)) == 0;
  const Choice<size> old_reads = ordered<size>(time, reads, shared);
  if (is_store) {
    const unsigned good = bits_of<size>(good_writes & (own_read | old_reads)) & which;
    store<size>(write_place, mine, good);
    return which & ~good;
  }
  const Choice<size> kept = own_read | (((reads ^ time.several) & kTimeAndKind) == 0) |
                            (((reads ^ time.several_blocks) & kTimeAndKind) == 0);
  Choice<size> replaced = old_reads;
  Cells<size> after = mine;
  if (!time.fine && bits_of<size>(kept | old_reads) != (1U << size) - 1) {
    // Weak reads of others, of one thread or of several; of parts by others for each part.
    const Cells<size> kind = reads & Cell::kKindMask;
    const Choice<size> weak = (kind == static_cast<std::uint64_t>(CellKind::kWeak)) |
                              (kind == static_cast<std::uint64_t>(CellKind::kSeveral)) |
                              (kind == static_cast<std::uint64_t>(CellKind::kBytes)) |
                              (kind == static_cast<std::uint64_t>(CellKind::kHalves));
    const Choice<size> alike =
        parts ? ((reads ^ mine) & Cell::kKindMask) == 0 : (kind & Cell::kPartsMask) == 0;
    const Choice<size> beside = (((reads ^ time.several) & Cell::kStampMask) == 0) & alike;
    const Choice<size> of_launch =
        (reads - time.launch < time.launch_all) & (reads - time.own >= time.own_all);
    const Cells<size> who = mine & (Cell::kSiteMask | Cell::kThreadMask);
    after = (weak & beside & ~old_reads) ? who | time.several : after;
    after = (weak & of_launch & ~old_reads) ? who | time.several_blocks : after;
    replaced |= weak & (beside | of_launch) & ~kept;
  }
  const unsigned good = bits_of<size>(good_writes & (kept | replaced)) & which;
  store<size>(read_place, after, good & bits_of<size>(replaced & ~own_read));
  return which & ~good;
}

/// Numbers of 8 lanes, or of 4 for two words each, where a cell has them.
template <unsigned words>
constexpr Cells<8> kLaneNumbers = {};
template <>
constexpr Cells<8> kLaneNumbers<1> = {0 << 4, 1 << 4, 2 << 4, 3 << 4,
                                      4 << 4, 5 << 4, 6 << 4, 7 << 4};
template <>
constexpr Cells<8> kLaneNumbers<2> = {0 << 4, 0 << 4, 1 << 4, 1 << 4,
                                      2 << 4, 2 << 4, 3 << 4, 3 << 4};
static_assert(Cell::kThreadShift == 4);

/// By lane from bits by word.
template <unsigned words>
GANTRY_INLINE unsigned lanes_of(unsigned bits) {
  if constexpr (words == 1) {
    return bits;
  }
  bits |= bits >> 1;
  return (bits & 1) | (bits >> 1 & 2) | (bits >> 2 & 4) | (bits >> 3 & 8);
}

template <unsigned words>
GANTRY_INLINE unsigned words_of(unsigned lanes) {
  if constexpr (words == 1) {
    return lanes & 0xFF;
  }
  const unsigned spread = (lanes & 1) | (lanes & 2) << 1 | (lanes & 4) << 2 | (lanes & 8) << 3;
  return spread | spread << 1;
}

template <unsigned words, bool is_store>
GANTRY_INLINE LaneMask check_words(const WarpTime& of, const RowAccess& row) {
  constexpr unsigned kStep = 8 / words; // lanes
  const WarpTime time = of;             // cells are no part of it
  std::uint64_t* const writes = row.writes;
  std::uint64_t* const reads = row.reads;
  const Cells<8> first = kLaneNumbers<words> + row.first;
  const LaneMask active = row.active;
  const unsigned lanes = row.lanes;
  const bool shared = row.shared;
  LaneMask left = 0;
  for (unsigned lane = 0; lane < lanes; lane += kStep) {
    const unsigned place = lane * words;
    unsigned which = words_of<words>(active >> lane);
    if (lanes - lane < kStep) {
      which &= (1U << (lanes - lane) * words) - 1;
    }
    if (which != 0) {
      const unsigned more = check<8, false>(time, writes + place, reads + place,
                                            first + (std::uint64_t{lane} << Cell::kThreadShift),
                                            which, is_store, shared);
      left |= lanes_of<words>(more) << lane;
    }
  }
  return left;
}

/// Of each 8 lanes' or 16 lanes' bits, which groups of `parts` are all set: by word.
template <unsigned parts>
GANTRY_INLINE unsigned words_of_parts(LaneMask lanes) {
  unsigned words = 0;
  for (unsigned word = 0; word < 8; ++word) {
    constexpr LaneMask kAll = (1U << parts) - 1;
    words |= word * parts < kLanes && (lanes >> word * parts & kAll) == kAll ? 1U << word : 0;
  }
  return words;
}

template <unsigned parts>
GANTRY_INLINE LaneMask lanes_of_parts(unsigned words) {
  LaneMask lanes = 0;
  for (; words != 0; words &= words - 1) {
    lanes |= ((1U << parts) - 1) << static_cast<unsigned>(std::countr_zero(words)) * parts;
  }
  return lanes;
}

/// Words of which each is accessed by `parts` lanes. Those of which some lanes are not active are
/// left.
template <unsigned parts, bool is_store>
GANTRY_INLINE LaneMask check_parts(const WarpTime& of, const RowAccess& row) {
  constexpr unsigned kStep = 8 * parts; // lanes
  const WarpTime time = of;             // cells are no part of it
  const Cells<8> first = kLaneNumbers<1> * parts + row.first;
  LaneMask left = row.active;
  for (unsigned lane = 0; lane < row.lanes; lane += kStep) {
    const unsigned which = words_of_parts<parts>(row.active >> lane);
    if (which != 0) {
      const unsigned more = check<8, true>(
          time, row.writes + lane / parts, row.reads + lane / parts,
          first + (std::uint64_t{lane} << Cell::kThreadShift), which, is_store, row.shared);
      left &= ~(lanes_of_parts<parts>(which & ~more) << lane);
    }
  }
  return left;
}

/// Whether a load by all lanes finds nothing new: what was written is ordered, and several threads
/// have loaded it since.
GANTRY_INLINE bool is_known_load(const WarpTime& time, const RowAccess& row) {
  if (row.is_store || row.parts != 1 || row.active != kAllLanes ||
      ((load<1>(row.reads)[0] ^ time.several) & kTimeAndKind) != 0) {
    return false;
  }
  Choice<8> known = ~Choice<8>{};
  for (unsigned word = 0; word < kLanes * row.words; word += 8) {
    known &= ordered<8>(time, load<8>(row.writes + word), row.shared) &
             (((load<8>(row.reads + word) ^ time.several) & kTimeAndKind) == 0);
  }
  return bits_of<8>(known) == 0xFF;
}

GANTRY_INLINE LaneMask check_row(const WarpTime& time, const RowAccess& access) {
  if (is_known_load(time, access)) {
    return 0;
  }
  if (access.parts == 4) {
    return access.is_store ? check_parts<4, true>(time, access)
                           : check_parts<4, false>(time, access);
  }
  if (access.parts == 2) {
    return access.is_store ? check_parts<2, true>(time, access)
                           : check_parts<2, false>(time, access);
  }
  if (access.words == 1) {
    return access.is_store ? check_words<1, true>(time, access)
                           : check_words<1, false>(time, access);
  }
  return access.is_store ? check_words<2, true>(time, access) : check_words<2, false>(time, access);
}

LaneMask check_row_plain(const WarpTime& time, const RowAccess& access) {
  return check_row(time, access);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) LaneMask check_row_avx2(const WarpTime& time,
                                                        const RowAccess& access) {
  return check_row(time, access);
}

__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) LaneMask
check_row_avx512(const WarpTime& time, const RowAccess& access) {
  return check_row(time, access);
}
#endif

} // namespace

WarpTime warp_time(const Ordering& ordering, const GridRun& run, bool fine, std::uint32_t in_step) {
  const auto cell = [](std::uint64_t stamp) { return stamp << Cell::kStampShift; };
  const StampRange own = ordering.newest();
  const bool is_first = ordering.block() + 1 == own.begin;
  WarpTime time;
  time.floor = cell(run.floor);
  time.own = cell(own.begin);
  time.own_ordered = ordering.floor() < own.begin ? 0 : cell(ordering.floor() - own.begin + 1);
  time.own_all = cell(own.end - own.begin);
  time.launch = cell(run.stamps.begin);
  time.launch_all = is_first ? cell(run.stamps.end - 1 - run.stamps.begin) : 0;
  time.several = Cell(ordering.now(), 0, 0, CellKind::kSeveral).bits();
  time.several_blocks = Cell(run.own_stamp(), 0, 0, CellKind::kSeveralBlocks).bits();
  time.thread_mask &= ~(std::uint64_t{in_step - 1} << Cell::kThreadShift);
  time.fine = fine;
  time.only_newest_count = is_first || !fine;
  return time;
}

RowCheck row_check() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return check_row_avx512;
  }
  if (__builtin_cpu_supports("avx2")) {
    return check_row_avx2;
  }
#endif
  return check_row_plain;
}

bool check_word(const WarpTime& time, std::uint64_t* write, std::uint64_t* read, std::uint64_t mine,
                bool is_store, bool shared) {
  return check<1, false>(time, write, read, mine, 1, is_store, shared) == 0;
}

bool check_word_of_all(const WarpTime& time, const std::uint64_t* write, std::uint64_t* read,
                       std::uint64_t mine, bool shared) {
  const Cells<1> reads = load<1>(read);
  if (ordered<1>(time, load<1>(write), shared)[0] == 0) {
    return false;
  }
  if (((reads[0] ^ time.several) & kTimeAndKind) == 0 ||
      ((reads[0] ^ time.several_blocks) & kTimeAndKind) == 0) {
    return true;
  }
  if (time.fine || ordered<1>(time, reads, shared)[0] == 0) {
    return false;
  }
  const std::uint64_t several = (mine & (Cell::kSiteMask | Cell::kThreadMask)) | time.several;
  store<1>(read, Cells<1>{several}, 1);
  return true;
}

} // namespace gantry::simt
