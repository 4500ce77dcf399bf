// What the addresses of one device data environment are called in messages about faults: what is
// mapped there, what was, and which pointer led there.
#pragma once

#include "runtime/core/data/marks.h"
#include "runtime/core/events/events.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace gantry::core {

/// Any thread; takes the lock of the environment, but where it is said that it is held.
class StorageNames {
public:
  /// `guarded` outlives the object.
  explicit StorageNames(GuardedTable& guarded) : guarded_(guarded) {}
  StorageNames(const StorageNames&) = delete;
  StorageNames& operator=(const StorageNames&) = delete;

  struct Storage {
    std::string name;         ///< "'Y'", or "storage"
    std::uintptr_t begin = 0; ///< on the side that was asked for
    std::uint64_t size = 0;
    std::string mapped_at;   ///< " at app.cpp:12", or nothing
    std::string unmapped_at; ///< the same, of what is not mapped any more

    /// "which has 8192 bytes and was mapped at app.cpp:9".
    [[nodiscard]] std::string facts() const;
  };
  /// Corresponding storage that holds a device address, or the last one that held it and was
  /// unmapped lately (`gone`).
  [[nodiscard]] std::optional<Storage> at(std::uintptr_t device_address) const;
  [[nodiscard]] std::optional<Storage> gone_at(std::uintptr_t device_address) const;
  /// The one that lies before a device address, and the one behind it.
  [[nodiscard]] std::optional<Storage> before(std::uintptr_t device_address) const;
  [[nodiscard]] std::optional<Storage> behind(std::uintptr_t device_address) const;
  /// The original storage that holds a host address, of what is present.
  [[nodiscard]] std::optional<Storage> original_at(std::uintptr_t host_address) const;
  /// A pointer in original storage that points to a host address or not far before it, and is not
  /// attached: its offset and the storage that it is in.
  struct StrayPointer {
    Storage holder;
    std::uint64_t offset = 0;
    std::uintptr_t value = 0;
  };
  [[nodiscard]] std::optional<StrayPointer> pointer_to(std::uintptr_t host_address) const;

  /// Remembers what goes. With the lock.
  void note_gone(const Mapping& mapping, const Construct& construct);
  /// Forgets strings inside [begin, end), which is about to be unmapped. With the lock.
  void forget_strings(std::uintptr_t begin, std::uintptr_t end);

private:
  template <typename Better>
  [[nodiscard]] std::optional<Storage> choose(Better better) const;

  /// Strings live as long as their module.
  struct Gone {
    std::uintptr_t device_begin = 0;
    std::uint64_t size = 0;
    const char* name = nullptr;
    const char* mapped_at = nullptr;
    const char* unmapped_at = nullptr;
  };

  GuardedTable& guarded_;
  std::array<Gone, 64> gone_{};
  std::size_t next_gone_ = 0;
};

} // namespace gantry::core
