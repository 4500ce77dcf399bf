// Registered descriptors, decoded.
#include "runtime/abi/clang/program.h"

#include "format/entry_layout.h"
#include "format/offload_binary.h"
#include "runtime/abi/clang/layouts.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::abi::clang {
namespace {

using core::EntryKind;
using core::ProgramContents;
using format::CurrentEntry;
using format::LegacyEntry;
using testing::HasSubstr;

using Buffer = std::vector<std::byte>;

template <typename Entry>
Buffer table(const std::vector<Entry>& entries) {
  const auto bytes = std::as_bytes(std::span(entries));
  return {bytes.begin(), bytes.end()};
}

CurrentEntry current(const char* name, std::uint32_t flags, std::uint64_t size,
                     std::uint16_t kind = format::kOpenMpEntryKind) {
  static void* address;
  return {0, format::kCurrentEntryVersion, kind, flags, &address, name, size, 0, nullptr};
}

LegacyEntry legacy(const char* name, std::int32_t flags, std::uint64_t size) {
  static void* address;
  return {&address, name, size, flags, 0};
}

Result<ProgramContents> decode(std::span<const std::byte> entries,
                               const std::vector<DeviceImage>& images = {}) {
  const Descriptor descriptor{static_cast<std::int32_t>(images.size()), images.data(),
                              entries.data(), entries.data() + entries.size()};
  return decode_program(&descriptor);
}

std::vector<EntryKind> kinds(const Result<ProgramContents>& contents) {
  std::vector<EntryKind> result;
  if (!contents) {
    ADD_FAILURE() << contents.error().message;
    return result;
  }
  for (const auto& entry : contents->entries) {
    result.push_back(entry.kind);
  }
  return result;
}

constexpr EntryKind kAllKinds[] = {EntryKind::kKernel,           EntryKind::kVariable,
                                   EntryKind::kUnifiedVariable,  EntryKind::kLink,
                                   EntryKind::kIndirectFunction, EntryKind::kIndirectTable};

/// An entry of each kind.
template <typename Make>
auto all_kinds(Make make) {
  return std::vector{make("kernel", 0, 0),
                     make("variable", 0, 12),
                     make("variable_decl_tgt_ref_ptr", 0, 8),
                     make("link_decl_tgt_ref_ptr", 1, 8),
                     make("function", 8, 8),
                     make("vtable", 0x20, 40),
                     make(".requires", 0x10, 0)};
}

TEST(Entries, OfTheCurrentLayout) {
  auto entries =
      all_kinds([](const char* name, int flags, int size) { return current(name, flags, size); });
  entries.push_back(current("cuda", 0x77, 0, 2));
  const auto contents = decode(table(entries));
  EXPECT_THAT(kinds(contents), testing::ElementsAreArray(kAllKinds));
  EXPECT_STREQ(contents->entries[1].name, "variable");
  EXPECT_EQ(contents->entries[1].size, 12u);
  EXPECT_EQ(contents->entries[2].value, nullptr) << "the host's value is read";
}

TEST(Entries, OfTheLegacyLayoutAtAnyAlignment) {
  const Buffer entries = table(all_kinds(legacy));
  for (std::size_t shift = 0; shift < 8; ++shift) {
    Buffer shifted(shift);
    shifted.insert(shifted.end(), entries.begin(), entries.end());
    EXPECT_THAT(kinds(decode(std::span<const std::byte>(shifted).subspan(shift))),
                testing::ElementsAreArray(kAllKinds))
        << shift;
  }
}

TEST(Entries, ALegacyRequiresRecordMayComeFirst) {
  LegacyEntry requirement = legacy("", 0x10, 0);
  requirement.address = nullptr;
  requirement.data = 8;
  EXPECT_THAT(kinds(decode(table<LegacyEntry>({requirement, legacy("kernel", 0, 0)}))),
              testing::ElementsAre(EntryKind::kKernel));
}

TEST(Entries, RequiresRecordsSayWhatIsRequired) {
  for (const std::uint32_t data : {0u, 2u, 8u, 0xau}) {
    CurrentEntry requirement = current(".requires", 0x10, 0);
    requirement.address = nullptr;
    requirement.data = data;
    LegacyEntry legacy_requirement = legacy("", 0x10, 0);
    legacy_requirement.data = static_cast<std::int32_t>(data);
    EXPECT_EQ(decode(table<CurrentEntry>({requirement}))->unified_shared_memory, (data & 8) != 0);
    EXPECT_EQ(decode(table<LegacyEntry>({legacy_requirement}))->unified_shared_memory,
              (data & 8) != 0);
  }
}

TEST(Entries, NoneAtAll) {
  EXPECT_TRUE(kinds(decode({})).empty());
}

TEST(Entries, OfAWrongLengthAreRefused) {
  const Buffer current_table = table<CurrentEntry>({current("k", 0, 0), current("l", 0, 0)});
  const Buffer legacy_table = table<LegacyEntry>({legacy("k", 0, 0), legacy("l", 0, 0)});
  for (const auto& [entries, multiple] : {std::pair(current_table, sizeof(CurrentEntry)),
                                          std::pair(legacy_table, sizeof(LegacyEntry))}) {
    for (std::size_t size = 1; size < entries.size(); ++size) {
      // Exactly as long as it says, so that reading on is seen.
      Buffer cut(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(size));
      cut.shrink_to_fit();
      const auto contents = decode(cut);
      if (size % multiple == 0) {
        EXPECT_TRUE(contents);
      } else {
        ASSERT_FALSE(contents) << size;
        EXPECT_THAT(contents.error().message,
                    HasSubstr(fmt::format("the table of offload entries has {} bytes", size)));
      }
    }
  }
}

TEST(Entries, OfUnknownFlagsAreNamed) {
  const auto contents = decode(table<CurrentEntry>({current("odd", 0x40, 0)}));
  ASSERT_FALSE(contents);
  EXPECT_THAT(contents.error().message, HasSubstr("'odd' has the flags 0x40"));
  EXPECT_FALSE(decode(table<LegacyEntry>({legacy("odd", -1, 0)})));
}

TEST(Entries, OfVirtualTablesOfNoPossibleSizeAreRefused) {
  constexpr std::uint32_t kTable = 0x20;
  EXPECT_TRUE(decode(table<CurrentEntry>({current("t", kTable, 24)})));
  for (const std::uint64_t size : {std::uint64_t{25}, std::uint64_t{1} << 40, ~std::uint64_t{7}}) {
    const auto contents = decode(table<CurrentEntry>({current("t", kTable, size)}));
    ASSERT_FALSE(contents) << size;
    EXPECT_THAT(contents.error().message, HasSubstr("the virtual table of the entry 't' has"));
  }
}

TEST(Entries, OfOldConstructorsAreRefused) {
  for (const std::int32_t flags : {2, 4}) {
    const auto contents = decode(table<LegacyEntry>({legacy("x_ctor", flags, 0)}));
    ASSERT_FALSE(contents);
    EXPECT_THAT(contents.error().message, HasSubstr("rebuild with Clang 19 or 22"));
  }
}

TEST(Entries, OfANewerVersionAreRefused) {
  CurrentEntry entry = current("k", 0, 0);
  entry.version = 2;
  const auto contents = decode(table<CurrentEntry>({entry}));
  ASSERT_FALSE(contents);
  EXPECT_THAT(contents.error().message, HasSubstr("offload entries are of version 2"));
}

TEST(Entries, WithoutAnAddressAreRefused) {
  CurrentEntry entry = current("k", 0, 0);
  entry.address = nullptr;
  EXPECT_FALSE(decode(table<CurrentEntry>({entry})));
  entry = current("k", 0, 0);
  entry.kind = 0x4000; // so the entry is read in the other layout, where nothing of it is a name
  const auto contents = decode(table<CurrentEntry>(std::vector(4, entry)));
  ASSERT_FALSE(contents);
  EXPECT_THAT(contents.error().message, HasSubstr("has no address"));
}

TEST(Images, AreTakenAsTheyAre) {
  const Buffer image(100, std::byte{7});
  const auto contents = decode({}, {{image.data(), image.data() + 100, nullptr, nullptr}});
  ASSERT_TRUE(contents);
  ASSERT_EQ(contents->images.size(), 1u);
  EXPECT_EQ(contents->images[0].data(), image.data());
}

TEST(Images, InContainersAreUnwrapped) {
  const Buffer image(100, std::byte{7});
  format::OffloadImage openmp;
  openmp.offload_kind = format::OffloadKind::kOpenMp;
  openmp.contents = image;
  format::OffloadImage other = openmp;
  other.offload_kind = format::OffloadKind::kCuda;
  const auto written =
      format::write_offload_binaries(std::vector{other, openmp}, format::ContainerVersion::kV1);
  ASSERT_TRUE(written);
  const auto* begin = written->data();
  const auto contents = decode({}, {{begin, begin + written->size(), nullptr, nullptr}});
  ASSERT_TRUE(contents) << contents.error().message;
  ASSERT_EQ(contents->images.size(), 1u);
  EXPECT_EQ(contents->images[0].size(), 100u);

  for (std::size_t size = 4; size < written->size(); ++size) {
    if (size == written->size() / 2) {
      continue; // the first container alone, complete
    }
    Buffer cut(begin, begin + size);
    cut.shrink_to_fit();
    EXPECT_FALSE(decode({}, {{cut.data(), cut.data() + size, nullptr, nullptr}})) << size;
  }
}

} // namespace
} // namespace gantry::abi::clang
