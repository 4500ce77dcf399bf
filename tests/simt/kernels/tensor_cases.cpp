// Kernels of tensor.ptx, and one for each shape and type of mma. Elements are whole numbers, so
// that sums are exact, whatever a device's order of adding is.
#include "kernel_case.h"
#include "narrow_float.h"

#include <bit>

#include <fmt/format.h>

namespace gantry::simt::testing {

namespace {

using Word = std::uint64_t;

constexpr std::size_t kSize = 64;
constexpr std::size_t kLanes = 32;

int small(Random& random) {
  return static_cast<int>(random.below(17)) - 8;
}

std::uint16_t half(int number) {
  return to_bits(kHalf, number);
}

std::vector<std::uint16_t> halves(const std::vector<int>& numbers) {
  std::vector<std::uint16_t> result;
  for (const int number : numbers) {
    result.push_back(half(number));
  }
  return result;
}

Result multiply(Driver& driver, const char* kernel) {
  Random random(71);
  const auto make = [&] { return small(random); };
  const auto a = Random::list<int>(kSize * kSize, make);
  const auto b = Random::list<int>(kSize * kSize, make);
  std::vector<float> expected(kSize * kSize);
  for (std::size_t row = 0; row < kSize; ++row) {
    for (std::size_t column = 0; column < kSize; ++column) {
      int sum = 0;
      for (std::size_t i = 0; i < kSize; ++i) {
        sum += a[row * kSize + i] * b[i * kSize + column];
      }
      expected[row * kSize + column] = static_cast<float>(sum);
    }
  }
  Module module(driver, ptx_of("tensor"));
  const DeviceBuffer buffer_a(driver, halves(a));
  const DeviceBuffer buffer_b(driver, halves(b));
  const DeviceBuffer<float> buffer_c(driver, expected.size());
  module.kernel(kernel).launch({{kSize / 8}, {128}}, buffer_a, buffer_b, buffer_c);
  Result result;
  result.add("product", buffer_c.download(), expected);
  return result;
}

enum class Kind { kHalf, kBfloat, kTf32, kSingle, kDouble, kSigned, kUnsigned, kBits };

/// The elements of one operand.
struct Format {
  const char* name;
  Kind kind;
  unsigned bits;

  [[nodiscard]] unsigned register_bits() const { return bits == 64 ? 64 : 32; }
  [[nodiscard]] unsigned in_register() const { return register_bits() / bits; }
  [[nodiscard]] Word encoded(int number) const {
    switch (kind) {
    case Kind::kHalf:
      return half(number);
    case Kind::kBfloat:
      return to_bits(testing::kBfloat, number);
    case Kind::kDouble:
      return std::bit_cast<Word>(static_cast<double>(number));
    case Kind::kTf32:
    case Kind::kSingle:
      return std::bit_cast<std::uint32_t>(static_cast<float>(number));
    default:
      return static_cast<Word>(number) & ((Word{1} << bits) - 1);
    }
  }
  [[nodiscard]] int number(Random& random) const {
    const std::uint32_t some = random.bits();
    switch (kind) {
    case Kind::kSigned:
      return bits == 32 ? static_cast<int>(some % 20001) - 10000
                        : static_cast<int>(some << (32 - bits)) >> (32 - bits);
    case Kind::kUnsigned:
    case Kind::kBits:
      return static_cast<int>(some & ((1U << bits) - 1));
    default:
      return static_cast<int>(some % 17) - 8;
    }
  }
};
constexpr Format kF16 = {"f16", Kind::kHalf, 16};
constexpr Format kBf16 = {"bf16", Kind::kBfloat, 16};
constexpr Format kTf32 = {"tf32", Kind::kTf32, 32};
constexpr Format kF32 = {"f32", Kind::kSingle, 32};
constexpr Format kF64 = {"f64", Kind::kDouble, 64};
constexpr Format kS32 = {"s32", Kind::kSigned, 32};
constexpr Format kS8 = {"s8", Kind::kSigned, 8};
constexpr Format kU8 = {"u8", Kind::kUnsigned, 8};
constexpr Format kS4 = {"s4", Kind::kSigned, 4};
constexpr Format kU4 = {"u4", Kind::kUnsigned, 4};
constexpr Format kB1 = {"b1", Kind::kBits, 1};

struct Product {
  std::size_t rows, depth;
  Format result, a, b;
  const char* suffix = "";
};

/// Where a lane's element i is: of A and C by row and column, of B by column and row.
struct Place {
  std::size_t first, second;
};
Place place_of_factor(std::size_t lane, std::size_t i, std::size_t in_register, std::size_t bands) {
  const std::size_t word = i / in_register;
  return {lane / 4 + 8 * (word % bands),
          (word / bands * 4 + lane % 4) * in_register + i % in_register};
}
Place place_of_sum(std::size_t lane, std::size_t i) {
  return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2};
}

std::string vector(const char* name, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("{}%{}{}", i == 0 ? "{" : ", ", name, i);
  }
  return text + "}";
}

class ProductCase {
public:
  explicit ProductCase(const Product& product)
      : product_(product), a_(product.rows * product.depth / kLanes / product.a.in_register()),
        b_(8 * product.depth / kLanes / product.b.in_register()),
        c_(8 * product.rows / kLanes / product.result.in_register()) {}

  void add_to(Result& result, Driver& driver, unsigned target) const {
    Random random(72);
    const auto make_list = [&](std::size_t registers, const Format& format) {
      return Random::list<int>(kLanes * registers * format.in_register(),
                               [&] { return format.number(random); });
    };
    const std::vector<int> a = make_list(a_, product_.a);
    const std::vector<int> b = make_list(b_, product_.b);
    const std::vector<int> c = make_list(c_, product_.result);
    Module module(driver, text(target));
    const DeviceBuffer buffer_a(driver, registers_of(a, product_.a));
    const DeviceBuffer buffer_b(driver, registers_of(b, product_.b));
    const DeviceBuffer buffer_c(driver, registers_of(c, product_.result));
    const DeviceBuffer<Word> buffer_d(driver, c_ * kLanes);
    module.kernel("multiply").launch({{1}, {kLanes}}, buffer_a, buffer_b, buffer_c, buffer_d);
    result.add(name(), buffer_d.download(), registers_of(expected(a, b, c), product_.result));
  }

private:
  [[nodiscard]] std::string name() const {
    return fmt::format("m{}n8k{}.{}.{}.{}{}", product_.rows, product_.depth, product_.result.name,
                       product_.a.name, product_.b.name, product_.suffix);
  }

  /// A lane's registers are side by side, each in a word.
  [[nodiscard]] std::string text(unsigned target) const {
    const unsigned bits = product_.a.register_bits();
    std::string text = fmt::format(
        ".version 7.8\n.target sm_{}\n.address_size 64\n.visible .entry multiply(.param .u64 a, "
        ".param .u64 b, .param .u64 c, .param .u64 d)\n{{\n.reg .b{} %a<{}>, %b<{}>, %c<{}>;\n"
        ".reg .b32 %lane; .reg .b64 %at<4>;\nmov.u32 %lane, %tid.x;\n",
        target, bits, a_, b_, c_);
    const auto address = [&](unsigned index, const char* parameter, std::size_t count) {
      text += fmt::format("ld.param.u64 %at{0}, [{1}]; mad.wide.u32 %at{0}, %lane, {2}, %at{0};\n",
                          index, parameter, count * sizeof(Word));
    };
    const auto load = [&](unsigned index, const char* parameter, std::size_t count) {
      address(index, parameter, count);
      for (std::size_t i = 0; i < count; ++i) {
        text += fmt::format("ld.global.b{} %{}{}, [%at{}+{}];\n", bits, parameter, i, index,
                            i * sizeof(Word));
      }
    };
    load(0, "a", a_);
    load(1, "b", b_);
    load(2, "c", c_);
    address(3, "d", c_);
    const bool saturates = std::string_view(product_.suffix) == ".satfinite";
    text += fmt::format("mma.sync.aligned.m{}n8k{}.row.col{}.{}.{}.{}.{}{} {}, {}, {}, {};\n",
                        product_.rows, product_.depth, saturates ? product_.suffix : "",
                        product_.result.name, product_.a.name, product_.b.name,
                        product_.result.name, saturates ? "" : product_.suffix, vector("c", c_),
                        vector("a", a_), vector("b", b_), vector("c", c_));
    for (std::size_t i = 0; i < c_; ++i) {
      text += bits == 32 ? fmt::format("{{ .reg .b64 %wide; cvt.u64.u32 %wide, %c{}; st.global.b64 "
                                       "[%at3+{}], %wide; }}\n",
                                       i, i * sizeof(Word))
                         : fmt::format("st.global.b64 [%at3+{}], %c{};\n", i * sizeof(Word), i);
    }
    return text + "ret;\n}\n";
  }

  [[nodiscard]] static std::vector<Word> registers_of(const std::vector<int>& numbers,
                                                      const Format& format) {
    std::vector<Word> words(numbers.size() / format.in_register());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      words[i / format.in_register()] |= format.encoded(numbers[i])
                                         << (i % format.in_register() * format.bits);
    }
    return words;
  }

  [[nodiscard]] int term(int a, int b) const {
    if (product_.a.kind != Kind::kBits) {
      return a * b;
    }
    return std::string_view(product_.suffix) == ".and.popc" ? a & b : a ^ b;
  }

  [[nodiscard]] std::vector<int> expected(const std::vector<int>& a, const std::vector<int>& b,
                                          const std::vector<int>& c) const {
    const std::size_t depth = product_.depth;
    std::vector<int> rows(product_.rows * depth);
    std::vector<int> columns(8 * depth);
    const auto gather = [&](const std::vector<int>& lanes, std::size_t in_register,
                            std::size_t bands, std::vector<int>& matrix) {
      const std::size_t each = lanes.size() / kLanes;
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        const Place place = place_of_factor(i / each, i % each, in_register, bands);
        matrix[place.first * depth + place.second] = lanes[i];
      }
    };
    gather(a, product_.a.in_register(), product_.rows / 8, rows);
    gather(b, product_.b.in_register(), 1, columns);
    std::vector<int> result = c;
    const std::size_t each = c.size() / kLanes;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const Place place = place_of_sum(i / each, i % each);
      for (std::size_t k = 0; k < depth; ++k) {
        result[i] += term(rows[place.first * depth + k], columns[place.second * depth + k]);
      }
    }
    return result;
  }

  Product product_;
  std::size_t a_, b_, c_;
};

Result multiply_all(Driver& driver, const std::vector<Product>& products, unsigned target) {
  Result result;
  for (const Product& product : products) {
    ProductCase(product).add_to(result, driver, target);
  }
  return result;
}

} // namespace

GANTRY_KERNEL_CASE(tensor_product_by_matrices) {
  return multiply(driver, "product_by_matrices");
}

GANTRY_KERNEL_CASE(tensor_product_by_loads) {
  return multiply(driver, "product_by_loads");
}

GANTRY_KERNEL_CASE(tensor_floats) {
  return multiply_all(driver,
                      {{16, 8, kF16, kF16, kF16},
                       {16, 16, kF16, kF16, kF16},
                       {16, 8, kF32, kF16, kF16},
                       {16, 16, kF32, kF16, kF16},
                       {16, 8, kF32, kBf16, kBf16},
                       {16, 16, kF32, kBf16, kBf16},
                       {16, 4, kF32, kTf32, kTf32},
                       {16, 8, kF32, kTf32, kTf32},
                       {8, 4, kF64, kF64, kF64}},
                      80);
}

GANTRY_KERNEL_CASE(tensor_integers) {
  std::vector<Product> products;
  for (const char* suffix : {"", ".satfinite"}) {
    for (const auto& [rows, depth] :
         {std::pair<std::size_t, std::size_t>{8, 16}, {16, 16}, {16, 32}}) {
      products.push_back({rows, depth, kS32, kS8, kU8, suffix});
      products.push_back({rows, depth, kS32, kU8, kS8, suffix});
      products.push_back({rows, 2 * depth, kS32, kS4, kU4, suffix});
      products.push_back({rows, 2 * depth, kS32, kU4, kS4, suffix});
    }
  }
  for (const char* suffix : {".xor.popc", ".and.popc"}) {
    products.push_back({8, 128, kS32, kB1, kB1, suffix});
    products.push_back({16, 128, kS32, kB1, kB1, suffix});
    products.push_back({16, 256, kS32, kB1, kB1, suffix});
  }
  return multiply_all(driver, products, 80);
}

GANTRY_KERNEL_CASE(tensor_doubles_of_sm_90) {
  if (driver.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) < 9) {
    return {};
  }
  return multiply_all(
      driver, {{16, 4, kF64, kF64, kF64}, {16, 8, kF64, kF64, kF64}, {16, 16, kF64, kF64, kF64}},
      90);
}

GANTRY_KERNEL_CASE(tensor_product_of_quarters) {
  Random random(74);
  const auto make = [&] { return small(random); };
  const auto a = Random::list<int>(kLanes * 4, make);
  const auto b = Random::list<int>(kLanes * 4, make);
  const auto c = Random::list<float>(kLanes * 8, make);
  // A lane has a row of A and a column of B; the other half of its quarter's are 16 lanes behind.
  const auto lane_of = [](std::size_t quarter, std::size_t index) {
    return quarter * 4 + index % 4 + (index < 4 ? 0 : 16);
  };
  std::vector<float> expected = c;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t lane = i / 8;
    const std::size_t quarter = lane / 4 % 4;
    const std::size_t row = (lane & 1) + (i & 2) + (lane < 16 ? 0 : 4);
    const std::size_t column = (i & 4) + (lane & 2) + (i & 1);
    for (std::size_t k = 0; k < 4; ++k) {
      expected[i] += static_cast<float>(a[lane_of(quarter, row) * 4 + k] *
                                        b[lane_of(quarter, column) * 4 + k]);
    }
  }
  Module module(driver, ptx_of("tensor"));
  const DeviceBuffer buffer_a(driver, halves(a));
  const DeviceBuffer buffer_b(driver, halves(b));
  const DeviceBuffer buffer_c(driver, c);
  module.kernel("product_of_quarters").launch({{1}, {kLanes}}, buffer_a, buffer_b, buffer_c);
  Result result;
  result.add("product", buffer_c.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(tensor_product_after_waiting) {
  Random random(73);
  const auto make = [&] { return static_cast<std::uint16_t>(half(small(random))); };
  const auto a = Random::list<std::uint16_t>(kLanes * 8, make);
  const auto b = Random::list<std::uint16_t>(kLanes * 4, make);
  const auto number = [](std::uint16_t bits) { return static_cast<float>(to_number(kHalf, bits)); };
  std::vector<float> expected(kLanes * 4);
  std::vector<std::uint16_t> transposed(kLanes * 2);
  std::array<std::array<float, 16>, 16> rows = {};
  std::array<std::array<float, 16>, 8> columns = {};
  std::array<std::array<std::uint16_t, 8>, 8> corner = {};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Place place = place_of_factor(i / 8, i % 8, 2, 2);
    rows[place.first][place.second] = number(a[i]);
    if (i % 8 < 2) {
      corner[place.first][place.second] = a[i];
    }
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    const Place place = place_of_factor(i / 4, i % 4, 2, 1);
    columns[place.first][place.second] = number(b[i]);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Place place = place_of_sum(i / 4, i % 4);
    for (std::size_t k = 0; k < 16; ++k) {
      expected[i] += rows[place.first][k] * columns[place.second][k];
    }
  }
  for (std::size_t i = 0; i < transposed.size(); ++i) {
    const Place place = place_of_sum(i / 2, i % 2);
    transposed[i] = corner[place.second][place.first];
  }
  Module module(driver, ptx_of("tensor"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<float> buffer_c(driver, expected.size());
  const DeviceBuffer<std::uint16_t> buffer_d(driver, transposed.size());
  module.kernel("product_after_waiting")
      .launch({{1}, {kLanes}}, buffer_a, buffer_b, buffer_c, buffer_d);
  Result result;
  result.add("product", buffer_c.download(), expected);
  result.add("transposed", buffer_d.download(), transposed);
  return result;
}

} // namespace gantry::simt::testing
