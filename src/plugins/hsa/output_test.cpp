#include "plugins/hsa/output.h"

#include "plugins/hsa/library.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace gantry::hsa {
namespace {

class Memory final : public gpu::PinnedSource {
public:
  std::int32_t allocate_pinned(std::size_t size, void*& memory) override {
    memory = std::malloc(size);
    return GANTRY_SUCCESS;
  }
  std::int32_t free_pinned(void* memory) override {
    std::free(memory);
    return GANTRY_SUCCESS;
  }
};

class Output : public testing::Test {
protected:
  Output() {
    gpu::DeviceAddress address = 0;
    EXPECT_EQ(output_.get_address(address), GANTRY_SUCCESS);
    buffer_ = reinterpret_cast<gantry_output*>(address);
  }
  ~Output() override { EXPECT_EQ(output_.free(), GANTRY_SUCCESS); }

  /// As device code does it; null if there is no room.
  gantry_output_record* begin(std::string_view contents) {
    const std::uint64_t size = (sizeof(gantry_output_record) + contents.size() + 7) / 8 * 8;
    const std::uint64_t at = buffer_->reserved;
    buffer_->reserved += size;
    auto* const record =
        reinterpret_cast<gantry_output_record*>(reinterpret_cast<std::byte*>(buffer_ + 1) + at);
    if (at + size > buffer_->capacity) {
      if (at < buffer_->capacity) {
        record->size = GANTRY_OUTPUT_END;
      }
      ++buffer_->lost;
      return nullptr;
    }
    EXPECT_EQ(record->size, 0u);
    record->size = static_cast<std::uint32_t>(size);
    std::memcpy(record + 1, contents.data(), contents.size());
    return record;
  }
  bool put(std::string_view contents) {
    gantry_output_record* const record = begin(contents);
    if (record != nullptr) {
      record->complete = 1;
    }
    return record != nullptr;
  }

  std::string printed(DeviceOutput::State state = DeviceOutput::State::kDone) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    output_.print(state);
    warning_ = testing::internal::GetCapturedStderr();
    return testing::internal::GetCapturedStdout();
  }

  Memory memory_;
  DeviceOutput output_{memory_};
  gantry_output* buffer_ = nullptr;
  std::string warning_;
};

TEST_F(Output, MessagesInOrderOnce) {
  EXPECT_EQ(printed(), "");
  put(std::string_view("a %d %s\n\0\x05\0\0\0text\0", 18));
  put(std::string_view("\0", 1));
  put(std::string_view("b\n\0", 3));
  EXPECT_EQ(printed(), "a 5 text\nb\n");
  EXPECT_EQ(buffer_->reserved, 0u) << "begins again at the front";
  put(std::string_view("c\n\0", 3));
  EXPECT_EQ(printed(), "c\n");
  EXPECT_EQ(warning_, "");
}

TEST_F(Output, WhatIsNotCompleteWaits) {
  gantry_output_record* const open = begin(std::string_view("open\n\0", 6));
  put(std::string_view("behind\n\0", 8));
  EXPECT_EQ(printed(), "");
  EXPECT_NE(buffer_->reserved, 0u);
  open->complete = 1;
  EXPECT_EQ(printed(), "open\nbehind\n");
}

TEST_F(Output, ALostDeviceCompletesNothingMore) {
  begin(std::string_view("open\n\0", 6));
  put(std::string_view("behind\n\0", 8));
  EXPECT_EQ(printed(DeviceOutput::State::kLost), "behind\n");
  EXPECT_EQ(printed(DeviceOutput::State::kLost), "");
}

TEST_F(Output, WhatFindsNoRoomIsCounted) {
  for (int round = 0; round < 3; ++round) {
    std::size_t count = 0;
    while (put(std::string_view("0123456789abcdefghijk\n\0", 23))) {
      ++count;
    }
    put(std::string_view("x\n\0", 3));
    EXPECT_EQ(printed(DeviceOutput::State::kAtWork).size(), count * 22);
    EXPECT_EQ(warning_, "");
    EXPECT_EQ(printed(), "");
    EXPECT_TRUE(warning_.starts_with("gantry: warning: 2 messages of device code were lost: "))
        << warning_;
  }
}

TEST_F(Output, DamagedRecords) {
  put(std::string_view("%d\0\x01", 4));
  put(std::string_view("no end %s....", 13));
  put("unended");
  put(std::string_view("good\n\0", 6));
  const std::string text = printed();
  EXPECT_TRUE(text.ends_with("good\n")) << text;
  begin("x")->size = 0x7ffffff8;
  EXPECT_EQ(printed(), "");
}

} // namespace
} // namespace gantry::hsa
