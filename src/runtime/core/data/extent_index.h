// Disjoint extents of host storage in order of address: which one holds an address, which is next.
//
// A leaf is half a page of memory and lies in one: up to kLeaf extents, and the address at which
// each group of kGroup of them begins. A search reads a few lines of it and nothing else of the
// leaf. Above the leaves is one sorted array of their first addresses, which stays in the cache:
// 1,000,000 extents have about 20,000 leaves. What was tried beside it and how it compares is in
// docs/performance.md.
//
// Not thread-safe; an insertion or erasure that makes no new leaf allocates nothing.
#pragma once

#include "runtime/core/data/pool.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gantry::core {

struct Mapping;

class ExtentIndex {
public:
  /// Where no object begins.
  static constexpr std::uintptr_t kNone = ~std::uintptr_t{0};

  ExtentIndex();

  struct Extent {
    std::uintptr_t begin = kNone;
    std::uintptr_t end = 0;
    Mapping* mapping = nullptr;
  };

  /// What is around an address: the extent that holds it, and where the next one begins. That is
  /// told without a look into its mapping, which would be one more line of memory.
  struct Place {
    Extent holding; ///< without a mapping if there is none
    std::uintptr_t next_begin = kNone;
    Mapping* next = nullptr; ///< null if there is none
  };
  [[nodiscard]] Place find(std::uintptr_t address) const;

  /// Adds [begin, end), which overlaps no extent here.
  void insert(std::uintptr_t begin, std::uintptr_t end, Mapping& mapping);

  /// Removes the extent that begins at `begin`, which is here.
  void erase(std::uintptr_t begin);

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Calls `visit` with every mapping in order of address.
  template <typename Visitor>
  void for_each(Visitor&& visit) const {
    for (const Leaf* leaf : leaves_) {
      for (std::size_t i = 0; i < leaf->count; ++i) {
        visit(*leaf->extents[i].mapping);
      }
    }
  }

  /// What does not hold of what must hold between two calls, or null: for tests. Takes time in
  /// proportion to the size.
  [[nodiscard]] const char* broken_invariant() const;

private:
  static constexpr std::size_t kLeafBytes = 2048;
  static constexpr std::size_t kGroup = 8;
  static constexpr std::size_t kGroups = 10;
  static constexpr std::size_t kLeaf = kGroup * kGroups;

  struct alignas(kLeafBytes) Leaf {
    Leaf();
    /// How many extents begin at or before `address`, which is not kNone.
    [[nodiscard]] std::size_t up_to(std::uintptr_t address) const;
    void insert(std::size_t slot, const Extent& extent);
    void erase(std::size_t slot);
    /// Appends what `other` has from `slot` on, and takes it from there.
    void take(Leaf& other, std::size_t slot);

    std::uintptr_t group_begins[kGroups];
    std::size_t count = 0;
    alignas(64) Extent extents[kLeaf]; ///< empty ones behind the last

  private:
    /// Makes groups and unused extents right again from `slot` on.
    void finish(std::size_t slot, std::size_t old_count);
  };
  static_assert(sizeof(Leaf) == kLeafBytes);

  /// The leaf that an extent holding `address` is in, if there is one.
  [[nodiscard]] std::size_t leaf_of(std::uintptr_t address) const;
  void merge_with_next(std::size_t index);
  /// After a change of a leaf's first extent. An address that stayed lower would let an extent that
  /// reaches beyond it into the leaf before, where nobody looks for its second half.
  void note_first(std::size_t index);

  /// The addresses at which the leaves' first extents begin; 0 for the first leaf. There is always
  /// one leaf.
  std::vector<std::uintptr_t> firsts_;
  std::vector<Leaf*> leaves_;
  Pool<Leaf> pool_;
  std::size_t size_ = 0;
};

} // namespace gantry::core
