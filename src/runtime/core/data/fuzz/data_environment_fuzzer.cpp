// Constructs at random on a data environment and on the model of data_model.h: after each, what is
// present, how often it is referenced and every value must be the same. The bytes of the input
// choose the steps, so libFuzzer finds those that come to code which others did not.
#include "runtime/core/data/data_environment.h"
#include "runtime/core/data/fuzz/data_model.h"
#include "runtime/testing/fake_plugin.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gantry::core::fuzz {
namespace {

constexpr Offset kArena = 8192;
/// Steps between two comparisons of everything.
constexpr int kPeriod = 64;

/// Numbers out of the input and, behind its end, out of a generator that it seeds: short inputs
/// make long programs too.
class Choices {
public:
  explicit Choices(std::span<const std::uint8_t> input) : input_(input) {
    for (const std::uint8_t byte : input) {
      state_ = (state_ ^ byte) * 0x100000001b3;
    }
  }
  [[nodiscard]] bool empty() const { return input_.empty() && left_ <= 0; }
  std::uint8_t byte() {
    if (!input_.empty()) {
      const std::uint8_t value = input_.front();
      input_ = input_.subspan(1);
      return value;
    }
    --left_;
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return static_cast<std::uint8_t>(state_ >> 56);
  }
  /// Less than `limit`.
  Offset below(Offset limit) {
    const Offset value = byte();
    return (limit > 256 ? value << 8 | byte() : value) % limit;
  }

private:
  std::span<const std::uint8_t> input_;
  std::uint64_t state_ = 0xcbf29ce484222325;
  int left_ = 4096;
};

/// Constructs of this process; said at its end.
struct Steps {
  std::uint64_t count = 0;
  Steps() = default;
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  ~Steps() { std::fprintf(stderr, "%llu constructs\n", static_cast<unsigned long long>(count)); }
  void operator++() { ++count; }
} all_steps;

[[noreturn]] void disagree(const char* what, Offset at) {
  std::fprintf(stderr, "the data environment and the model disagree: %s at offset %u\n", what, at);
  std::abort();
}

class Comparison {
public:
  Comparison() {
    for (Offset i = 0; i < kArena; ++i) {
      write_host(i, static_cast<std::uint8_t>(i * 7));
    }
  }
  ~Comparison() {
    // Everything goes, so that the plugin finds no memory lost.
    while (!model_.objects().empty()) {
      const auto& [begin, object] = *model_.objects().begin();
      if (object.infinite) {
        disassociate(begin);
      } else {
        ModelItem item{.begin = begin, .size = object.end - begin, .hold = object.holds > 0};
        const std::array items{item};
        exit(items);
      }
    }
    compare_all();
  }
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  /// False when nothing can be said of what comes next.
  bool step(Choices& choices) {
    const std::uint8_t operation = choices.byte();
    bool goes_on = true;
    switch (operation % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
      enter(choose_items(choices, false));
      break;
    case 4:
    case 5:
    case 6:
      exit(choose_items(choices, true));
      break;
    case 7:
      goes_on = update(choices);
      break;
    case 8:
      associate(choices.below(kArena), choices.byte() % 64 + 1);
      break;
    case 9:
      disassociate(some_begin(choices));
      break;
    case 10:
      neighbours(choices);
      break;
    case 11:
      write_device(choices);
      break;
    case 12: {
      const Offset at = choices.below(kArena);
      if (!is_slot(at)) {
        write_host(at, choices.byte());
      }
      break;
    }
    case 13:
      attach(choices);
      break;
    case 14:
      leave_both(choices);
      break;
    default:
      look(choices.below(kArena));
      break;
    }
    if (++steps_ % kPeriod == 0) {
      compare_all();
    }
    return goes_on;
  }

private:
  static constexpr Offset kSlots = 1024; ///< pointers lie in the first so many bytes

  [[nodiscard]] bool is_slot(Offset at) const {
    return at < kSlots && slots_[at / DataModel::kPointer];
  }

  void write_host(Offset at, std::uint8_t value) {
    arena_[at] = std::byte{value};
    model_.host[at] = value;
  }

  /// Where an object begins, most times.
  Offset some_begin(Choices& choices) {
    const Offset at = choices.below(kArena);
    const auto object = model_.objects().lower_bound(at);
    return object == model_.objects().end() || choices.byte() % 16 == 0 ? at : object->first;
  }

  ModelItem choose_item(Choices& choices, bool exits) {
    const std::uint8_t bits = choices.byte();
    ModelItem item;
    item.to = (bits & 1) != 0 && !exits;
    item.from = (bits & 2) != 0 && exits;
    item.always = (bits & 12) == 12;
    item.hold = (bits & 48) == 48;
    item.present = (bits & 192) == 192;
    item.remove = exits && !item.from && !item.hold && (bits & 13) == 13;
    const std::uint8_t shape = choices.byte();
    item.begin = (shape & 1) != 0 ? some_begin(choices) : choices.below(kArena);
    const auto object = model_.objects().find(item.begin);
    if ((shape & 6) != 0 && object != model_.objects().end()) {
      item.size = object->second.end - item.begin;
      if ((shape & 24) == 24) { // a part of it
        const Offset first = choices.byte() % item.size;
        item.begin += first;
        item.size = choices.byte() % (item.size - first + 1);
      } else if ((shape & 96) == 96) { // and what is behind
        item.size += choices.byte();
      }
    } else {
      item.size = (shape & 8) != 0 ? choices.byte() : choices.byte() % 32;
    }
    item.size = std::min(item.size, kArena - item.begin);
    return item;
  }

  std::vector<ModelItem> choose_items(Choices& choices, bool exits) {
    std::vector<ModelItem> items(choices.byte() % 3 + 1);
    for (ModelItem& item : items) {
      item = choose_item(choices, exits);
    }
    return items;
  }

  MapItem map_item(const ModelItem& item) {
    MapItem result;
    result.base = result.begin = arena_.data() + item.begin;
    result.size = item.size;
    result.to = item.to;
    result.from = item.from;
    result.always = item.always;
    result.present = item.present;
    result.hold = item.hold;
    result.remove = item.remove;
    result.pieces = item.pieces;
    result.stride = item.stride;
    if (item.attachment) {
      result.kind = MapKind::kAttachment;
      result.base = arena_.data() + item.slot;
      result.size = DataModel::kPointer;
    }
    return result;
  }

  std::vector<MapItem> map_items(std::span<const ModelItem> items) {
    std::vector<MapItem> result;
    for (const ModelItem& item : items) {
      result.push_back(map_item(item));
    }
    return result;
  }

  void enter(std::span<const ModelItem> items) {
    ++all_steps;
    Queue queue(queues_, construct_);
    const bool expected = model_.enter(items);
    if (environment_.enter(map_items(items), queue).has_value() != expected) {
      disagree("the success of enter", items.front().begin);
    }
  }

  void exit(std::span<const ModelItem> items) {
    ++all_steps;
    Queue queue(queues_, construct_);
    const bool expected = model_.exit(items);
    if (environment_.exit(map_items(items), queue).has_value() != expected) {
      disagree("the success of exit", items.front().begin);
    }
    compare_host(items);
  }

  bool update(Choices& choices) {
    ModelItem item = choose_item(choices, true);
    item.size = std::max<Offset>(item.size, 1);
    if (item.begin + item.size > kArena) {
      return true;
    }
    item.to = choices.byte() % 2 == 0;
    item.from = !item.to;
    if (item.size > 1 && choices.byte() % 2 == 0) {
      item.stride = choices.byte() % item.size + 1;
      const Offset piece = choices.byte() % item.stride + 1;
      item.pieces = (item.size - piece) / item.stride + 1;
      item.size = piece;
    }
    item.remove = item.hold = item.always = false;
    ++all_steps;
    Queue queue(queues_, construct_);
    const std::array items{item};
    const bool expected = model_.update(items);
    if (environment_.update(map_items(items), queue).has_value() != expected) {
      disagree("the success of update", item.begin);
    }
    return expected;
  }

  /// A run of neighbouring objects of one size, as blocks of an arena are.
  void neighbours(Choices& choices) {
    const Offset size = choices.byte() % 32 + 1;
    Offset begin = choices.below(kArena);
    for (int count = choices.byte() % 128; count >= 0 && begin + size <= kArena; --count) {
      const std::array items{ModelItem{.begin = begin, .size = size, .to = count % 2 == 0}};
      enter(items);
      begin += size;
    }
  }

  /// Two neighbours go and, at times, one object over both comes.
  void leave_both(Choices& choices) {
    const auto first = model_.objects().find(some_begin(choices));
    if (first == model_.objects().end() || first->second.infinite) {
      return;
    }
    const auto second = std::next(first);
    if (second == model_.objects().end() || second->second.infinite) {
      return;
    }
    std::array<ModelItem, 2> items;
    items[0] = {.begin = first->first, .size = first->second.end - first->first, .remove = true};
    items[1] = {.begin = second->first, .size = second->second.end - second->first, .remove = true};
    const ModelItem both{
        .begin = first->first, .size = second->second.end - first->first, .to = true};
    exit(items);
    if (choices.byte() % 4 != 0) {
      enter(std::array{both});
      look(items[1].begin);
    }
  }

  void associate(Offset begin, Offset size) {
    size = std::min(size, kArena - begin);
    if (size == 0) {
      return;
    }
    auto memory = plugin_.device().allocate(size);
    const bool expected = model_.associate(begin, size);
    const bool done = environment_.associate(arena_.data() + begin, size, *memory).has_value();
    if (done != expected) {
      disagree("the success of associate", begin);
    }
    if (done) {
      associated_[begin] = *memory;
    } else {
      (void)plugin_.device().release(*memory);
    }
  }

  void disassociate(Offset begin) {
    const bool expected = model_.disassociate(begin);
    if (environment_.disassociate(arena_.data() + begin).has_value() != expected) {
      disagree("the success of disassociate", begin);
    }
    if (expected) {
      (void)plugin_.device().release(associated_.extract(begin).mapped());
    }
  }

  /// A pointer is made to point to an object and mapped with it.
  void attach(Choices& choices) {
    ModelItem item = choose_item(choices, false);
    ModelItem pointer{.begin = item.begin, .always = choices.byte() % 4 == 0, .attachment = true};
    pointer.slot = choices.below(kSlots) / DataModel::kPointer * DataModel::kPointer;
    slots_[pointer.slot / DataModel::kPointer] = true;
    const std::byte* const pointee = arena_.data() + item.begin;
    std::memcpy(arena_.data() + pointer.slot, &pointee, sizeof pointee);
    for (Offset i = 0; i < DataModel::kPointer; ++i) {
      model_.host[pointer.slot + i].reset();
    }
    const ModelItem holder{.begin = pointer.slot, .size = DataModel::kPointer};
    std::vector<ModelItem> items{item, pointer};
    if (choices.byte() % 2 == 0) {
      items.push_back(holder);
    }
    enter(items);
  }

  std::byte* device_memory(Offset begin, const DataModel::Object& object) {
    const void* const place = environment_.corresponding(arena_.data() + begin, object.end - begin);
    std::byte* const memory =
        plugin_.memory(reinterpret_cast<std::uintptr_t>(place), object.end - begin);
    if (memory == nullptr) {
      disagree("where corresponding storage is", begin);
    }
    return memory;
  }

  /// As a region does it.
  void write_device(Choices& choices) {
    const Offset at = choices.below(kArena);
    const auto object = model_.holding(at, 1);
    if (object == model_.objects().end() || is_slot(at)) {
      return;
    }
    const std::uint8_t value = choices.byte();
    device_memory(object->first, object->second)[at - object->first] = std::byte{value};
    object->second.device[at - object->first] = value;
  }

  /// What is asked of an address in it.
  void look(Offset at) {
    const auto object = model_.holding(at, 1);
    const bool present = object != model_.objects().end();
    if (environment_.is_present(arena_.data() + at, 1) != present ||
        (environment_.corresponding(arena_.data() + at, 1) != nullptr) != present) {
      disagree("presence", at);
    }
    if (present &&
        plugin_.memory(
            reinterpret_cast<std::uintptr_t>(environment_.corresponding(arena_.data() + at, 1)),
            1) != device_memory(object->first, object->second) + at - object->first) {
      disagree("the corresponding address", at);
    }
  }

  void compare_host(Offset begin, Offset end) {
    for (Offset i = begin; i < end; ++i) {
      if (model_.host[i] && std::byte{*model_.host[i]} != arena_[i]) {
        disagree("the host's value", i);
      }
    }
  }
  void compare_host(std::span<const ModelItem> items) {
    for (const ModelItem& item : items) {
      compare_host(item.begin, item.begin + item.size);
    }
  }

  void compare_all() {
    compare_host(0, kArena);
    if (const char* const broken = environment_.broken_invariant(); broken != nullptr) {
      std::fprintf(stderr, "a broken invariant: %s\n", broken);
      std::abort();
    }
    std::size_t count = 0;
    environment_.for_each_count([&](std::uintptr_t begin, std::uint64_t size,
                                    std::uint64_t references, std::uint64_t holds) {
      const auto offset =
          static_cast<Offset>(begin - reinterpret_cast<std::uintptr_t>(arena_.data()));
      const auto object = model_.objects().find(offset);
      if (object == model_.objects().end() || object->second.end - offset != size ||
          (!object->second.infinite &&
           (object->second.references != references || object->second.holds != holds))) {
        disagree("the extent or the reference count", offset);
      }
      ++count;
    });
    if (count != model_.objects().size()) {
      disagree("the number of objects", 0);
    }
    for (const auto& [begin, object] : model_.objects()) {
      compare(begin, object);
      look(begin);
      look(object.end - 1);
    }
  }

  void compare(Offset begin, const DataModel::Object& object) {
    const std::byte* const device = device_memory(begin, object);
    for (Offset i = 0; i < object.end - begin; ++i) {
      if (object.device[i] && std::byte{*object.device[i]} != device[i]) {
        disagree("the device's value", begin + i);
      }
    }
    for (const auto& [slot, pointer] : object.attached) {
      const auto pointee = model_.holding(pointer.pointee, 0);
      if (pointee == model_.objects().end() || pointee->second.generation != pointer.generation) {
        continue; // it points to what is gone
      }
      const void* value = nullptr;
      std::memcpy(&value, device + (slot - begin), sizeof value);
      if (value != environment_.corresponding(arena_.data() + pointer.pointee, 1)) {
        disagree("an attached pointer", slot);
      }
    }
  }

  alignas(64) std::array<std::byte, kArena> arena_{};
  std::array<bool, kSlots / DataModel::kPointer> slots_{};
  DataModel model_{kArena};
  testing::FakePlugin plugin_{testing::Memory::kSeparate, false};
  QueuePool queues_{plugin_.device()};
  AllocationTable allocations_;
  DataEnvironment environment_{plugin_.device(), allocations_};
  Construct construct_{"target data", "fuzz.cpp:7"};
  std::map<Offset, void*> associated_;
  int steps_ = 0;
};

} // namespace
} // namespace gantry::core::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gantry::core::fuzz;
  const auto comparison = std::make_unique<Comparison>();
  Choices choices({data, size});
  while (!choices.empty() && comparison->step(choices)) {
  }
  return 0;
}
