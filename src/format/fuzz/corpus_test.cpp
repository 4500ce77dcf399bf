// The seeds of the fuzzer as a test of every build: as they are, cut to every length, and damaged
// byte by byte. What it looks for are crashes and what the sanitizers find.

#include "format/fuzz/exercise.h"
#include "format/test_support.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <gtest/gtest.h>

namespace gantry::format {
namespace {

std::vector<std::string> corpus_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(GANTRY_CORPUS)) {
    names.push_back(file.path().filename());
  }
  return names;
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsRead) {
  exercise(exact_copy(corpus_file(GetParam()).bytes()));
}

TEST_P(Corpus, IsReadWhenCutShort) {
  for_each_truncation(corpus_file(GetParam()).bytes(), exercise);
}

TEST_P(Corpus, IsReadWhenDamaged) {
  std::vector<std::byte> damaged = exact_copy(corpus_file(GetParam()).bytes());
  for (std::size_t index = 0; index < damaged.size(); ++index) {
    const std::byte original = damaged[index];
    for (const std::byte value : {original ^ std::byte(1U << index % 8), std::byte{0xFF}}) {
      damaged[index] = value;
      exercise(damaged);
    }
    damaged[index] = original;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus, testing::ValuesIn(corpus_names()), [](const auto& file) {
  std::string name = file.param;
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

} // namespace
} // namespace gantry::format
