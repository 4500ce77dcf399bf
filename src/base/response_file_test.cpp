#include "base/response_file.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace gantry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ResponseFileTest : public testing::Test {
protected:
  ResponseFileTest() { std::filesystem::create_directory(folder_); }
  ~ResponseFileTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name) << text;
    return "@" + (folder_ / name).string();
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("response-{}", getpid());
};

Result<std::vector<std::string>> expand(const std::vector<std::string>& arguments) {
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) {
    pointers.push_back(argument.c_str());
  }
  return expand_response_files(pointers);
}

TEST_F(ResponseFileTest, QuotesAndBackslashesKeepWordsTogether) {
  const auto result = expand({"a", file("one", " b 'c d'\n\"e \\\" f\" g\\ h \"\" i'j'\n\t"), "k"});
  ASSERT_TRUE(result);
  EXPECT_THAT(*result, ElementsAre("a", "b", "c d", "e \" f", "g h", "", "ij", "k"));
}

TEST_F(ResponseFileTest, FilesNameFiles) {
  const std::string inner = file("inner", "b");
  EXPECT_THAT(*expand({file("outer", "a " + inner + " c")}), ElementsAre("a", "b", "c"));
}

TEST_F(ResponseFileTest, WhatIsNoFileStays) {
  EXPECT_THAT(*expand({"@", "@/nowhere/arguments", "@" + folder_.string()}),
              ElementsAre("@", "@/nowhere/arguments", "@" + folder_.string()));
}

TEST_F(ResponseFileTest, FileThatNamesItselfIsAnError) {
  const std::string path = "@" + (folder_ / "loop").string();
  const auto result = expand({file("loop", "a " + path)});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("names itself"));
}

} // namespace
} // namespace gantry
