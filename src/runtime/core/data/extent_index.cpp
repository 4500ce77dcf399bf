#include "runtime/core/data/extent_index.h"

#include <algorithm>

namespace gantry::core {

namespace {

/// How many of a few sorted addresses, `address_of(0)` to `address_of(kCount - 1)`, are not above
/// `address`. Counting all of them is faster than to search: nothing waits for the comparison
/// before. The empty assembly keeps compilers from making vectors of it, which take longer without
/// a comparison of 64-bit vectors (before SSE4.2).
template <std::size_t kCount, typename AddressOf>
std::size_t count_up_to(std::uintptr_t address, AddressOf address_of) {
  std::size_t count = 0;
#pragma clang loop unroll(full)
  for (std::size_t i = 0; i < kCount; ++i) {
    count += address_of(i) <= address ? 1 : 0;
    asm("" : "+r"(count));
  }
  return count;
}

} // namespace

ExtentIndex::Leaf::Leaf() {
  std::ranges::fill(group_begins, kNone);
}

std::size_t ExtentIndex::Leaf::up_to(std::uintptr_t address) const {
  if (count <= kGroup) {
    return count_up_to<kGroup>(address, [&](std::size_t i) { return extents[i].begin; });
  }
  const std::size_t groups =
      count_up_to<kGroups>(address, [&](std::size_t i) { return group_begins[i]; });
  if (groups == 0) {
    return 0;
  }
  const std::size_t before = (groups - 1) * kGroup;
  const Extent* group = extents + before;
  return before + count_up_to<kGroup>(address, [&](std::size_t i) { return group[i].begin; });
}

void ExtentIndex::Leaf::finish(std::size_t slot, std::size_t old_count) {
  if (count < old_count) {
    std::fill(extents + count, extents + old_count, Extent{});
  }
  for (std::size_t group = slot / kGroup; group < kGroups; ++group) {
    group_begins[group] = extents[group * kGroup].begin;
  }
}

void ExtentIndex::Leaf::insert(std::size_t slot, const Extent& extent) {
  std::copy_backward(extents + slot, extents + count, extents + count + 1);
  extents[slot] = extent;
  ++count;
  finish(slot, count);
}

void ExtentIndex::Leaf::erase(std::size_t slot) {
  std::copy(extents + slot + 1, extents + count, extents + slot);
  --count;
  finish(slot, count + 1);
}

void ExtentIndex::Leaf::take(Leaf& other, std::size_t slot) {
  const std::size_t old_count = count;
  const std::size_t others = other.count;
  std::copy(other.extents + slot, other.extents + others, extents + count);
  count += others - slot;
  finish(old_count, old_count);
  other.count = slot;
  other.finish(slot, others);
}

ExtentIndex::ExtentIndex() {
  firsts_.push_back(0);
  leaves_.push_back(&pool_.take());
}

std::size_t ExtentIndex::leaf_of(std::uintptr_t address) const {
  // Without branches that depend on what is compared: each would be mispredicted half the time. The
  // empty assembly keeps compilers from making one of the mask.
  const std::uintptr_t* base = firsts_.data();
  std::size_t count = firsts_.size();
  while (count > 1) {
    const std::size_t half = count / 2;
    std::size_t mask = base[half] <= address ? ~std::size_t{0} : 0;
    asm("" : "+r"(mask));
    base += half & mask;
    count -= half;
  }
  return static_cast<std::size_t>(base - firsts_.data());
}

ExtentIndex::Place ExtentIndex::find(std::uintptr_t address) const {
  Place place;
  if (address == kNone) {
    return place;
  }
  const std::size_t index = leaf_of(address);
  const Leaf& leaf = *leaves_[index];
  const std::size_t up_to = leaf.up_to(address);
  if (up_to > 0 && address < leaf.extents[up_to - 1].end) {
    place.holding = leaf.extents[up_to - 1];
  }
  if (up_to < leaf.count) {
    place.next_begin = leaf.extents[up_to].begin;
    place.next = leaf.extents[up_to].mapping;
  } else if (index + 1 < leaves_.size()) {
    place.next_begin = leaves_[index + 1]->extents[0].begin;
    place.next = leaves_[index + 1]->extents[0].mapping;
  }
  return place;
}

void ExtentIndex::insert(std::uintptr_t begin, std::uintptr_t end, Mapping& mapping) {
  const std::size_t index = leaf_of(begin);
  Leaf* leaf = leaves_[index];
  std::size_t slot = leaf->up_to(begin);
  if (leaf->count == kLeaf) {
    // A leaf of its own for the upper half; or, since addresses often come in ascending order, for
    // less, so that the leaf left behind is nearly full but has room for some more.
    const std::size_t stays = slot == kLeaf ? kLeaf - kLeaf / 8 : kLeaf / 2;
    Leaf& upper = pool_.take();
    upper.take(*leaf, stays);
    const auto place = static_cast<std::ptrdiff_t>(index) + 1;
    firsts_.insert(firsts_.begin() + place, upper.extents[0].begin);
    leaves_.insert(leaves_.begin() + place, &upper);
    if (slot > stays) {
      leaf = &upper;
      slot -= stays;
    }
  }
  leaf->insert(slot, {begin, end, &mapping});
  ++size_;
}

void ExtentIndex::erase(std::uintptr_t begin) {
  const std::size_t index = leaf_of(begin);
  Leaf& leaf = *leaves_[index];
  leaf.erase(leaf.up_to(begin) - 1);
  --size_;
  note_first(index);
  // A leaf that is fuller than merge_with_next() makes them need not look at its neighbour, which
  // would be one more page.
  if (leaf.count > kLeaf / 2) {
    return;
  }
  if (index + 1 < leaves_.size()) {
    merge_with_next(index);
  } else if (index > 0) {
    merge_with_next(index - 1);
  }
}

void ExtentIndex::merge_with_next(std::size_t index) {
  Leaf& leaf = *leaves_[index];
  Leaf& next = *leaves_[index + 1];
  // Half full at most, so that the next insertions do not split it again; but no leaf stays empty.
  if (leaf.count > 0 && next.count > 0 && leaf.count + next.count > kLeaf / 2) {
    return;
  }
  leaf.take(next, 0);
  note_first(index);
  pool_.give_back(next);
  const auto place = static_cast<std::ptrdiff_t>(index) + 1;
  firsts_.erase(firsts_.begin() + place);
  leaves_.erase(leaves_.begin() + place);
}

void ExtentIndex::note_first(std::size_t index) {
  if (index > 0 && leaves_[index]->count > 0) {
    firsts_[index] = leaves_[index]->extents[0].begin;
  }
}

const char* ExtentIndex::broken_invariant() const {
  if (firsts_.size() != leaves_.size() || leaves_.empty() || firsts_[0] != 0) {
    return "every leaf has a first address, that of the first leaf is 0";
  }
  std::size_t extents = 0;
  std::uintptr_t end = 0;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const Leaf& leaf = *leaves_[i];
    extents += leaf.count;
    if (leaf.count > kLeaf || (leaf.count == 0 && leaves_.size() > 1)) {
      return "no leaf is too full, and none is empty but an only one";
    }
    if (i > 0 && firsts_[i] != leaf.extents[0].begin) {
      return "a leaf's first address is that of its first extent";
    }
    for (std::size_t slot = 0; slot < kLeaf; ++slot) {
      const Extent& extent = leaf.extents[slot];
      if (slot % kGroup == 0 && leaf.group_begins[slot / kGroup] != extent.begin) {
        return "a group's address is that of its first extent";
      }
      if (slot >= leaf.count ? extent.begin != kNone || extent.mapping != nullptr
                             : extent.begin < end || extent.end <= extent.begin) {
        return "extents ascend, do not overlap and are empty behind the last";
      }
      end = slot < leaf.count ? extent.end : end;
    }
  }
  return extents == size_ ? nullptr : "the size is the number of extents";
}

} // namespace gantry::core
