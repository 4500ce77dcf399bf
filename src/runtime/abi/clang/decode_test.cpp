// Clang's map arrays, decoded.
#include "runtime/abi/clang/decode.h"

#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

extern "C" void __tgt_push_mapper_component(void* handle, void* base, void* begin,
                                            std::int64_t size, std::int64_t type, void* name);

namespace gantry::abi::clang {
namespace {

using core::MapItem;
using core::MapKind;
using testing::HasSubstr;

constexpr std::uint64_t member_of(std::uint64_t entry) {
  return entry << kMemberOfShift;
}

struct Entry {
  void* base;
  void* begin;
  std::int64_t size;
  std::uint64_t type;
  MapperFunction mapper = nullptr;
  const char* name = nullptr;
};

/// The parallel arrays of a call.
Status decode(const std::vector<Entry>& entries, MapItems& items) {
  std::vector<void*> bases;
  std::vector<void*> begins;
  std::vector<void*> names;
  std::vector<void*> mappers;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> types;
  for (const Entry& entry : entries) {
    bases.push_back(entry.base);
    begins.push_back(entry.begin);
    sizes.push_back(entry.size);
    types.push_back(static_cast<std::int64_t>(entry.type));
    names.push_back(const_cast<char*>(entry.name));
    mappers.push_back(reinterpret_cast<void*>(entry.mapper));
  }
  return decode_maps({static_cast<std::uint32_t>(entries.size()), bases.data(), begins.data(),
                      sizes.data(), types.data(), names.data(), mappers.data()},
                     items);
}

MapItems decoded(const std::vector<Entry>& entries) {
  MapItems items;
  const Status status = decode(entries, items);
  EXPECT_TRUE(status) << status.error().message;
  return items;
}

TEST(MapArrays, WithoutNamesAndMappers) {
  int x = 0;
  void* base = &x;
  const std::int64_t size = 4;
  const std::int64_t type = kTo | kFrom | kTargetParameter;
  MapItems items;
  ASSERT_TRUE(decode_maps({1, &base, &base, &size, &type, nullptr, nullptr}, items));
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].name, nullptr);
  EXPECT_TRUE(items[0].to && items[0].from && items[0].argument);
  ASSERT_TRUE(decode_maps({}, items));
  EXPECT_EQ(items.size(), 1u);
}

TEST(MapArrays, EveryBitOfTheType) {
  int x = 0;
  const struct {
    std::uint64_t type;
    bool (*is_set)(const MapItem&);
  } bits[] = {
      {kTo, [](const MapItem& item) { return bool(item.to); }},
      {kFrom, [](const MapItem& item) { return bool(item.from); }},
      {kAlways, [](const MapItem& item) { return bool(item.always); }},
      {kDelete, [](const MapItem& item) { return bool(item.remove); }},
      {kTargetParameter, [](const MapItem& item) { return bool(item.argument); }},
      {kReturnParameter, [](const MapItem& item) { return item.returned_base != nullptr; }},
      {kImplicit, [](const MapItem& item) { return bool(item.implicit); }},
      {kPresent, [](const MapItem& item) { return bool(item.present); }},
      {kHold, [](const MapItem& item) { return bool(item.hold); }},
      {member_of(1), [](const MapItem& item) { return bool(item.member); }},
  };
  for (const auto& [type, is_set] : bits) {
    EXPECT_TRUE(is_set(decoded({{&x, &x, 4, type}})[0])) << std::hex << type;
    EXPECT_FALSE(is_set(decoded({{&x, &x, 4, 0}})[0])) << std::hex << type;
  }
}

TEST(MapArrays, Kinds) {
  int x = 0;
  const auto kind = [&](std::uint64_t type) { return decoded({{&x, &x, 8, type}})[0].kind; };
  EXPECT_EQ(kind(kTo), MapKind::kStorage);
  EXPECT_EQ(kind(kTo | kPointerAndObject), MapKind::kPointee);
  EXPECT_EQ(kind(kAttach), MapKind::kAttachment);
  EXPECT_EQ(kind(kPrivate | kTo), MapKind::kPrivate);
  EXPECT_EQ(kind(kLiteral | kTargetParameter), MapKind::kValue);
  EXPECT_EQ(kind(kLiteral | kImplicit), MapKind::kValue);
}

TEST(MapArrays, CloseIsAModifier) {
  int x = 0;
  const MapItems items = decoded({{&x, &x, 4, kTo | kClose}, {&x, &x, 4, kTo}});
  ASSERT_EQ(items.size(), 2u);
  EXPECT_TRUE(items[0].close);
  EXPECT_FALSE(items[1].close);
}

TEST(MapArrays, UnknownBitsAreLeftAlone) {
  int x = 0;
  const MapItems items = decoded({{&x, &x, 4, kTo | 0x800 | 0x8000 | (1ull << 40)}});
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].kind, MapKind::kStorage);
  EXPECT_TRUE(items[0].to);
}

TEST(MapArrays, ALambdasCaptureNamesItsObject) {
  int target = 0;
  struct {
    int number = 1;
    int* captured;
  } lambda{1, &target};
  const Entry object{&lambda, &lambda, sizeof lambda, kPrivate | kTo | kTargetParameter};
  const Entry capture{&lambda.captured, &target, 8,
                      kPointerAndObject | kLiteral | kImplicit | member_of(2)};
  const MapItems items = decoded({{&target, &target, 4, kTo}, object, capture});
  EXPECT_EQ(items[2].kind, MapKind::kCapture);
  EXPECT_EQ(items[2].parent, 1u);
}

void mapper_of_three(void* handle, void* base, void* begin, std::int64_t, std::int64_t, void*) {
  for (int i = 0; i < 3; ++i) {
    __tgt_push_mapper_component(handle, base, begin, 4, kTo, nullptr);
  }
}

TEST(MapArrays, ALambdasCaptureIsFoundBehindAnEntryWithAMapper) {
  int target = 0;
  struct {
    int* captured;
  } lambda{&target};
  const Entry mapped{&target, &target, 4, kTo, mapper_of_three};
  const Entry object{&lambda, &lambda, sizeof lambda, kPrivate | kTo | kTargetParameter};
  const Entry capture{&lambda.captured, &target, 8,
                      kPointerAndObject | kLiteral | kImplicit | member_of(2)};
  const MapItems items = decoded({mapped, object, capture});
  ASSERT_EQ(items.size(), 5u);
  EXPECT_EQ(items[4].parent, 3u);
}

TEST(MapArrays, ACaptureWithoutItsObjectIsAnError) {
  int target = 0;
  struct {
    int* captured;
    char end[4];
  } lambda{&target, {}};
  constexpr std::uint64_t kCapture = kPointerAndObject | kLiteral | kImplicit;
  const Entry object{&lambda, &lambda, sizeof lambda, kPrivate | kTo};
  const std::vector<std::vector<Entry>> lists = {
      {{&lambda.captured, &target, 8, kCapture | member_of(1)}},
      {object, {&target, &target, 8, kCapture | member_of(1)}},
      {object, {&lambda.end[2], &target, 8, kCapture | member_of(1)}}, // in it only in part
      {{&lambda.captured, &target, 8, kCapture | member_of(0xffff)}, object},
      {object, {nullptr, &target, 8, kCapture}},
  };
  for (const auto& list : lists) {
    MapItems items;
    const Status status = decode(list, items);
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr("in no object before it"));
  }
}

void mapper_of_object(void* handle, void* base, void* begin, std::int64_t, std::int64_t type,
                      void* name) {
  // As Clang emits them: the whole, then members with the types of the map clause.
  __tgt_push_mapper_component(handle, base, begin, 16, kTargetParameter, name);
  __tgt_push_mapper_component(
      handle, base, static_cast<char*>(begin) + 8, 8,
      static_cast<std::int64_t>((static_cast<std::uint64_t>(type) & (kTo | kFrom)) | member_of(1)),
      name);
}

void mapper_of_nothing(void*, void*, void*, std::int64_t, std::int64_t, void*) {}

TEST(Mappers, PushTheItemsThatStandForAnEntry) {
  char object[16];
  const char* name = ";object;;;;";
  const MapItems items =
      decoded({{object, object, 16, kTo | kTargetParameter, mapper_of_object, name},
               {object, object, 1, kFrom}});
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].size, 16u);
  EXPECT_TRUE(items[0].argument);
  EXPECT_FALSE(items[0].to);
  EXPECT_TRUE(items[1].to && items[1].member);
  EXPECT_FALSE(items[1].argument) << "an entry yields one parameter";
  EXPECT_EQ(items[1].name, name);
  EXPECT_TRUE(items[2].from);
}

TEST(Mappers, HandOnTheModifiersOfTheirEntry) {
  int object[4] = {};
  const MapItems items =
      decoded({{object, object, 16, kTo | kAlways | kPresent | kClose | kHold, mapper_of_object}});
  ASSERT_EQ(items.size(), 2u);
  for (const MapItem& item : items) {
    EXPECT_TRUE(item.always && item.present && item.close && item.hold);
    EXPECT_FALSE(item.remove);
  }
  const MapItems removed = decoded({{object, object, 16, kDelete, mapper_of_object}});
  ASSERT_EQ(removed.size(), 2u);
  EXPECT_TRUE(removed[0].remove && removed[1].remove);
}

TEST(Mappers, MayPushNothing) {
  char object[16];
  EXPECT_TRUE(decoded({{object, object, 16, kTo | kTargetParameter, mapper_of_nothing}}).empty());
}

void mapper_with_a_stray_capture(void* handle, void* base, void* begin, std::int64_t, std::int64_t,
                                 void* name) {
  __tgt_push_mapper_component(
      handle, base, begin, 8,
      kPointerAndObject | kLiteral | static_cast<std::int64_t>(member_of(1)), name);
}

TEST(Mappers, DoNotReachItemsOutsideTheirOwn) {
  void* object = nullptr;
  MapItems items;
  EXPECT_FALSE(decode(
      {{&object, &object, 8, kPrivate}, {&object, &object, 8, kTo, mapper_with_a_stray_capture}},
      items));
}

TEST(Structs, HaveTheStorageOfAllTheirMembers) {
  struct {
    int before;
    int first;
    int last[3];
  } object;
  // Clang gives the combined entry the size of its first member where members of members are
  // mapped.
  const MapItems items = decoded({{&object, &object.first, 4, kTargetParameter},
                                  {&object, &object.first, 4, kTo | member_of(1)},
                                  {&object, &object.last, 12, kTo | member_of(1)}});
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].begin, reinterpret_cast<std::byte*>(&object.first));
  EXPECT_EQ(items[0].size, 16u);
}

TEST(Structs, HaveNoStorageOfOthersMembers) {
  int one[2];
  int other[2];
  const MapItems items =
      decoded({{one, one, 8, kTargetParameter}, {other, other, 8, kTo | member_of(1)}});
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].size, 8u);
}

struct Dimension {
  std::uint64_t offset;
  std::uint64_t count;
  std::uint64_t stride;
};

TEST(NonContiguous, ColumnsOfAMatrix) {
  int matrix[4][8];
  // matrix[1:2][3:4]: rows are 32 bytes apart.
  Dimension dimensions[] = {{1, 2, 32}, {3, 4, 4}, {0, 1, 4}};
  const MapItems items = decoded({{matrix, dimensions, 3, kTo | kNonContiguous}});
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].begin, reinterpret_cast<std::byte*>(&matrix[1][3]));
  EXPECT_EQ(items[0].size, 16u);
  EXPECT_EQ(items[0].pieces, 2u);
  EXPECT_EQ(items[0].stride, 32u);
  EXPECT_EQ(items[0].span(), 48u);
  EXPECT_TRUE(items[0].to);
}

TEST(NonContiguous, WholeRowsAreOnePiece) {
  int matrix[4][8];
  Dimension dimensions[] = {{1, 2, 32}, {0, 8, 4}, {0, 1, 4}};
  const MapItems items = decoded({{matrix, dimensions, 3, kTo | kNonContiguous}});
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].begin, reinterpret_cast<std::byte*>(&matrix[1][0]));
  EXPECT_EQ(items[0].size, 64u);
  EXPECT_EQ(items[0].pieces, 1u);
}

TEST(NonContiguous, AnItemForEachElementOfTheOuterDimensions) {
  int cube[3][4][8];
  // cube[0:3][1:2][2:4:2]
  Dimension dimensions[] = {{0, 3, 128}, {1, 2, 32}, {2, 3, 8}, {0, 1, 4}};
  const MapItems items = decoded({{cube, dimensions, 4, kTo | kNonContiguous}});
  ASSERT_EQ(items.size(), 6u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(items[i].begin, reinterpret_cast<std::byte*>(&cube[i / 2][1 + i % 2][2]));
    EXPECT_EQ(items[i].size, 4u);
    EXPECT_EQ(items[i].pieces, 3u);
    EXPECT_EQ(items[i].stride, 8u);
  }
}

TEST(NonContiguous, WithAStride) {
  int array[16];
  // array[1:4:3]
  Dimension dimensions[] = {{1, 4, 12}, {0, 1, 4}};
  const MapItems items = decoded({{array, dimensions, 2, kFrom | kNonContiguous}});
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].begin, reinterpret_cast<std::byte*>(&array[1]));
  EXPECT_EQ(items[0].size, 4u);
  EXPECT_EQ(items[0].pieces, 4u);
  EXPECT_EQ(items[0].stride, 12u);
}

TEST(NonContiguous, OfNoDimensionsIsNothing) {
  int array[4];
  Dimension dimensions[] = {{0, 1, 4}};
  for (const std::int64_t count : {0, 1}) {
    EXPECT_TRUE(decoded({{array, dimensions, count, kTo | kNonContiguous}}).empty());
  }
}

TEST(NonContiguous, WithoutADescriptorOfThatManyDimensions) {
  int array[16];
  // array[0:n:3], as Clang 22 hands it over: the size is the section's, not the number of records.
  Dimension dimensions[64] = {{0, 4, 12}, {0, 1, 4}, {7, 0, 99}};
  for (const std::int64_t count : {3, 16, 1000000}) {
    MapItems items;
    const Status status = decode({{array, dimensions, count, kFrom | kNonContiguous}}, items);
    ASSERT_FALSE(status) << count;
    EXPECT_THAT(status.error().message, HasSubstr("dimensions and does not describe them"));
  }
}

TEST(NonContiguous, NothingBehindTheDescriptorIsRead) {
  int array[16];
  // array[0:n:3] and, of a matrix, [0:2][0:n:3]: the size is in bytes. Behind the records the
  // program may have no memory.
  const std::vector<std::vector<Dimension>> descriptors = {{{0, 4, 12}, {0, 1, 4}},
                                                           {{0, 2, 32}, {0, 4, 12}, {0, 1, 4}}};
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages =
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  std::byte* const end = static_cast<std::byte*>(pages) + page;
  ASSERT_EQ(mprotect(end, page, PROT_NONE), 0);
  for (const std::vector<Dimension>& descriptor : descriptors) {
    const std::size_t bytes = descriptor.size() * sizeof(Dimension);
    std::memcpy(end - bytes, descriptor.data(), bytes);
    MapItems items;
    EXPECT_FALSE(decode({{array, end - bytes, 16, kFrom | kNonContiguous}}, items));
  }
  munmap(pages, 2 * page);
}

TEST(Constructs, TakeTheirPositionFromTheIdent) {
  const Ident ident{0, 0, 0, 0, ";z.cpp;main;3;1;;"};
  EXPECT_EQ(core::label(construct("target", &ident, nullptr)), "z.cpp:3: target");
  EXPECT_EQ(core::label(construct("target", nullptr, nullptr)), "target");
}

} // namespace
} // namespace gantry::abi::clang
