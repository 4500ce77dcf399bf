// What a process writes into its profile. A program of its own, because a recorder listens for the
// rest of its process.
#include "runtime/core/profile/recorder.h"

#include "profile/record.h"
#include "runtime/core/events/events.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::core {
namespace {

using namespace gantry::profile;
using ::testing::ElementsAre;

/// Where this process and its children write.
std::filesystem::path folder;

/// A process's records by writer, as bytes.
using Records = std::map<std::uint64_t, std::vector<std::string>>;

Records records_of(pid_t process) {
  std::ifstream file(folder / (std::to_string(process) + ".gantry-profile"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator(file), {}};
  Records records;
  for (std::size_t block = kBlockSize; block + kBlockSize <= bytes.size(); block += kBlockSize) {
    BlockRecord first;
    std::memcpy(&first, bytes.data() + block, sizeof first);
    if (first.head.type != RecordType::kBlock) {
      continue;
    }
    std::size_t size = 0;
    for (std::size_t at = block + sizeof first; at < block + kBlockSize; at += size) {
      size = size_of(static_cast<RecordType>(bytes[at]));
      if (size == 0) {
        break;
      }
      records[first.writer].push_back(bytes.substr(at, size));
    }
  }
  return records;
}

template <typename Record>
std::vector<Record> all_of(const Records& records, RecordType type) {
  std::vector<Record> found;
  for (const auto& [writer, of_writer] : records) {
    for (const std::string& bytes : of_writer) {
      if (static_cast<RecordType>(bytes[0]) == type) {
        Record record;
        std::memcpy(&record, bytes.data(), sizeof record);
        found.push_back(record);
      }
    }
  }
  return found;
}

/// The types of what is about a construct, in the order of its thread.
std::vector<RecordType> types_of(const Records& records, std::uint64_t construct) {
  std::vector<RecordType> types;
  bool is_inside = false;
  for (const auto& [writer, of_writer] : records) {
    for (const std::string& bytes : of_writer) {
      const auto type = static_cast<RecordType>(bytes[0]);
      ConstructEndRecord record{}; // begins as ConstructBeginRecord does
      if (type == RecordType::kConstructBegin || type == RecordType::kConstructEnd) {
        std::memcpy(&record, bytes.data(), sizeof record);
        is_inside = type == RecordType::kConstructBegin && record.construct == construct;
      }
      if (is_inside || record.construct == construct) {
        types.push_back(type);
      }
    }
  }
  return types;
}

std::string text(const Records& records, std::uint32_t number) {
  std::string result;
  for (const TextRecord& piece : all_of<TextRecord>(records, RecordType::kText)) {
    if (piece.text == number) {
      result.append(piece.bytes,
                    std::min<std::size_t>(piece.length - piece.offset, sizeof piece.bytes));
    }
  }
  return result;
}

struct Recorder : ::testing::Test {
  static void SetUpTestSuite() {
    std::string name = ::testing::TempDir() + "gantry-profile-XXXXXX";
    folder = mkdtemp(name.data());
    setenv("GANTRY_PROFILE", folder.c_str(), 1);
    setenv("GANTRY_PROFILE_OPTIONS", "data,limit=64", 1);
    record_if_asked();
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder); }

  const DeviceName device{0, "device 0 (fake)"};

  /// Tells of a region that maps `x` tofrom; the answer is its number.
  std::uint64_t run_region(const int& x, const char* name = nullptr,
                           const char* location = "app.cpp:31") const {
    Construct construct("target", location);
    const ConstructScope scope(construct, device);
    tell_presence(construct, PresenceChange::What::kMapped, x, name);
    tell_copy(construct, x, true, name);
    const EventId launch = next_event_id();
    const gantry_launch shape{.size = sizeof shape};
    tell(Launched{{construct, device}, launch, "kernel", nullptr, shape, event_time()});
    tell(Completion{{construct, device}, launch, nullptr, event_time(), {}});
    tell_copy(construct, x, false, name);
    tell_presence(construct, PresenceChange::What::kUnmapped, x, name);
    return construct.id;
  }

private:
  static std::uintptr_t address_of(const int& x) { return reinterpret_cast<std::uintptr_t>(&x); }
  void tell_presence(const Construct& construct, PresenceChange::What what, const int& x,
                     const char* name) const {
    tell(PresenceChange{{construct, device},
                        what,
                        name == nullptr ? "" : name,
                        address_of(x),
                        sizeof x,
                        0x1000,
                        1});
  }
  void tell_copy(const Construct& construct, const int& x, bool to_device, const char* name) const {
    const EventId id = next_event_id();
    tell(Copied{{construct, device},
                id,
                Copied::What::kItem,
                to_device,
                name,
                address_of(x),
                0x1000,
                sizeof x,
                event_time()});
    tell(Completion{{construct, device}, id, nullptr, event_time(), {}});
  }
};

TEST_F(Recorder, WritesTheEventsOfARegionInOrder) {
  int x = 1;
  run_region(x); // texts are written
  const std::uint64_t id = run_region(x);
  EXPECT_THAT(types_of(records_of(getpid()), id),
              ElementsAre(RecordType::kConstructBegin, RecordType::kPresence, RecordType::kContent,
                          RecordType::kCopy, RecordType::kDone, RecordType::kLaunch,
                          RecordType::kDone, RecordType::kCopy, RecordType::kDone,
                          RecordType::kContent, RecordType::kPresence, RecordType::kConstructEnd));
}

TEST_F(Recorder, WritesTextsOnce) {
  const std::string location(100, 'a');
  int x = 1;
  const char* const name = "a rather long name of a variable that is in several pieces";
  run_region(x, name, location.c_str());
  run_region(x, name, location.c_str());
  const Records records = records_of(getpid());
  std::vector<std::string> positions;
  for (const PlaceRecord& place : all_of<PlaceRecord>(records, RecordType::kPlace)) {
    EXPECT_EQ(text(records, place.construct), "target");
    positions.push_back(text(records, place.position));
  }
  EXPECT_EQ(std::ranges::count(positions, location), 1);
  std::vector<std::string> variables;
  for (const NameRecord& record : all_of<NameRecord>(records, RecordType::kName)) {
    variables.push_back(text(records, record.variable));
  }
  EXPECT_EQ(std::ranges::count(variables, name), 1);
}

TEST_F(Recorder, HashesWhatIsCopied) {
  int x = 7;
  const std::size_t before =
      all_of<ContentRecord>(records_of(getpid()), RecordType::kContent).size();
  run_region(x);
  run_region(x);
  ++x;
  run_region(x);
  const auto contents = all_of<ContentRecord>(records_of(getpid()), RecordType::kContent);
  ASSERT_EQ(contents.size(), before + 6);
  const auto hash = [&](std::size_t i) { return contents[before + i].hash; };
  EXPECT_EQ(hash(0), hash(1));
  EXPECT_EQ(hash(0), hash(2));
  EXPECT_NE(hash(0), hash(4));
  EXPECT_EQ(hash(4), hash(5));
}

TEST_F(Recorder, WritesForManyThreadsAtOnce) {
  constexpr int kThreads = 4;
  constexpr int kRegions = 200;
  const std::size_t before =
      all_of<ConstructEndRecord>(records_of(getpid()), RecordType::kConstructEnd).size();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      int x = 0;
      for (int k = 0; k < kRegions; ++k) {
        run_region(x);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const Records records = records_of(getpid());
  EXPECT_EQ(all_of<ConstructEndRecord>(records, RecordType::kConstructEnd).size(),
            before + std::size_t{kThreads} * kRegions);
  for (const auto& [writer, of_writer] : records) {
    std::int64_t last = 0;
    for (const std::string& bytes : of_writer) {
      if (static_cast<RecordType>(bytes[0]) == RecordType::kThread) {
        last = 0; // another thread's clock
      } else if (static_cast<RecordType>(bytes[0]) == RecordType::kConstructBegin) {
        ConstructBeginRecord record;
        std::memcpy(&record, bytes.data(), sizeof record);
        EXPECT_GE(record.time, last);
        last = record.time;
      }
    }
  }
}

TEST_F(Recorder, ThreadsGoOnWhereOthersHaveEnded) {
  const std::size_t before = records_of(getpid()).size();
  for (int i = 0; i < 20; ++i) {
    std::thread([&] {
      int x = 0;
      run_region(x);
    }).join();
  }
  EXPECT_LE(records_of(getpid()).size(), before + 1);
}

TEST_F(Recorder, AForkedProcessHasAFileOfItsOwn) {
  int x = 1;
  run_region(x);
  const std::size_t before = all_of<LaunchRecord>(records_of(getpid()), RecordType::kLaunch).size();
  const pid_t child = fork();
  if (child == 0) {
    run_region(x);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(all_of<LaunchRecord>(records_of(child), RecordType::kLaunch).size(), 1u);
  EXPECT_EQ(all_of<LaunchRecord>(records_of(getpid()), RecordType::kLaunch).size(), before);
  const Records records = records_of(child);
  const auto places = all_of<PlaceRecord>(records, RecordType::kPlace);
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(text(records, places[0].position), "app.cpp:31") << "the parent's texts are not its";
}

} // namespace
} // namespace gantry::core
