// Disjoint extents of host storage in order of address: which one holds an address, which is next.
//
// A B+ tree of two levels. A leaf holds up to kLeaf extents in arrays of their own, so that a
// search reads only what it compares; the upper level is one sorted array of the leaves' first
// addresses, which stays in the cache: 1,000,000 extents have 10,000 to 16,000 leaves. What was
// tried beside it and how it compares is in docs/performance.md.
//
// Not thread-safe; an insertion or erasure that makes no new leaf allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gantry::core {

struct Mapping;

class ExtentIndex {
public:
  ExtentIndex();

  /// The mapping whose extent holds `address`, or null.
  [[nodiscard]] Mapping* holding(std::uintptr_t address) const;

  /// The mapping of the first extent that begins after `address`, or null.
  [[nodiscard]] Mapping* after(std::uintptr_t address) const;

  /// Adds [begin, end), which overlaps no extent here.
  void insert(std::uintptr_t begin, std::uintptr_t end, Mapping& mapping);

  /// Removes the extent that begins at `begin`, which is here.
  void erase(std::uintptr_t begin);

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Calls `visit` with every mapping in order of address.
  template <typename Visitor>
  void for_each(Visitor&& visit) const {
    for (const auto& leaf : leaves_) {
      for (std::size_t i = 0; i < leaf->count; ++i) {
        visit(*leaf->targets[i].mapping);
      }
    }
  }

private:
  static constexpr std::size_t kLeaf = 128;

  struct Target {
    std::uintptr_t end;
    Mapping* mapping;
  };
  struct Leaf {
    std::size_t count = 0;
    std::uintptr_t begins[kLeaf];
    Target targets[kLeaf];
  };

  /// The leaf that an extent holding `address` is in, if there is one.
  [[nodiscard]] std::size_t leaf_of(std::uintptr_t address) const;
  /// How many extents of the leaf begin at or before `address`.
  [[nodiscard]] std::size_t slot_after(const Leaf& leaf, std::uintptr_t address) const;
  /// Moves the extents from `slot` on by one.
  static void open_slot(Leaf& leaf, std::size_t slot);
  void merge_with_next(std::size_t index);

  /// First addresses of the leaves; that of the first leaf is 0. There is always one leaf.
  std::vector<std::uintptr_t> firsts_;
  std::vector<std::unique_ptr<Leaf>> leaves_;
  std::size_t size_ = 0;
};

} // namespace gantry::core
