#include "base/printf_format.h"

#include <bit>
#include <cstdio>
#include <deque>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

namespace gantry {
namespace {

/// Arguments that say what they were asked for.
class Listed final : public PrintfArguments {
public:
  using Value = std::variant<std::uint64_t, std::string>;
  explicit Listed(std::deque<Value> values) : values_(std::move(values)) {}

  std::uint64_t take(std::size_t size) override {
    asked += std::to_string(size);
    const Value value = next();
    return std::holds_alternative<std::uint64_t>(value) ? std::get<std::uint64_t>(value) : 0;
  }
  std::string take_string(std::size_t limit) override {
    asked += "s";
    const Value value = next();
    return std::holds_alternative<std::string>(value)
               ? std::get<std::string>(value).substr(0, limit)
               : "";
  }
  [[nodiscard]] bool good() const override { return good_; }

  std::string asked;

private:
  Value next() {
    good_ = good_ && !values_.empty();
    if (!good_) {
      return {};
    }
    Value value = values_.front();
    values_.pop_front();
    return value;
  }

  std::deque<Value> values_;
  bool good_ = true;
};

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}
std::uint64_t bits(int value) {
  return static_cast<std::uint32_t>(value);
}

std::pair<std::string, std::string> print(std::string_view format,
                                          std::deque<Listed::Value> values = {}) {
  Listed arguments(std::move(values));
  std::string text;
  EXPECT_TRUE(append_printf(text, format, arguments)) << format;
  return {text, arguments.asked};
}

using Pair = std::pair<std::string, std::string>;

TEST(PrintfFormat, SizesOfArguments) {
  EXPECT_EQ(print("%d %ld %hhd %f %s %c %p",
                  {bits(-1), ~0UL, bits(0x1ff), bits(1.5), "text", bits('x'), 16UL}),
            Pair("-1 -1 -1 1.500000 text x 0x10", "4848s48"));
  EXPECT_EQ(print("%zu %jd %td %llx %Lg", {1UL, 2UL, 3UL, 255UL, bits(0.5)}),
            Pair("1 2 3 ff 0.5", "88888"));
}

TEST(PrintfFormat, StarsComeFirst) {
  EXPECT_EQ(
      print("|%*d|%-*.*f|%.*s|", {bits(4), bits(7), bits(6), bits(1), bits(2.25), bits(2), "abc"}),
      Pair("|   7|2.2   |ab|", "444484s"));
  EXPECT_EQ(print("|%*d|", {bits(-3), bits(7)}).first, "|7  |");
  EXPECT_EQ(print("|%.*d|", {bits(-3), bits(7)}).first, "|7|");
}

TEST(PrintfFormat, WhatTakesNoArgument) {
  EXPECT_EQ(print("%% %5% %*% %n%*n %y %*y %ls %hc %"), Pair("% % %  %y %*y %ls %hc %", ""));
}

TEST(PrintfFormat, EndsWhereAnArgumentIsMissing) {
  Listed arguments({bits(1)});
  std::string text;
  EXPECT_FALSE(append_printf(text, "a %d b %s c", arguments));
  EXPECT_EQ(text, "a 1 b ");
}

} // namespace
} // namespace gantry
