// GCC's registered programs, decoded.
#include "runtime/abi/gcc/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string_view>
#include <utility>

namespace gantry::abi::gcc {
namespace {

using core::EntryKind;
using testing::HasSubstr;

// Objects have a NUL behind them.
constexpr char kFirst[] = "// BEGIN PREAMBLE\n.version 6.0\n";
constexpr char kSecond[] = "// BEGIN PREAMBLE\n// libgomp\n";

/// A program with two regions, a variable and a link variable.
class Program : public testing::Test {
protected:
  Program() {
    image_.objects = objects_;
    image_.object_count = 2;
    image_.variables = variable_names_;
    image_.variable_count = 2;
    image_.functions = function_names_;
    image_.function_count = 2;
  }

  Result<core::ProgramContents> decode() {
    registration_.table = &table_;
    registration_.target = kTargetNvptx;
    if (registration_.data == nullptr) {
      registration_.data = &image_;
    }
    return decode_program(&registration_);
  }

  std::string message() {
    const auto contents = decode();
    return contents ? "" : contents.error().message;
  }

  int first_ = 0, second_ = 0, variable_ = 0;
  long link_[4] = {};
  void* functions_[2] = {&first_, &second_};
  VariableEntry variables_[2] = {{&variable_, sizeof variable_},
                                 {&link_, sizeof link_ | kLinkVariable}};
  HostTable table_ = {functions_, functions_ + 2, variables_, variables_ + 2};
  NvptxObject objects_[2] = {{kFirst, sizeof kFirst}, {kSecond, sizeof kSecond}};
  const char* variable_names_[2] = {"variable", "link$linkptr"};
  NvptxFunction function_names_[2] = {{"main$_omp_fn$1", {}}, {"main$_omp_fn$0", {}}};
  NvptxImage image_{};
  Registration registration_{0x10001, nullptr, 0, nullptr, {}, {}};
};

TEST_F(Program, EntriesArePairedByPosition) {
  const auto contents = decode();
  ASSERT_TRUE(contents) << contents.error().message;
  ASSERT_EQ(contents->entries.size(), 4U);
  EXPECT_EQ(contents->entries[0].kind, EntryKind::kKernel);
  EXPECT_EQ(contents->entries[0].address, &first_);
  EXPECT_STREQ(contents->entries[0].name, "main$_omp_fn$1");
  EXPECT_EQ(contents->entries[2].kind, EntryKind::kVariable);
  EXPECT_EQ(contents->entries[2].size, sizeof variable_);
  EXPECT_EQ(contents->entries[3].kind, EntryKind::kLinkPointer);
  EXPECT_EQ(contents->entries[3].address, &link_);
  EXPECT_EQ(contents->entries[3].size, sizeof link_);
  EXPECT_FALSE(contents->unified_shared_memory);
}

TEST_F(Program, ObjectsBecomeOneImage) {
  const auto contents = decode();
  ASSERT_TRUE(contents);
  ASSERT_EQ(contents->images.size(), 1U);
  const auto image = contents->images.front();
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(image.data()), image.size()),
            std::string(kFirst, sizeof kFirst) + std::string(kSecond, sizeof kSecond));
  // The same bytes each time, by which devices know it.
  EXPECT_EQ(decode()->images.front().data(), image.data());
}

TEST_F(Program, TablesOfDifferentLengths) {
  table_.functions_end = functions_ + 1;
  EXPECT_THAT(message(), HasSubstr("1 target regions and 2 variables, and those of its device "
                                   "image 2 and 2"));
  table_.functions_end = functions_ + 2;
  table_.variables_end = variables_;
  EXPECT_THAT(message(), HasSubstr("2 target regions and 0 variables"));
  EXPECT_THAT(message(), HasSubstr("--gc-sections"));
}

TEST_F(Program, LinkVariablesInAnotherOrder) {
  std::swap(variable_names_[0], variable_names_[1]);
  EXPECT_THAT(message(), HasSubstr("has 'link$linkptr' where the program's tables have a variable "
                                   "that is not `declare target link`"));
}

TEST_F(Program, NewerVersions) {
  for (const unsigned version : {0x40001U, 0x10002U, 0xFFFFFFFFU}) {
    registration_.version = version;
    EXPECT_THAT(message(), HasSubstr("built by a newer GCC"));
  }
}

TEST_F(Program, RequirementsOfGcc13) {
  struct {
    std::uintptr_t mask;
    NvptxImage image;
  } data{kRequiresUnifiedSharedMemory, image_};
  registration_.version = 0x20001;
  registration_.data = &data;
  const auto contents = decode();
  ASSERT_TRUE(contents) << contents.error().message;
  EXPECT_TRUE(contents->unified_shared_memory);
  EXPECT_EQ(contents->entries.size(), 4U);
  data.mask = kRequiresReverseOffload;
  EXPECT_THAT(message(), HasSubstr("reverse_offload"));
}

TEST_F(Program, IndirectFunctionsOfGcc14) {
  struct {
    std::uintptr_t mask;
    NvptxImage image;
  } data{0, image_};
  registration_.version = 0x30001;
  registration_.data = &data;
  EXPECT_EQ(message(), "");
  data.image.indirect_count = 3;
  EXPECT_THAT(message(), HasSubstr("3 functions that are called by pointer"));
}

/// The same program for AMD's GPUs.
class GcnProgram : public Program {
protected:
  Result<core::ProgramContents> decode_gcn() {
    registration_.table = &table_;
    registration_.target = kTargetGcn;
    registration_.data = &gcn_image_;
    return decode_program(&registration_);
  }

  const std::byte bytes_[3] = {};
  GcnCode code_{sizeof bytes_, bytes_};
  GcnKernel kernels_[4] = {{"_init_array", {}, 0, 0},
                           {"main._omp_fn.1", {}, 62, 24},
                           {"_fini_array", {}, 0, 0},
                           {"main._omp_fn.0", {}, 62, 24}};
  GcnImage gcn_image_{&code_, 4, kernels_, 2};
  GcnProgram() { registration_.version = 0x10002; }
};

TEST_F(GcnProgram, KernelsHaveNamesAndVariablesPositions) {
  const auto contents = decode_gcn();
  ASSERT_TRUE(contents) << contents.error().message;
  ASSERT_EQ(contents->images.size(), 1U);
  EXPECT_EQ(contents->images.front().data(), bytes_);
  EXPECT_EQ(contents->images.front().size(), sizeof bytes_);
  ASSERT_EQ(contents->entries.size(), 4U);
  EXPECT_EQ(contents->entries[0].kind, EntryKind::kKernel);
  EXPECT_EQ(contents->entries[0].address, &first_);
  EXPECT_STREQ(contents->entries[0].name, "main._omp_fn.1");
  EXPECT_STREQ(contents->entries[1].name, "main._omp_fn.0");
  EXPECT_EQ(contents->entries[2].kind, EntryKind::kVariable);
  EXPECT_STREQ(contents->entries[2].name, "#0");
  EXPECT_STREQ(contents->entries[2].shown_name(), "");
  EXPECT_EQ(contents->entries[3].kind, EntryKind::kLinkPointer);
  EXPECT_STREQ(contents->entries[3].name, "#1");
  EXPECT_EQ(contents->entries[3].size, sizeof link_);
}

TEST_F(GcnProgram, TablesOfDifferentLengths) {
  table_.functions_end = functions_ + 1;
  const auto contents = decode_gcn();
  ASSERT_FALSE(contents);
  EXPECT_THAT(contents.error().message,
              HasSubstr("1 target regions and 2 variables, and those of its device image 2 and 2"));
}

TEST_F(GcnProgram, OtherFormats) {
  for (const unsigned version : {0x10001U, 0x20003U}) {
    registration_.version = version;
    const auto contents = decode_gcn();
    ASSERT_FALSE(contents);
    EXPECT_THAT(contents.error().message, HasSubstr("knows format 2, which is GCC 12's"));
  }
}

TEST_F(Program, ImagesForOtherDevices) {
  constexpr int kXeonPhi = 6;
  registration_.table = &table_;
  registration_.target = kXeonPhi;
  registration_.data = nullptr;
  const auto contents = decode_program(&registration_);
  ASSERT_TRUE(contents);
  EXPECT_TRUE(contents->images.empty());
}

} // namespace
} // namespace gantry::abi::gcc
