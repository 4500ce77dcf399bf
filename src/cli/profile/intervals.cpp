#include "cli/profile/intervals.h"

#include <algorithm>

namespace gantry::cli::profile {

TimeSet united(std::vector<Interval> intervals) {
  std::ranges::sort(intervals, {}, &Interval::begin);
  TimeSet set;
  for (const Interval& interval : intervals) {
    if (interval.length() <= 0) {
      continue;
    }
    if (!set.empty() && interval.begin <= set.back().end) {
      set.back().end = std::max(set.back().end, interval.end);
    } else {
      set.push_back(interval);
    }
  }
  return set;
}

TimeSet common(const TimeSet& a, const TimeSet& b) {
  TimeSet set;
  for (auto first = a.begin(), second = b.begin(); first != a.end() && second != b.end();) {
    const Interval both{std::max(first->begin, second->begin), std::min(first->end, second->end)};
    if (both.length() > 0) {
      set.push_back(both);
    }
    ++(first->end < second->end ? first : second);
  }
  return set;
}

Time length(const TimeSet& set) {
  Time sum = 0;
  for (const Interval& interval : set) {
    sum += interval.length();
  }
  return sum;
}

} // namespace gantry::cli::profile
