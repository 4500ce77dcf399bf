#include "simt/amdgcn/objects/metadata.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gantry::simt::amdgcn {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string packed(const json& value) {
  const std::vector<std::uint8_t> bytes = json::to_msgpack(value);
  return {bytes.begin(), bytes.end()};
}

std::string error_of(const std::string& bytes) {
  const auto kernels = parse_metadata(as_bytes(bytes));
  return kernels ? "" : kernels.error().message;
}

json good() {
  return {{"amdhsa.version", {1, 2}},
          {"amdhsa.kernels",
           {{{".symbol", "k.kd"},
             {".kernarg_segment_size", 280},
             {".kernarg_segment_align", 8},
             {".uses_dynamic_stack", true},
             {".args", json::array({{{".offset", 0}, {".size", 8}}})}}}}};
}

TEST(Metadata, NamesKernels) {
  const auto kernels = parse_metadata(as_bytes(packed(good())));
  ASSERT_TRUE(kernels) << kernels.error().message;
  ASSERT_EQ(kernels->size(), 1u);
  EXPECT_EQ(kernels->front().symbol, "k.kd");
  EXPECT_EQ(kernels->front().kernarg_bytes, 280u);
  EXPECT_EQ(kernels->front().kernarg_alignment, 8u);
  EXPECT_EQ(kernels->front().wavefront_size, std::nullopt);
  EXPECT_EQ(kernels->front().uses_dynamic_stack, true);
}

TEST(Metadata, SaysWhatIsWrong) {
  const auto with = [](auto&& change) {
    json value = good();
    change(value);
    return error_of(packed(value));
  };
  EXPECT_EQ(error_of(packed(json::array())), "the metadata is no map");
  EXPECT_THAT(with([](json& value) { value.erase("amdhsa.version"); }),
              HasSubstr("no amdhsa.version"));
  EXPECT_THAT(with([](json& value) { value["amdhsa.version"] = {1, "x"}; }),
              HasSubstr("no amdhsa.version"));
  EXPECT_THAT(with([](json& value) { value["amdhsa.version"] = {2, 0}; }), HasSubstr("2.0"));
  EXPECT_THAT(with([](json& value) { value["amdhsa.kernels"] = 1; }), HasSubstr("no array"));
  EXPECT_THAT(with([](json& value) { value["amdhsa.kernels"][0] = "k"; }), HasSubstr("no map"));
  EXPECT_THAT(with([](json& value) { value["amdhsa.kernels"][0].erase(".symbol"); }),
              HasSubstr("without a .symbol"));
  for (const json& wrong : {json(-1), json(1.5), json("8"), json(std::uint64_t{1} << 32)}) {
    EXPECT_THAT(
        with([&](json& value) { value["amdhsa.kernels"][0][".kernarg_segment_size"] = wrong; }),
        HasSubstr(".kernarg_segment_size is no number"));
  }
  EXPECT_THAT(with([](json& value) { value["amdhsa.kernels"][0][".uses_dynamic_stack"] = 1; }),
              HasSubstr("neither true nor false"));
}

TEST(Metadata, IsBounded) {
  EXPECT_THAT(error_of(""), HasSubstr("not MessagePack"));
  EXPECT_THAT(error_of("\xc1"), HasSubstr("not MessagePack"));
  // Arrays of one element each, which a parser that calls itself would follow to the stack's end.
  EXPECT_THAT(error_of(std::string(10'000'000, '\x91')), HasSubstr("more than 16 levels"));
  // An array, and a map, that claim four thousand million elements.
  EXPECT_THAT(error_of(std::string("\xdd\xff\xff\xff\xff", 5)), HasSubstr("not MessagePack"));
  EXPECT_THAT(error_of(std::string("\xdf\xff\xff\xff\xff", 5)), HasSubstr("not MessagePack"));
  EXPECT_THAT(error_of(std::string("\xdb\xff\xff\xff\xff", 5)), HasSubstr("not MessagePack"));
  EXPECT_THAT(error_of(packed(good()) + "x"), HasSubstr("not MessagePack")) << "more than a value";
  const std::string whole = packed(good());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(error_of(whole.substr(0, size)), "") << size;
  }
}

} // namespace
} // namespace gantry::simt::amdgcn
