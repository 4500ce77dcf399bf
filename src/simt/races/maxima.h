// For each of some keys the largest value that was given for it: clocks (sync_log.h).
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace gantry::simt {

template <typename Key, typename Value>
class Maxima {
public:
  using Entry = std::pair<Key, Value>;

  /// By key, ascending.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  /// Zero if there is none.
  template <typename Like>
  [[nodiscard]] Value of(Like key) const {
    const auto found = std::ranges::lower_bound(entries_, key, {}, &Entry::first);
    return found != entries_.end() && found->first == key ? found->second : Value();
  }

  void raise(Key key, Value to) {
    const auto found = std::ranges::lower_bound(entries_, key, {}, &Entry::first);
    if (found != entries_.end() && found->first == key) {
      found->second = std::max(found->second, to);
    } else {
      entries_.insert(found, {key, to});
    }
  }
  void merge(const Maxima& other) {
    if (other.entries_.empty()) {
      return;
    }
    std::vector<Entry> both;
    both.reserve(entries_.size() + other.entries_.size());
    std::ranges::merge(entries_, other.entries_, std::back_inserter(both)); // by key, then by value
    auto last = both.begin();
    for (const Entry& next : both) {
      if (next.first != last->first) {
        ++last;
      }
      *last = next;
    }
    both.erase(last + 1, both.end());
    entries_ = std::move(both);
  }
  void remove_up_to(Value value) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.second <= value; });
  }

private:
  std::vector<Entry> entries_;
};

} // namespace gantry::simt
