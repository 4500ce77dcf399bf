// A barrier in shared memory (PTX ISA 9.0, 9.7.13.15): what its 8 bytes hold, and what happens to
// it. The layout is our own, as the ISA calls the object opaque:
//
//   bits  0 … 19  pending arrivals of the current phase
//        20 … 39  expected arrivals of the next phases
//        40 … 60  bytes that the phase waits for (tx-count), with a sign
//        61       parity of the current phase
//        62, 63   1, 0: distinguishes a barrier from memory of zeros or ones
//
// A state, which an arrival gives, is the word before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::simt::exec {

struct Mbarrier {
  static constexpr std::uint32_t kMostArrivals = (1 << 20) - 1;
  static constexpr std::int32_t kMostBytes = (1 << 20) - 1;
  static constexpr unsigned kBytes = 8; ///< size and alignment

  std::uint32_t pending = 0;
  std::uint32_t expected = 0;
  std::int32_t transactions = 0;
  bool parity = false;

  /// Nothing if the word is no barrier's.
  [[nodiscard]] static std::optional<Mbarrier> of(std::uint64_t word);
  [[nodiscard]] std::uint64_t word() const;

  // What is wrong, and then nothing has changed; empty if nothing is.
  [[nodiscard]] std::string_view init(std::uint64_t count);
  [[nodiscard]] std::string_view arrive(std::uint64_t count, bool drops, bool must_not_complete);
  /// One more arrival than expected, of this phase alone.
  [[nodiscard]] std::string_view join();
  [[nodiscard]] std::string_view expect(std::int64_t bytes);
  [[nodiscard]] std::string_view complete(std::int64_t bytes);

private:
  /// Ends the phase if nothing is missing. Returns whether it has.
  bool settle();
};

} // namespace gantry::simt::exec
