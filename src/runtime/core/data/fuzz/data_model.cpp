#include "runtime/core/data/fuzz/data_model.h"

#include <iterator>
#include <set>

namespace gantry::core::fuzz {

DataModel::Objects::iterator DataModel::holding(Offset begin, Offset size) {
  const auto behind = objects_.upper_bound(begin);
  if (behind == objects_.begin()) {
    return objects_.end();
  }
  const auto object = std::prev(behind);
  return begin < object->second.end && begin + size <= object->second.end ? object : objects_.end();
}

bool DataModel::overlaps(Offset begin, Offset size) const {
  const auto behind = objects_.upper_bound(begin);
  return size > 0 && ((behind != objects_.end() && behind->first < begin + size) ||
                      (behind != objects_.begin() && begin < std::prev(behind)->second.end));
}

void DataModel::copy(Object& object, Offset object_begin, Offset begin, Offset size,
                     bool to_device) {
  for (Offset at = begin; at < begin + size; ++at) {
    // Attached pointers keep their value on either side.
    const auto behind = object.attached.upper_bound(at);
    const bool in_pointer =
        behind != object.attached.begin() && at - std::prev(behind)->first < kPointer;
    Byte& device = object.device[at - object_begin];
    if (!in_pointer && to_device) {
      device = host[at];
    } else if (!in_pointer) {
      host[at] = device;
    }
  }
}

bool DataModel::enter(std::span<const ModelItem> items) {
  std::set<std::uint64_t> made;
  struct Counted {
    Objects::iterator object;
    bool hold;
  };
  std::vector<Counted> counted;
  std::vector<ModelItem> copies;
  for (const ModelItem& item : items) {
    if (item.attachment) {
      continue;
    }
    auto object = holding(item.begin, item.size);
    if (object == objects_.end()) {
      if (item.present || overlaps(item.begin, item.size)) {
        for (const auto& [increased, hold] : counted) {
          --(hold ? increased->second.holds : increased->second.references);
        }
        std::erase_if(objects_, [&](const auto& each) {
          return !made.empty() && made.contains(each.second.generation);
        });
        return false;
      }
      if (item.size == 0) {
        continue;
      }
      Object fresh;
      fresh.end = item.begin + item.size;
      fresh.generation = ++generation_;
      fresh.device.resize(item.size);
      made.insert(fresh.generation);
      object = objects_.emplace(item.begin, std::move(fresh)).first;
    }
    if (!object->second.infinite) {
      ++(item.hold ? object->second.holds : object->second.references);
      counted.push_back({object, item.hold});
    }
    if (item.to && (item.always || made.contains(object->second.generation))) {
      copies.push_back(item);
    }
  }
  // Pointers that are attached already are left alone by the copies, others by what comes after.
  for (const ModelItem& item : copies) {
    const auto object = holding(item.begin, item.size);
    copy(object->second, object->first, item.begin, item.size, true);
  }
  for (const ModelItem& item : items) {
    const auto holder = item.attachment ? holding(item.slot, kPointer) : objects_.end();
    const auto pointee = item.attachment ? holding(item.begin, 0) : objects_.end();
    if (holder == objects_.end() || pointee == objects_.end() ||
        (!item.always && !made.contains(holder->second.generation) &&
         !made.contains(pointee->second.generation))) {
      continue;
    }
    holder->second.attached[item.slot] = {item.begin, pointee->second.generation};
    for (Offset i = 0; i < kPointer; ++i) {
      holder->second.device[item.slot + i - holder->first].reset();
    }
  }
  return true;
}

bool DataModel::exit(std::span<const ModelItem> items) {
  bool success = true;
  std::vector<const ModelItem*> left;
  for (const ModelItem& item : items) {
    if (item.attachment) {
      continue;
    }
    const auto object = holding(item.begin, item.size);
    if (object == objects_.end()) {
      // What is not present is ignored; what is so in part is a mistake.
      success = success && !item.present && !overlaps(item.begin, item.size);
      continue;
    }
    left.push_back(&item);
    if (object->second.infinite) {
      continue;
    }
    std::uint64_t& count = item.hold ? object->second.holds : object->second.references;
    count = item.remove || count == 0 ? 0 : count - 1;
  }
  const auto goes = [](const Object& object) {
    return !object.infinite && object.references == 0 && object.holds == 0;
  };
  for (const ModelItem* item : left) {
    const auto object = holding(item->begin, item->size);
    if (item->from && (item->always || goes(object->second))) {
      copy(object->second, object->first, item->begin, item->size, false);
    }
  }
  // Only what an item of this construct concerns.
  for (const ModelItem* item : left) {
    const auto object = holding(item->begin, item->size);
    if (object != objects_.end() && goes(object->second)) {
      objects_.erase(object);
    }
  }
  return success;
}

bool DataModel::update(std::span<const ModelItem> items) {
  for (const ModelItem& item : items) {
    const Offset span = (item.pieces - 1) * item.stride + item.size;
    const bool whole = holding(item.begin, span) != objects_.end();
    if (!whole && !overlaps(item.begin, span) && item.present) {
      return false;
    }
    for (std::uint32_t i = 0; i < item.pieces; ++i) {
      const Offset begin = item.begin + i * item.stride;
      const auto object = holding(begin, item.size);
      if (object != objects_.end()) {
        copy(object->second, object->first, begin, item.size, item.to);
      } else if (overlaps(begin, item.size) || item.present) {
        return false;
      }
    }
  }
  return true;
}

bool DataModel::associate(Offset begin, Offset size) {
  if (overlaps(begin, size)) {
    return false;
  }
  Object object;
  object.end = begin + size;
  object.infinite = true;
  object.generation = ++generation_;
  object.device.resize(size);
  objects_.emplace(begin, std::move(object));
  return true;
}

bool DataModel::disassociate(Offset begin) {
  const auto object = objects_.find(begin);
  if (object == objects_.end() || !object->second.infinite) {
    return false;
  }
  objects_.erase(object);
  return true;
}

} // namespace gantry::core::fuzz
