// Which bytes of the arena are fresh: allocated, and never written since (GANTRY_SIMT_CHECK=init).
// One bit for each byte; memory that is not known of is not fresh.
//
// Any thread may call anything; marks of different bytes do not disturb each other.
#pragma once

#include <cstdint>
#include <memory>

namespace gantry::simt::exec {

class FreshBytes {
public:
  /// For the arena [arena, arena + size); takes memory as it is marked. Null if the address space
  /// is too small.
  [[nodiscard]] static std::unique_ptr<FreshBytes> reserve(std::uint64_t arena, std::uint64_t size);
  ~FreshBytes();
  FreshBytes(const FreshBytes&) = delete;
  FreshBytes& operator=(const FreshBytes&) = delete;

  /// Addresses outside of the arena are left alone.
  void mark_fresh(std::uint64_t address, std::uint64_t size) { mark(address, size, true); }
  void mark_written(std::uint64_t address, std::uint64_t size) { mark(address, size, false); }
  /// [to, to + size) is a copy of [from, from + size).
  void copy(std::uint64_t to, std::uint64_t from, std::uint64_t size);
  /// Whether each of `size` > 0 bytes is fresh.
  [[nodiscard]] bool all_fresh(std::uint64_t address, std::uint64_t size) const;

private:
  FreshBytes(std::uint64_t arena, std::uint64_t size, std::uint8_t* bits)
      : arena_(arena), size_(size), bits_(bits) {}
  void mark(std::uint64_t address, std::uint64_t size, bool fresh);
  void set_bits(std::uint64_t byte, std::uint8_t bits, bool fresh);
  [[nodiscard]] bool is_fresh(std::uint64_t address) const;

  std::uint64_t arena_, size_;
  std::uint8_t* bits_;
};

} // namespace gantry::simt::exec
