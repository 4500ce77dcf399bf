#include "kernel_case.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

namespace gantry::simt::testing {

namespace {

std::vector<KernelCase>& table() {
  static std::vector<KernelCase> cases;
  return cases;
}

/// How many values of the type lie between, one of the two counted; -0 and 0 are one apart.
template <typename Float, typename Bits>
double steps_between(Float left, Float right) {
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  const auto left_bits = std::bit_cast<Bits>(left);
  const auto right_bits = std::bit_cast<Bits>(right);
  const Bits left_magnitude = left_bits & ~kSign;
  const Bits right_magnitude = right_bits & ~kSign;
  if ((left_bits & kSign) != (right_bits & kSign)) {
    return static_cast<double>(left_magnitude) + static_cast<double>(right_magnitude) + 1;
  }
  return static_cast<double>(std::max(left_magnitude, right_magnitude) -
                             std::min(left_magnitude, right_magnitude));
}

template <typename Float, typename Bits>
Difference floating_difference(double ulps, std::span<const std::byte> actual,
                               std::span<const std::byte> expected) {
  Difference found;
  for (std::size_t i = 0; i + sizeof(Float) <= actual.size(); i += sizeof(Float)) {
    Float left;
    Float right;
    std::memcpy(&left, &actual[i], sizeof left);
    std::memcpy(&right, &expected[i], sizeof right);
    const bool equal = std::bit_cast<Bits>(left) == std::bit_cast<Bits>(right) ||
                       (std::isnan(left) && std::isnan(right));
    if (equal) {
      continue;
    }
    ++found.differing;
    const bool comparable = !std::isnan(left) && !std::isnan(right);
    const double distance = comparable ? steps_between<Float, Bits>(left, right) : HUGE_VAL;
    found.largest_ulps = std::max(found.largest_ulps, distance);
    if ((ulps == 0 || distance > ulps) && found.text.empty()) {
      found.text =
          fmt::format("element {} is {:.17g} ({:#x}), expected {:.17g} ({:#x})", i / sizeof(Float),
                      left, std::bit_cast<Bits>(left), right, std::bit_cast<Bits>(right));
    }
  }
  return found;
}

Difference byte_difference(std::span<const std::byte> actual, std::span<const std::byte> expected) {
  Difference found;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i]) {
      continue;
    }
    ++found.differing;
    if (found.text.empty()) {
      const std::size_t start = i & ~std::size_t{7};
      const std::size_t end = std::min(start + 8, actual.size());
      const auto hex = [&](std::span<const std::byte> bytes) {
        std::string text;
        for (std::size_t k = start; k < end; ++k) {
          text += fmt::format("{:02x}{}", static_cast<unsigned>(bytes[k]), k + 1 < end ? " " : "");
        }
        return text;
      };
      found.text =
          fmt::format("bytes from {} are {}, expected {}", start, hex(actual), hex(expected));
    }
  }
  return found;
}

} // namespace

Difference difference(Element element, double ulps, std::span<const std::byte> actual,
                      std::span<const std::byte> expected) {
  if (actual.size() != expected.size()) {
    return {0, 1, fmt::format("{} bytes, expected {}", actual.size(), expected.size())};
  }
  switch (element) {
  case Element::kFloat:
    return floating_difference<float, std::uint32_t>(ulps, actual, expected);
  case Element::kDouble:
    return floating_difference<double, std::uint64_t>(ulps, actual, expected);
  case Element::kBytes:
    break;
  }
  return byte_difference(actual, expected);
}

std::vector<KernelCase> kernel_cases() {
  std::vector<KernelCase> cases = table();
  std::sort(cases.begin(), cases.end(), [](const KernelCase& a, const KernelCase& b) {
    return std::string_view(a.name) < std::string_view(b.name);
  });
  return cases;
}

Registration::Registration(const char* name, Result (*run)(Driver& driver)) noexcept {
  table().push_back({name, run});
}

std::string ptx_of(const std::string& name) {
  const char* const folder = std::getenv("GANTRY_SIMT_KERNELS");
  const std::string path =
      std::string(folder != nullptr ? folder : GANTRY_SIMT_KERNELS) + "/" + name + ".ptx";
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error(path + " cannot be read");
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace gantry::simt::testing
