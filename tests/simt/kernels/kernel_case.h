// A case: a function that runs kernels on a device and gives what came out beside what should have.
// The cases are in one table, which the tests walk, and gpu_compare on any libcuda.so.1.
#pragma once

#include "cuda.h"

#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace gantry::simt::testing {

/// What the bytes of an output are, as far as comparing needs it: the NaNs of a type are all equal.
enum class Element : std::uint8_t { kBytes, kFloat, kDouble };

/// A buffer that kernels wrote.
struct Output {
  std::string name;
  Element element = Element::kBytes;
  double ulps = 0; ///< how many units in the last place two results may differ by; 0: equal
  std::vector<std::byte> actual;
  std::vector<std::byte> expected;
};

struct Result {
  std::vector<Output> outputs;

  template <typename T>
  void add(std::string name, const std::vector<T>& actual, const std::vector<T>& expected,
           double ulps = 0) {
    const Element element = std::is_same_v<T, float>    ? Element::kFloat
                            : std::is_same_v<T, double> ? Element::kDouble
                                                        : Element::kBytes;
    outputs.push_back({std::move(name), element, ulps, bytes_of(actual), bytes_of(expected)});
  }

private:
  template <typename T>
  static std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
  }
};

/// How two buffers differ. `text` is empty if they do not, beyond what is allowed; it names the
/// first element that does.
struct Difference {
  double largest_ulps = 0;
  std::size_t differing = 0; ///< elements that are not equal
  std::string text;
};
[[nodiscard]] Difference difference(Element element, double ulps, std::span<const std::byte> actual,
                                    std::span<const std::byte> expected);

struct KernelCase {
  const char* name;
  Result (*run)(Driver& driver);
};
/// All cases, in the order of their names.
[[nodiscard]] std::vector<KernelCase> kernel_cases();

struct Registration {
  // Runs before main(), where nothing could catch what it throws.
  Registration(const char* name, Result (*run)(Driver& driver)) noexcept;
};

#define GANTRY_KERNEL_CASE(name)                                                                   \
  static Result run_##name(Driver& driver);                                                        \
  static const Registration registration_##name(#name, run_##name);                                \
  static Result run_##name([[maybe_unused]] Driver& driver)

/// The committed PTX of a file NAME.ptx: from GANTRY_SIMT_KERNELS, or else the source folder.
[[nodiscard]] std::string ptx_of(const std::string& name);

/// Numbers that are the same in each run and on each machine.
class Random {
public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t bits() { return static_cast<std::uint32_t>(engine_()); }
  std::uint64_t wide_bits() { return std::uint64_t{bits()} << 32 | bits(); }
  /// Below `limit`.
  std::uint32_t below(std::uint32_t limit) { return bits() % limit; }
  /// In [low, high), a multiple of 1/65536 of the difference.
  double between(double low, double high) { return low + (high - low) * (bits() >> 16) / 65536; }

  template <typename T, typename Make>
  static std::vector<T> list(std::size_t count, Make make) {
    std::vector<T> values(count);
    for (T& value : values) {
      value = static_cast<T>(make());
    }
    return values;
  }

private:
  std::mt19937 engine_;
};

/// Element `column` of each row.
template <typename T>
[[nodiscard]] std::vector<T> column_of(const std::vector<T>& rows, std::size_t columns,
                                       std::size_t column) {
  std::vector<T> values;
  for (std::size_t i = column; i < rows.size(); i += columns) {
    values.push_back(rows[i]);
  }
  return values;
}

} // namespace gantry::simt::testing
