// The mapping table's index beside what else it could be: look-up of an address inside one of N
// extents of 32 bytes, at random, and erasing and inserting one. `scripts/bench --structures` runs
// it.
#include "runtime/core/data/extent_index.h"
#include "runtime/core/data/mapping_table.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <benchmark/benchmark.h>

namespace {

using gantry::core::ExtentIndex;
using gantry::core::Mapping;

constexpr std::uintptr_t kSize = 32;
constexpr std::uintptr_t kDistance = 48; // as small blocks of malloc lie

/// Gantry's.
struct Leaves {
  ExtentIndex index;
  void insert(std::uintptr_t begin, Mapping& mapping) {
    index.insert(begin, begin + kSize, mapping);
  }
  void erase(std::uintptr_t begin) { index.erase(begin); }
  [[nodiscard]] Mapping* find(std::uintptr_t address) const {
    return index.find(address).holding.mapping;
  }
};

/// An ordered map of the standard library or Abseil, by first address.
template <template <typename...> typename Map>
struct Ordered {
  struct Extent {
    std::uintptr_t end;
    Mapping* mapping;
  };
  Map<std::uintptr_t, Extent> map;
  void insert(std::uintptr_t begin, Mapping& mapping) {
    map.insert({begin, Extent{begin + kSize, &mapping}});
  }
  void erase(std::uintptr_t begin) { map.erase(begin); }
  [[nodiscard]] Mapping* find(std::uintptr_t address) const {
    auto next = map.upper_bound(address);
    if (next == map.begin()) {
      return nullptr;
    }
    --next;
    return address < next->second.end ? next->second.mapping : nullptr;
  }
};
template <typename Key, typename Value>
using StandardMap = std::map<Key, Value>;
template <typename Key, typename Value>
using BTreeMap = absl::btree_map<Key, Value>;

/// A hash table of pages with the extents of each, for small extents.
struct Pages {
  struct Extent {
    std::uintptr_t begin;
    std::uintptr_t end;
    Mapping* mapping;
  };
  absl::flat_hash_map<std::uintptr_t, std::vector<Extent>> pages;
  static constexpr int kPageBits = 12;

  template <typename Action>
  static void each_page(std::uintptr_t begin, Action&& action) {
    for (std::uintptr_t page = begin >> kPageBits; page <= (begin + kSize - 1) >> kPageBits;
         ++page) {
      action(page);
    }
  }
  void insert(std::uintptr_t begin, Mapping& mapping) {
    each_page(begin, [&](std::uintptr_t page) {
      auto& extents = pages[page];
      extents.insert(std::ranges::upper_bound(extents, begin, {}, &Extent::begin),
                     {begin, begin + kSize, &mapping});
    });
  }
  void erase(std::uintptr_t begin) {
    each_page(begin, [&](std::uintptr_t page) {
      auto& extents = pages[page];
      extents.erase(std::ranges::lower_bound(extents, begin, {}, &Extent::begin));
    });
  }
  [[nodiscard]] Mapping* find(std::uintptr_t address) const {
    const auto page = pages.find(address >> kPageBits);
    if (page == pages.end()) {
      return nullptr;
    }
    const auto& extents = page->second;
    const auto next = std::ranges::upper_bound(extents, address, {}, &Extent::begin);
    return next != extents.begin() && address < std::prev(next)->end ? std::prev(next)->mapping
                                                                     : nullptr;
  }
};

template <typename Structure>
struct Filled {
  explicit Filled(std::size_t count) : mappings(std::make_unique<Mapping[]>(count)), begins(count) {
    for (std::size_t i = 0; i < count; ++i) {
      begins[i] = 0x7f0000000000 + i * kDistance;
    }
    std::ranges::shuffle(begins, random);
    for (std::size_t i = 0; i < count; ++i) {
      structure.insert(begins[i], mappings[i]);
    }
  }
  std::unique_ptr<Mapping[]> mappings;
  std::mt19937_64 random{1}; // NOLINT(bugprone-random-generator-seed): the same in every run
  std::vector<std::uintptr_t> begins;
  Structure structure;
};

template <typename Structure>
void find(benchmark::State& state) {
  Filled<Structure> filled(static_cast<std::size_t>(state.range(0)));
  std::vector<std::uintptr_t> addresses(1 << 18);
  for (std::uintptr_t& address : addresses) {
    address = filled.begins[filled.random() % filled.begins.size()] + filled.random() % kSize;
  }
  std::size_t next = 0;
  for (auto _ : state) {
    const Mapping* mapping = filled.structure.find(addresses[next]);
    if (mapping == nullptr) {
      state.SkipWithError("an extent is not found");
    }
    next = (next + 1) % addresses.size();
  }
}

template <typename Structure>
void erase_and_insert(benchmark::State& state) {
  Filled<Structure> filled(static_cast<std::size_t>(state.range(0)));
  std::size_t next = 0;
  for (auto _ : state) {
    filled.structure.erase(filled.begins[next]);
    filled.structure.insert(filled.begins[next], filled.mappings[next]);
    next = (next + 1) % filled.begins.size();
  }
}

#define GANTRY_STRUCTURES(action)                                                                  \
  BENCHMARK(action<Leaves>)->Arg(16)->Arg(1000)->Arg(100000)->Arg(1000000);                        \
  BENCHMARK(action<Ordered<StandardMap>>)->Arg(16)->Arg(1000)->Arg(100000)->Arg(1000000);          \
  BENCHMARK(action<Ordered<BTreeMap>>)->Arg(16)->Arg(1000)->Arg(100000)->Arg(1000000);             \
  BENCHMARK(action<Pages>)->Arg(16)->Arg(1000)->Arg(100000)->Arg(1000000)
GANTRY_STRUCTURES(find);
GANTRY_STRUCTURES(erase_and_insert);

} // namespace

BENCHMARK_MAIN();
