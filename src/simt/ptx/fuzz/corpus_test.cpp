// The seeds of the fuzzer as a test of every build: as they are, cut to every length, and damaged
// byte by byte.

#include "simt/ptx/fuzz/exercise.h"
#include "simt/ptx/parser.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace gantry::simt::ptx {
namespace {

std::vector<std::string> corpus_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(GANTRY_CORPUS)) {
    names.push_back(file.path().filename());
  }
  return names;
}

std::string corpus_file(const std::string& name) {
  std::ifstream file(std::filesystem::path(GANTRY_CORPUS) / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class PtxCorpus : public testing::TestWithParam<std::string> {};

TEST_P(PtxCorpus, Parses) {
  std::string text = corpus_file(GetParam());
  exercise(text);
  text.resize(std::min(text.find('\x01'), text.size()));
  const auto module = parse(std::move(text), GetParam());
  EXPECT_TRUE(module) << module.error().text(GetParam());
}

TEST_P(PtxCorpus, IsReadWhenCutShort) {
  const std::string text = corpus_file(GetParam());
  for (std::size_t size = 0; size < text.size(); ++size) {
    exercise(std::string_view(text).substr(0, size));
  }
}

TEST_P(PtxCorpus, IsReadWhenDamaged) {
  std::string text = corpus_file(GetParam());
  for (std::size_t index = 0; index < text.size(); ++index) {
    const char original = text[index];
    for (const char value : {static_cast<char>(original ^ 1 << index % 7), ';', '{', '9', ' '}) {
      text[index] = value;
      exercise(text);
    }
    text[index] = original;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, PtxCorpus, testing::ValuesIn(corpus_names()), [](const auto& file) {
  std::string name = file.param;
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

} // namespace
} // namespace gantry::simt::ptx
