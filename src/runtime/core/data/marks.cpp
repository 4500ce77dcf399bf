#include "runtime/core/data/marks.h"

namespace gantry::core {

void Marks::take_all_off(Mine& mine, std::size_t kept) {
  for (std::size_t i = kept; i < mine.size(); ++i) {
    mine[i]->marked = false;
    --count_;
  }
  if (waiting_ > 0) {
    taken_off_.notify_all();
  }
  mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(kept), mine.end());
}

void Marks::wait(Lock& lock) {
  ++waiting_;
  taken_off_.wait(lock);
  --waiting_;
}

void Marks::settle(Lock& lock, MappingTable& table, Items items) {
  while (count_ > 0 &&
         any_concerned(table, items, [](const Mapping& mapping) { return mapping.marked; })) {
    wait(lock);
  }
}

} // namespace gantry::core
