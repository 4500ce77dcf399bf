// GANTRY_CHECK=map: what is known of the two copies of one object, byte by byte: the values that
// both had when a construct's copy made them the same, and those that the device's had when it was
// last looked at. A byte that no copy was ever asked for is the device's own, and nothing is known
// of it. It takes four times the object's size.
//
// Offsets are in bytes from the object's begin. Not thread-safe: its user holds the lock of the
// device data environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gantry::core {

class CopiedValues {
public:
  using Bytes = std::span<const std::byte>;

  /// Of an object of `size` bytes, none of which was copied.
  explicit CopiedValues(std::uint64_t size);

  /// Both copies have `values` at `offset` now, by a copy of `construct`.
  void copied(std::uint64_t offset, Bytes values, const std::string& construct);

  /// The device's copy has `device` at `offset`, since `construct`; empty: it is not known since
  /// when.
  void see_device(std::uint64_t offset, Bytes device, const std::string& construct);
  /// Writes over `values` what the device's copy had at `offset` when it was last looked at.
  void last_seen(std::uint64_t offset, std::span<std::byte> values) const;
  /// True once if a construct that is known has changed known bytes.
  [[nodiscard]] bool take_changed() { return std::exchange(changed_, false); }

  /// Bytes that differ.
  struct Difference {
    std::uint64_t first = 0; ///< offset of the first one
    std::uint64_t bytes = 0; ///< how many they are
    std::string copied_by;   ///< the construct that made the first one the same
    std::string changed_by;  ///< the one that changed it on the device since then; empty: not known
  };
  /// What the host has changed and the device does not have, where the host's copy has `host` at
  /// `offset`. A change is told once.
  [[nodiscard]] std::optional<Difference> take_host_changes(std::uint64_t offset, Bytes host);
  /// What the device's copy had otherwise than the host's, all of which is `host`, when it was last
  /// looked at.
  [[nodiscard]] std::optional<Difference> device_changes(Bytes host) const;

private:
  /// A construct in `constructs_`; 0 is none.
  using Number = std::uint16_t;
  /// Which construct it was is noted for each of these.
  static constexpr std::uint64_t kElement = 4;
  static constexpr std::uint8_t kKnown = 1;
  static constexpr std::uint8_t kTold = 2; ///< that the host has changed it since it was copied

  Number number_of(const std::string& construct);
  /// Counts byte `at` in.
  void add(std::optional<Difference>& found, std::uint64_t at) const;

  std::vector<std::byte> copied_;
  std::vector<std::byte> device_;
  std::vector<std::uint8_t> state_; ///< of every byte
  std::vector<Number> copied_by_;   ///< of every element
  std::vector<Number> changed_by_;
  std::vector<std::string> constructs_{""};
  bool changed_ = false;
};

} // namespace gantry::core
