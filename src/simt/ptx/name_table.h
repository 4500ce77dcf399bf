// A table from words to values that is made by the compiler.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gantry::simt::ptx {

template <typename Value>
struct NamedValue {
  std::string_view name;
  Value value = {};
};

template <typename Value, std::size_t kCount>
class NameTable {
public:
  constexpr explicit NameTable(const std::array<NamedValue<Value>, kCount>& entries) {
    for (const NamedValue<Value>& entry : entries) {
      std::size_t slot = hash(entry.name) % kSlots;
      while (!slots_[slot].name.empty()) {
        slot = (slot + 1) % kSlots;
      }
      slots_[slot] = entry;
    }
  }

  [[nodiscard]] constexpr const Value* find(std::string_view name) const {
    for (std::size_t slot = hash(name) % kSlots; !slots_[slot].name.empty();
         slot = (slot + 1) % kSlots) {
      if (slots_[slot].name == name) {
        return &slots_[slot].value;
      }
    }
    return nullptr;
  }

private:
  static constexpr std::size_t kSlots = std::bit_ceil(kCount * 4);

  static constexpr std::uint32_t hash(std::string_view name) {
    std::uint32_t value = 2166136261U;
    for (const char character : name) {
      value = (value ^ static_cast<unsigned char>(character)) * 16777619U;
    }
    return value ^ value >> 15U;
  }

  std::array<NamedValue<Value>, kSlots> slots_ = {};
};

template <typename Value, std::size_t kCount>
NameTable(const std::array<NamedValue<Value>, kCount>&) -> NameTable<Value, kCount>;

} // namespace gantry::simt::ptx
