// A profile's file: whose it is, how large it may grow, and what a writer puts into it.
#include "runtime/core/profile/profile_file.h"

#include "runtime/core/profile/writer.h"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::core {
namespace {

using namespace gantry::profile;
using ::testing::HasSubstr;

struct ProfileFiles : ::testing::Test {
  ProfileFiles() {
    std::string name = ::testing::TempDir() + "gantry-profile-XXXXXX";
    folder = mkdtemp(name.data());
  }
  ~ProfileFiles() override { std::filesystem::remove_all(folder); }
  ProfileFiles(const ProfileFiles&) = delete;
  ProfileFiles& operator=(const ProfileFiles&) = delete;

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      paths.push_back(entry.path());
    }
    return paths;
  }
  std::string contents() const {
    std::ifstream file(files().at(0), std::ios::binary);
    return {std::istreambuf_iterator(file), {}};
  }

  std::filesystem::path folder;
};

TEST_F(ProfileFiles, AreThisUsersAlone) {
  const auto file = ProfileFile::make({folder, 1 << 20, false});
  ASSERT_TRUE(file);
  struct stat status{};
  ASSERT_EQ(stat(files().at(0).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
}

TEST_F(ProfileFiles, LeaveDescriptorsToTheProgram) {
  const auto file = ProfileFile::make({folder, 64 << 20, false});
  ASSERT_TRUE(file);
  // All that is open from here on, the program has opened.
  const std::string own = (folder / "own").string();
  const int opened = open(own.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(opened, 0);
  for (int i = 0; i < 200; ++i) { // more than a step of the file's
    ASSERT_NE((*file)->next_block(1), nullptr);
  }
  EXPECT_EQ(std::filesystem::file_size(own), 0u);
  EXPECT_EQ(fcntl(opened, F_GETFD), 0);
  close(opened);
  // And what has the file's name is not the file.
  std::filesystem::path profile;
  for (const std::filesystem::path& path : files()) {
    profile = path.extension() == ".gantry-profile" ? path : profile;
  }
  std::filesystem::rename(profile, folder / "moved");
  std::ofstream(profile) << "another";
  while ((*file)->next_block(1) != nullptr) {
  }
  EXPECT_EQ(std::filesystem::file_size(profile), 7u);
}

TEST_F(ProfileFiles, StayWithinTheLimitsOfFiles) {
  // In a child, which a signal would end.
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit limit{2 << 20, 2 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto file = ProfileFile::make({folder, 64 << 20, false});
    int blocks = 0;
    while (file && (*file)->next_block(1) != nullptr) {
      ++blocks;
    }
    _exit(blocks > 10 && blocks <= 32 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(ProfileFiles, OfOneProcessNumberAreSeveral) {
  const auto first = ProfileFile::make({folder, 1 << 20, false});
  const auto second = ProfileFile::make({folder, 1 << 20, false});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(files().size(), 2u) << "a number may come again, and no file is written over";
}

TEST_F(ProfileFiles, AreNotMadeWhereThereIsNoFolder) {
  const auto file = ProfileFile::make({"/nowhere", 1 << 20, false});
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("cannot make the file '/nowhere/"));
}

TEST_F(ProfileFiles, HaveBlocksUpToTheirLimit) {
  const auto file = ProfileFile::make({folder, 4 * kBlockSize, false});
  ASSERT_TRUE(file);
  for (int i = 0; i < 3; ++i) { // and the header's
    EXPECT_NE((*file)->next_block(1), nullptr);
  }
  EXPECT_EQ((*file)->next_block(1), nullptr);
  EXPECT_EQ((*file)->next_block(1), nullptr);
  EXPECT_EQ(std::filesystem::file_size(files().at(0)), 4 * kBlockSize);
}

TEST_F(ProfileFiles, AreThereBeforeTheProcessEnds) {
  const auto file = ProfileFile::make({folder, 1 << 20, true});
  ASSERT_TRUE(file);
  Writer writer;
  writer.next = (*file)->next_block(5) + sizeof(BlockRecord);
  writer.put(WaitRecord{.head = {.type = RecordType::kWait}, .begin = 3, .end = 4});
  (*file)->count_dropped();
  (*file)->note_end(99);
  const std::string bytes = contents();
  ASSERT_GE(bytes.size(), 2 * kBlockSize);
  FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(header.magic, kMagic);
  EXPECT_EQ(header.has_content, 1u);
  EXPECT_EQ(header.dropped, 1u);
  EXPECT_EQ(header.end, 99);
  BlockRecord block;
  std::memcpy(&block, bytes.data() + kBlockSize, sizeof block);
  EXPECT_EQ(block.writer, 5u);
  WaitRecord wait;
  std::memcpy(&wait, bytes.data() + kBlockSize + sizeof block, sizeof wait);
  EXPECT_EQ(wait.head.type, RecordType::kWait);
  EXPECT_EQ(wait.end, 4);
}

TEST(WrittenTexts, AreKnownUntilManyOthersAre) {
  const auto texts = std::make_unique<WrittenTexts>();
  EXPECT_EQ(texts->find(0), 0u);
  texts->insert(0, 1);
  texts->insert(12345, 2);
  EXPECT_EQ(texts->find(0), 1u);
  EXPECT_EQ(texts->find(12345), 2u);
  for (std::uint32_t i = 0; i < 4096; ++i) {
    texts->insert(1'000'000 + i, i + 3);
  }
  EXPECT_EQ(texts->find(12345), 0u);
  EXPECT_EQ(texts->find(1'000'000 + 4095), 4098u);
  texts->clear();
  EXPECT_EQ(texts->find(1'000'000 + 4095), 0u);
}

} // namespace
} // namespace gantry::core
