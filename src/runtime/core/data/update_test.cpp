// target update: OpenMP 5.2, section 13.9.
#include "runtime/core/reports/text.h"
#include "runtime/testing/environment_case.h"

namespace gantry::core {
namespace {

using namespace core::testing;

using Update = EnvironmentCase;

TEST_F(Update, CopiesThePiecesOfASectionOnly) {
  int array[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  ASSERT_TRUE(enter({to(array)}));
  for (int& element : array) {
    element += 10;
  }
  MapItem pieces = section(array, 1, 1);
  pieces.to = true;
  pieces.pieces = 3;
  pieces.stride = 3 * sizeof(int); // 1, 4, 7
  ASSERT_TRUE(update({pieces}));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(on_device(array[i]), i % 3 == 1 ? i + 10 : i) << i;
  }
  ASSERT_TRUE(exit({release(array)}));
}

TEST_F(Update, WhatLiesBetweenPiecesNeedNotBePresent) {
  int array[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  MapItem first = section(array, 0, 2);
  MapItem last = section(array, 6, 2);
  first.to = last.to = true;
  ASSERT_TRUE(enter({first, last}));
  array[0] = 10;
  array[6] = 16;
  MapItem pieces = section(array, 0, 1);
  pieces.to = true;
  pieces.pieces = 4;
  pieces.stride = 2 * sizeof(int);
  ASSERT_TRUE(update({pieces}));
  EXPECT_EQ(on_device(array[0]), 10);
  EXPECT_EQ(on_device(array[6]), 16);
  pieces.size = 3 * sizeof(int);
  EXPECT_FALSE(update({pieces})) << "the first piece reaches past what is mapped";
  pieces.size = sizeof(int);
  pieces.present = true;
  EXPECT_FALSE(update({pieces})) << "the second piece is not present";
  pieces.stride = ~std::uint64_t{0} / 2;
  EXPECT_FALSE(update({pieces})) << "it has no end";
  ASSERT_TRUE(exit({first, last}));
}

TEST_F(Update, PiecesLeaveAttachedPointersAlone) {
  int target = 5;
  struct {
    int before[2] = {1, 2};
    int* pointer = nullptr;
    int after[2] = {3, 4};
  } object;
  object.pointer = &target;
  ASSERT_TRUE(enter({to(object), to(target), attachment(object.pointer)}));
  object.before[1] = 20;
  object.after[0] = 30;
  MapItem pieces = to(object);
  pieces.begin = bytes_of(object.before[1]);
  pieces.size = 6; // its last two bytes, and those of the next piece, are the pointer's
  pieces.pieces = 2;
  pieces.stride = 8;
  ASSERT_TRUE(update({pieces}));
  EXPECT_EQ(on_device(object.before[1]), 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(on_device(object.pointer)),
            reinterpret_cast<std::uintptr_t>(corresponding(target)));
  ASSERT_TRUE(exit({release(object), release(target)}));
}

TEST_F(Update, CopiesWhatIsPresentOnly) {
  int array[4] = {1, 2, 3, 4};
  int absent = 1;
  ASSERT_TRUE(enter({alloc(array)}));
  MapItem two = section(array, 1, 2);
  two.to = true;
  ASSERT_TRUE(update({two, to(absent), alloc(array)}));
  EXPECT_EQ(plugin.counts.bytes_submitted, 2 * sizeof(int));
  EXPECT_EQ(on_device(array[2]), 3);
  plugin.write(corresponding(array[1]), 20);
  two.to = false;
  two.from = true;
  ASSERT_TRUE(update({two}));
  EXPECT_EQ(array[1], 20);
  ASSERT_TRUE(exit({release(array)}));
}

} // namespace
} // namespace gantry::core
