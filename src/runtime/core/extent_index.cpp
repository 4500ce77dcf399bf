#include "runtime/core/extent_index.h"

#include <algorithm>
#include <iterator>

namespace gantry::core {

namespace {

/// How many of `count` sorted addresses are not above `address`. Without branches that depend on
/// what is compared: in a large table each of them would be mispredicted every other time.
std::size_t count_up_to(const std::uintptr_t* sorted, std::size_t count, std::uintptr_t address) {
  const std::uintptr_t* base = sorted;
  while (count > 1) {
    const std::size_t half = count / 2;
    base += base[half - 1] <= address ? half : 0;
    count -= half;
  }
  return static_cast<std::size_t>(base - sorted) + (count == 1 && *base <= address ? 1 : 0);
}

} // namespace

ExtentIndex::ExtentIndex() {
  firsts_.push_back(0);
  leaves_.push_back(std::make_unique_for_overwrite<Leaf>());
}

std::size_t ExtentIndex::leaf_of(std::uintptr_t address) const {
  return count_up_to(firsts_.data(), firsts_.size(), address) - 1;
}

std::size_t ExtentIndex::slot_after(const Leaf& leaf, std::uintptr_t address) const {
  if (leaves_.size() > 1) {
    // In a large table the leaf is not in the cache: its lines come at once and not one after the
    // other as the search asks for them.
    constexpr std::size_t kPerLine = 64 / sizeof(std::uintptr_t);
    for (std::size_t i = 0; i < kLeaf; i += kPerLine) {
      __builtin_prefetch(leaf.begins + i);
    }
  }
  return count_up_to(leaf.begins, leaf.count, address);
}

Mapping* ExtentIndex::holding(std::uintptr_t address) const {
  const Leaf& leaf = *leaves_[leaf_of(address)];
  const std::size_t up_to = slot_after(leaf, address);
  return up_to > 0 && address < leaf.targets[up_to - 1].end ? leaf.targets[up_to - 1].mapping
                                                            : nullptr;
}

Mapping* ExtentIndex::after(std::uintptr_t address) const {
  const std::size_t index = leaf_of(address);
  const Leaf& leaf = *leaves_[index];
  const std::size_t up_to = slot_after(leaf, address);
  if (up_to < leaf.count) {
    return leaf.targets[up_to].mapping;
  }
  return index + 1 < leaves_.size() ? leaves_[index + 1]->targets[0].mapping : nullptr;
}

void ExtentIndex::open_slot(Leaf& leaf, std::size_t slot) {
  std::copy_backward(leaf.begins + slot, leaf.begins + leaf.count, leaf.begins + leaf.count + 1);
  std::copy_backward(leaf.targets + slot, leaf.targets + leaf.count, leaf.targets + leaf.count + 1);
  ++leaf.count;
}

void ExtentIndex::insert(std::uintptr_t begin, std::uintptr_t end, Mapping& mapping) {
  std::size_t index = leaf_of(begin);
  Leaf* leaf = leaves_[index].get();
  std::size_t slot = slot_after(*leaf, begin);
  if (leaf->count == kLeaf) {
    // The upper half moves to a leaf of its own; nothing does when addresses come in order.
    const std::size_t stays = slot == kLeaf ? kLeaf : kLeaf / 2;
    auto upper = std::make_unique_for_overwrite<Leaf>();
    upper->count = kLeaf - stays;
    std::copy_n(leaf->begins + stays, upper->count, upper->begins);
    std::copy_n(leaf->targets + stays, upper->count, upper->targets);
    leaf->count = stays;
    const std::uintptr_t first = upper->count > 0 ? upper->begins[0] : begin;
    firsts_.insert(firsts_.begin() + static_cast<std::ptrdiff_t>(index) + 1, first);
    leaves_.insert(leaves_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(upper));
    if (begin >= first) {
      leaf = leaves_[index + 1].get();
      slot -= stays;
    }
  }
  open_slot(*leaf, slot);
  leaf->begins[slot] = begin;
  leaf->targets[slot] = {end, &mapping};
  ++size_;
}

void ExtentIndex::erase(std::uintptr_t begin) {
  const std::size_t index = leaf_of(begin);
  Leaf& leaf = *leaves_[index];
  const std::size_t slot = slot_after(leaf, begin) - 1;
  std::copy(leaf.begins + slot + 1, leaf.begins + leaf.count, leaf.begins + slot);
  std::copy(leaf.targets + slot + 1, leaf.targets + leaf.count, leaf.targets + slot);
  --leaf.count;
  --size_;
  if (index + 1 < leaves_.size()) {
    merge_with_next(index);
  } else if (index > 0) {
    merge_with_next(index - 1);
  }
}

void ExtentIndex::merge_with_next(std::size_t index) {
  Leaf& leaf = *leaves_[index];
  const Leaf& next = *leaves_[index + 1];
  // Half full at most, so that the next insertions do not split it again; but no leaf stays empty.
  if (leaf.count > 0 && next.count > 0 && leaf.count + next.count > kLeaf / 2) {
    return;
  }
  std::copy_n(next.begins, next.count, leaf.begins + leaf.count);
  std::copy_n(next.targets, next.count, leaf.targets + leaf.count);
  leaf.count += next.count;
  firsts_.erase(firsts_.begin() + static_cast<std::ptrdiff_t>(index) + 1);
  leaves_.erase(leaves_.begin() + static_cast<std::ptrdiff_t>(index) + 1);
}

} // namespace gantry::core
