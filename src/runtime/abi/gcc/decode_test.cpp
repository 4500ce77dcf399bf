// GCC's list items and launches, decoded.
#include "runtime/abi/gcc/decode.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::abi::gcc {
namespace {

using core::MapItem;
using core::MapKind;
using testing::HasSubstr;

/// A construct's elements, built one by one.
class Decode : public testing::Test {
protected:
  void add(void* address, std::size_t size, unsigned kind) {
    addresses_.push_back(address);
    sizes_.push_back(size);
    kinds_.push_back(static_cast<std::uint16_t>(kind | 3U << 8));
  }

  void clear() {
    items.clear();
    addresses_.clear();
    sizes_.clear();
    kinds_.clear();
  }

  Status decode(Purpose purpose) {
    return decode_maps({addresses_.size(), addresses_.data(), sizes_.data(), kinds_.data()},
                       purpose, items);
  }

  /// What a single element becomes.
  MapItem only(unsigned kind, Purpose purpose, void* address, std::size_t size) {
    add(address, size, kind);
    EXPECT_TRUE(decode(purpose));
    EXPECT_EQ(items.size(), 1U);
    const MapItem item = items.empty() ? MapItem() : items.front();
    clear();
    return item;
  }

  [[nodiscard]] std::size_t parameters() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(items, [](const MapItem& item) { return item.argument; }));
  }

  core::MapItems items;
  std::vector<void*> addresses_;
  std::vector<std::size_t> sizes_;
  std::vector<std::uint16_t> kinds_;
  std::array<long, 8> data_ = {};
};

TEST_F(Decode, MotionOfMapTypes) {
  struct Expected {
    unsigned kind;
    bool to, from, always, present, implicit;
  };
  for (const auto& expected : std::to_array<Expected>({
           {kAlloc, false, false, false, false, false},
           {kTo, true, false, false, false, false},
           {kFrom, false, true, false, false, false},
           {kToFrom, true, true, false, false, false},
           {kImplicit | kToFrom, true, true, false, false, true},
           {kImplicit | kTo, true, false, false, false, true},
           {kAlwaysTo, true, false, true, false, false},
           {kAlwaysFrom, false, true, true, false, false},
           {kAlwaysToFrom, true, true, true, false, false},
           {kPresentTo, true, false, true, true, false},
           {kPresentFrom, false, true, true, true, false},
           {kPresentToFrom, true, true, true, true, false},
           {kForcePresent, false, false, false, true, false},
       })) {
    const MapItem item = only(expected.kind, Purpose::kTarget, &data_, 16);
    EXPECT_EQ(item.kind, MapKind::kStorage) << expected.kind;
    EXPECT_EQ(static_cast<void*>(item.begin), &data_);
    EXPECT_EQ(item.size, 16U);
    EXPECT_EQ(item.to, expected.to) << expected.kind;
    EXPECT_EQ(item.from, expected.from) << expected.kind;
    EXPECT_EQ(item.always, expected.always) << expected.kind;
    EXPECT_EQ(item.present, expected.present) << expected.kind;
    EXPECT_EQ(item.implicit, expected.implicit) << expected.kind;
    EXPECT_TRUE(item.argument);
  }
}

TEST_F(Decode, ReleaseAndDeleteOfExitData) {
  const MapItem release = only(kRelease, Purpose::kExitData, &data_, 8);
  EXPECT_FALSE(release.to || release.from || release.remove || release.argument);
  const MapItem remove = only(kDelete, Purpose::kExitData, &data_, 8);
  EXPECT_TRUE(remove.remove);
  EXPECT_FALSE(remove.to || remove.from);
  const MapItem section = only(kDeleteZeroLength, Purpose::kExitData, &data_, 0);
  EXPECT_TRUE(section.remove);
  EXPECT_EQ(section.size, 0U);
  const MapItem empty = only(kZeroLength, Purpose::kExitData, &data_, 0);
  EXPECT_FALSE(empty.implicit || empty.remove);
}

TEST_F(Decode, ValuesAndPrivateCopies) {
  auto* const value = reinterpret_cast<void*>(42);
  const MapItem scalar = only(kFirstPrivateValue, Purpose::kTarget, value, 0);
  EXPECT_EQ(scalar.kind, MapKind::kValue);
  EXPECT_EQ(static_cast<void*>(scalar.base), value);
  const MapItem copy = only(kFirstPrivate, Purpose::kTarget, &data_, 24);
  EXPECT_EQ(copy.kind, MapKind::kPrivate);
  EXPECT_TRUE(copy.to);
  EXPECT_FALSE(copy.from);
  EXPECT_EQ(copy.size, 24U);
  const MapItem absent = only(kToFrom, Purpose::kTarget, nullptr, 8);
  EXPECT_EQ(absent.kind, MapKind::kValue);
  EXPECT_EQ(absent.base, nullptr);
}

TEST_F(Decode, TranslationsWithoutReference) {
  const MapItem pointer = only(kZeroLength, Purpose::kTarget, &data_, 0);
  EXPECT_TRUE(pointer.implicit && pointer.argument);
  EXPECT_EQ(pointer.size, 0U);
  add(&data_, 0, kUseDevicePointer);
  add(&data_, 0, kUseDevicePointerIfPresent);
  ASSERT_TRUE(decode(Purpose::kData));
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].returned_base, &addresses_[0]);
  EXPECT_EQ(items[1].returned_base, &addresses_[1]);
  EXPECT_FALSE(items[0].present || items[1].present);
}

TEST_F(Decode, StructuresAndTheirMembers) {
  add(&data_, 2, kStruct);
  add(&data_[1], 8, kToFrom);
  add(&data_[4], 16, kTo);
  add(&data_[0], 8, kToFrom); // not a member
  ASSERT_TRUE(decode(Purpose::kTarget));
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(parameters(), 4U);
  EXPECT_EQ(static_cast<void*>(items[0].base), &data_);
  EXPECT_EQ(static_cast<void*>(items[0].begin), &data_[1]);
  EXPECT_EQ(items[0].size, 40U);
  EXPECT_FALSE(items[0].to || items[0].from || items[0].member);
  EXPECT_TRUE(items[1].member && items[2].member);
  EXPECT_FALSE(items[3].member);
}

TEST_F(Decode, StructuresInAnyOrder) {
  add(&data_, 2, kStructUnordered);
  add(&data_[4], 16, kTo);
  add(&data_[1], 8, kToFrom);
  ASSERT_TRUE(decode(Purpose::kEnterData));
  EXPECT_EQ(static_cast<void*>(items[0].begin), &data_[1]);
  EXPECT_EQ(items[0].size, 40U);
}

TEST_F(Decode, AStructureWithoutItsMembers) {
  add(&data_, 2, kStruct);
  add(&data_[1], 8, kToFrom);
  const Status status = decode(Purpose::kTarget);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("2 members, of which 1 follow"));
}

TEST_F(Decode, Attachment) {
  long* pointer = &data_[2];
  add(&pointer, sizeof(long), kAttach);
  ASSERT_TRUE(decode(Purpose::kTarget));
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].kind, MapKind::kAttachment);
  EXPECT_EQ(static_cast<void*>(items[0].base), &pointer);
  EXPECT_EQ(static_cast<void*>(items[0].begin), &data_[3]);
  EXPECT_EQ(parameters(), 1U);
  clear();
  add(&pointer, 0, kDetach);
  ASSERT_TRUE(decode(Purpose::kExitData));
  EXPECT_TRUE(items.empty());
}

TEST_F(Decode, AttachmentTellsWhereASectionsVariableBegins) {
  long* pointer = &data_[2];
  for (const Purpose purpose : {Purpose::kData, Purpose::kEnterData, Purpose::kTarget}) {
    add(&data_[4], 16, kToFrom);
    add(&pointer, 2 * sizeof(long), kAttach);
    ASSERT_TRUE(decode(purpose));
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(static_cast<void*>(items[0].begin), &data_[4]);
    EXPECT_EQ(static_cast<void*>(items[0].base), &data_[purpose == Purpose::kTarget ? 4 : 2]);
    clear();
  }
}

TEST_F(Decode, PointersOfTheirOwn) {
  long* pointer = &data_[2];
  add(&pointer, 0, kPointer);
  ASSERT_TRUE(decode(Purpose::kTarget));
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(parameters(), 1U);
  EXPECT_EQ(items[0].kind, MapKind::kStorage);
  EXPECT_EQ(items[0].size, sizeof(void*));
  EXPECT_TRUE(items[0].to);
  EXPECT_EQ(items[1].kind, MapKind::kAttachment);
  EXPECT_EQ(static_cast<void*>(items[1].begin), &data_[2]);
}

TEST_F(Decode, PointersInDescriptors) {
  struct {
    long* data;
    long bounds[3];
  } descriptor = {data_.data(), {}};
  add(data_.data(), 40, kToFrom);
  add(&descriptor, sizeof descriptor, kDescriptor);
  add(&descriptor.data, 0, kPointer);
  ASSERT_TRUE(decode(Purpose::kTarget));
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(parameters(), 3U);
  EXPECT_TRUE(items[1].to);
  EXPECT_TRUE(items[2].member);
  EXPECT_FALSE(items[2].to);
  EXPECT_EQ(items[3].kind, MapKind::kAttachment);
}

TEST_F(Decode, UnknownKinds) {
  for (const unsigned kind : {0x08U, 0x20U, 0x80U, 0xd1U, 0xffU}) {
    add(&data_, 8, kind);
    const Status status = decode(Purpose::kTarget);
    ASSERT_FALSE(status) << kind;
    EXPECT_THAT(status.error().message, HasSubstr(fmt::format("of kind {:#x}", kind)));
    clear();
  }
}

void* word(std::uintptr_t value) {
  return reinterpret_cast<void*>(value);
}

TEST(DecodeLaunch, WithoutTeams) {
  for (void* const one : {word(0x10100), word(static_cast<std::uintptr_t>(-2) << 16 | 0x100)}) {
    void* arguments[] = {one, word(0x200), nullptr};
    const gantry_launch launch = decode_launch(arguments);
    EXPECT_EQ(launch.kind, std::uint32_t{GANTRY_LAUNCH_TARGET});
    EXPECT_EQ(launch.num_teams[0], 1U);
    EXPECT_EQ(launch.thread_limit[0], 0U);
  }
  EXPECT_EQ(decode_launch(nullptr).kind, std::uint32_t{GANTRY_LAUNCH_TARGET});
}

TEST(DecodeLaunch, TeamsAndThreads) {
  void* arguments[] = {word(0x50100), word(0x200000 | 0x200), nullptr};
  const gantry_launch launch = decode_launch(arguments);
  EXPECT_EQ(launch.kind, std::uint32_t{GANTRY_LAUNCH_TEAMS});
  EXPECT_EQ(launch.num_teams[0], 5U);
  EXPECT_EQ(launch.thread_limit[0], 32U);
}

TEST(DecodeLaunch, ValuesThatAreNotKnown) {
  void* arguments[] = {word(static_cast<std::uintptr_t>(-1) << 16 | 0x100),
                       word(static_cast<std::uintptr_t>(-1) << 16 | 0x200), nullptr};
  const gantry_launch launch = decode_launch(arguments);
  EXPECT_EQ(launch.num_teams[0], 0U);
  EXPECT_EQ(launch.thread_limit[0], 0U);
}

TEST(DecodeLaunch, LargeValuesAndThoseOfOtherDevices) {
  void* arguments[] = {word(0x180), word(100'000), word(0x30100 | kTargetGcn), nullptr};
  EXPECT_EQ(decode_launch(arguments).num_teams[0], 100'000U);
}

} // namespace
} // namespace gantry::abi::gcc
