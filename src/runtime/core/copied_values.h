// GANTRY_CHECK=map: what is known of the two copies of one object, byte by byte: the values that
// both had when a construct's copy made them the same, and those that the device's had when it was
// last looked at. A byte that no copy was ever asked for is the device's own, and nothing is known
// of it.
//
// Offsets are in bytes from the object's begin. Not thread-safe: its user holds the lock of the
// device data environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/icl/interval_map.hpp>

namespace gantry::core {

class CopiedValues {
public:
  using Bytes = std::span<const std::byte>;

  /// Of an object of `size` bytes, none of which was copied.
  explicit CopiedValues(std::uint64_t size) : copied_(size), device_(size) {}

  /// Both copies have `values` at `offset` now, by a copy of `construct`.
  void copied(std::uint64_t offset, Bytes values, const std::string& construct);

  /// The device's copy, all of it, at the end of `construct`. True if known bytes have changed.
  bool see_device(Bytes device, const std::string& construct);

  /// Bytes that differ.
  struct Difference {
    std::uint64_t first = 0; ///< offset of the first one
    std::uint64_t bytes = 0; ///< how many they are
    std::string copied_by;   ///< the construct that made the first one the same
    std::string changed_by;  ///< the one that changed it on the device since then
  };
  /// What the host has changed and the device does not have, `host` being the host's copy, all of
  /// it. It is told once: the bytes are not known any more.
  [[nodiscard]] std::optional<Difference> take_host_changes(Bytes host);
  /// What the device's copy had otherwise than the host's when it was last looked at.
  [[nodiscard]] std::optional<Difference> device_changes(Bytes host) const;

private:
  /// Constructs by what they have done something to.
  using Constructs = boost::icl::interval_map<std::uint64_t, std::string>;

  std::vector<std::byte> copied_;
  std::vector<std::byte> device_;
  Constructs copied_by_; ///< of every known byte
  Constructs changed_by_;
};

} // namespace gantry::core
