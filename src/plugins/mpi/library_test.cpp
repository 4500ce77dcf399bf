// Which library is opened and what it is taken for. job_test.cpp and standard_test.cpp have
// libraries at work.
#include "plugins/mpi/library.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::mpi {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class OpenLibrary : public testing::Test {
protected:
  void SetUp() override {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK"}) {
      unsetenv(name);
    }
  }
  static std::string error_of(const char* named) {
    const auto opened = open_library(named);
    return opened ? "opened " + (*opened)->name() : opened.error().message;
  }
};

TEST_F(OpenLibrary, OfAFileThatIsNotThere) {
  EXPECT_THAT(error_of("/nowhere/libmpi.so"),
              AllOf(HasSubstr("GANTRY_MPI"), HasSubstr("/nowhere/libmpi.so")));
}

TEST_F(OpenLibrary, OfAnotherLibrary) {
  EXPECT_EQ(error_of("libz.so.1"), "'libz.so.1' is no MPI library");
}

TEST_F(OpenLibrary, WithoutAny) {
  EXPECT_FALSE(is_launched());
  EXPECT_THAT(error_of(""),
              AllOf(HasSubstr("libmpi_abi.so"), HasSubstr("mpirun"), HasSubstr("GANTRY_MPI")));
  EXPECT_THAT(error_of(nullptr), HasSubstr("no MPI library is found"));
}

// In processes of their own: what is loaded stays.
using OpenLibraryDeathTest = OpenLibrary;

void end_with(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::_Exit(0);
}

TEST_F(OpenLibraryDeathTest, OfAnEarlierFormOfTheStandardsInterface) {
  EXPECT_EXIT(end_with(error_of(GANTRY_DRAFT)), testing::ExitedWithCode(0),
              "lacks MPI_Finalized, which every MPI since 3.0 has");
}

TEST_F(OpenLibraryDeathTest, OfAnUnknownKind) {
  EXPECT_EXIT(end_with(error_of(GANTRY_STRANGE)), testing::ExitedWithCode(0),
              "is an MPI library of a kind that is not known \\('Strange MPI 1.0'\\)");
}

TEST_F(OpenLibraryDeathTest, OfTheProcessItIsTheOnlyOne) {
  EXPECT_EXIT(
      {
        const std::string first = error_of(GANTRY_STANDARD);
        const std::string second = error_of(nullptr);
        end_with(first + "; " + second + "; " + error_of("libz.so.1"));
      },
      testing::ExitedWithCode(0),
      "opened Test MPI 5 1.0; opened Test MPI 5 1.0; the program uses '.*standard.*', and "
      "GANTRY_MPI names 'libz.so.1'");
}

} // namespace
} // namespace gantry::mpi
