#include "simt/exec/engine/device_printf.h"

#include "simt/exec/testing/hand_made_warp.h"
#include "simt/memory/device_memory.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace gantry::simt::exec {
namespace {

/// Device memory with a string or other bytes in it.
class Bytes {
public:
  explicit Bytes(std::string_view contents) {
    Allocation what;
    what.size = std::max<std::size_t>(contents.size(), 1);
    address = DeviceMemory::instance()->allocate(what).value();
    std::memcpy(reinterpret_cast<void*>(address), contents.data(), contents.size());
  }
  ~Bytes() { DeviceMemory::instance()->free(address); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  std::uint64_t address = 0;
};

std::string with_nul(std::string_view text) {
  return std::string(text) + '\0';
}

/// Puts values where vprintf's caller does.
class Packed {
public:
  template <typename Value>
  Packed& operator<<(Value value) {
    bytes_.resize((bytes_.size() + sizeof value - 1) / sizeof value * sizeof value);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
  std::string bytes_;
};

LaneMemory lane() {
  static const HandMadeWarp made;
  return {made.warp, 3};
}

struct Result {
  std::string text;
  std::int32_t count = 0;
};

Result print(std::string_view format, const Packed& packed = {}) {
  const Bytes text(with_nul(format));
  const Bytes arguments(packed.bytes());
  Result result;
  result.count = format_device_text(result.text, lane(), text.address,
                                    packed.bytes().empty() ? 0 : arguments.address)
                     .value();
  return result;
}

/// What the host's printf makes of it.
template <typename... Args>
std::string host(const char* format, Args... arguments) {
  char text[512];
  const int size = std::snprintf(text, sizeof text, format, arguments...);
  return std::string(text, static_cast<std::size_t>(size));
}

TEST(DevicePrintf, TextWithoutConversions) {
  EXPECT_EQ(print("").text, "");
  EXPECT_EQ(print("hello\n").text, "hello\n");
  EXPECT_EQ(print("hello\n").count, 0);
  EXPECT_EQ(print("100%%|%5%|").text, "100%|%|");
  EXPECT_EQ(print("100%%").count, 0);
}

TEST(DevicePrintf, Integers) {
  const Result result =
      print("%d %i %u %x %X %o", Packed() << -5 << 7 << 4000000000U << 0xBEEFU << 0xBEEFU << 8U);
  EXPECT_EQ(result.text, "-5 7 4000000000 beef BEEF 10");
  EXPECT_EQ(result.count, 6);
}

TEST(DevicePrintf, Lengths) {
  EXPECT_EQ(print("%hhd %hd %hhu %hu", Packed() << 0x1FF << 0x1FFFF << 0x1FF << 0x1FFFF).text,
            "-1 -1 255 65535");
  EXPECT_EQ(
      print("%ld %lld %lu %llx", Packed() << -1LL << (1LL << 40) << ~0ULL << 0x123456789ABCULL)
          .text,
      "-1 1099511627776 18446744073709551615 123456789abc");
  EXPECT_EQ(print("%zu %jd %td", Packed() << 5ULL << -6LL << 7LL).text, "5 -6 7");
}

TEST(DevicePrintf, ArgumentsAreAlignedNaturally) {
  EXPECT_EQ(print("%d %ld %d %f %d", Packed() << 1 << 2L << 3 << 4.5 << 5).text,
            "1 2 3 4.500000 5");
}

TEST(DevicePrintf, Floats) {
  const double value = 12345.678901;
  EXPECT_EQ(
      print("%f %e %g %a %F %E %G %A",
            Packed() << value << value << value << value << value << value << value << value)
          .text,
      host("%f %e %g %a %F %E %G %A", value, value, value, value, value, value, value, value));
  EXPECT_EQ(print("%.2f|%10.3e|%-12g|%+.0f|%#.0f|%Lf",
                  Packed() << value << value << value << value << value << value)
                .text,
            host("%.2f|%10.3e|%-12g|%+.0f|%#.0f|%f", value, value, value, value, value, value));
  EXPECT_EQ(print("%f %f", Packed() << 1e300 * 1e300 << -1.0 / (1e300 * 1e300)).text,
            "inf -0.000000");
}

TEST(DevicePrintf, FlagsWidthPrecision) {
  EXPECT_EQ(print("|%5d|%-5d|%05d|%+d|% d|%.3d|%#x|%#o|",
                  Packed() << 42 << 42 << 42 << 42 << 42 << 42 << 42 << 42)
                .text,
            host("|%5d|%-5d|%05d|%+d|% d|%.3d|%#x|%#o|", 42, 42, 42, 42, 42, 42, 42, 42));
  EXPECT_EQ(print("%.d|%.0d", Packed() << 0 << 0).text, "|");
}

TEST(DevicePrintf, WidthAndPrecisionFromArguments) {
  const Result result =
      print("|%*d|%-*d|%*d|%.*f|%*.*f|%.*d|", Packed() << 6 << 1 << 6 << 2 << -6 << 3 << 2
                                                       << 1.23456 << 9 << 1 << 1.23456 << -1 << 7);
  EXPECT_EQ(result.text, host("|%*d|%-*d|%*d|%.*f|%*.*f|%.*d|", 6, 1, 6, 2, -6, 3, 2, 1.23456, 9, 1,
                              1.23456, -1, 7));
  EXPECT_EQ(result.count, 13);
}

TEST(DevicePrintf, AWidthIsAtMostTheBuffer) {
  EXPECT_EQ(print("%*d", Packed() << 0x7FFFFFFF << 1).text.size(), 1U << 20);
  EXPECT_EQ(print("%99999999999999999999d", Packed() << 1).text.size(), 1U << 20);
}

TEST(DevicePrintf, Characters) {
  EXPECT_EQ(print("%c%c|%3c|%-3c|", Packed() << int{'a'} << int{'b'} << int{'c'} << int{'d'}).text,
            "ab|  c|d  |");
  EXPECT_EQ(print("a%cb", Packed() << 0).text, std::string("a\0b", 3));
}

TEST(DevicePrintf, Strings) {
  const Bytes string(with_nul("device"));
  const Result result = print("|%s|%10s|%-10s|%.3s|", Packed() << string.address << string.address
                                                               << string.address << string.address);
  EXPECT_EQ(result.text, "|device|    device|device    |dev|");
  EXPECT_EQ(result.count, 4);
}

TEST(DevicePrintf, AStringOfTheGivenPrecisionNeedsNoNul) {
  const Bytes string("abc");
  EXPECT_EQ(print("%.3s %.*s", Packed() << string.address << 2 << string.address).text, "abc ab");
}

TEST(DevicePrintf, Pointers) {
  const Bytes somewhere("x");
  EXPECT_EQ(print("%p %p", Packed() << somewhere.address << std::uint64_t{0}).text,
            host("%p %p", reinterpret_cast<void*>(somewhere.address), static_cast<void*>(nullptr)));
}

TEST(DevicePrintf, WhatIsNoConversionIsPrintedAsItIs) {
  EXPECT_EQ(print("%y %d %5.2q %", Packed() << 3).text, "%y 3 %5.2q %");
  EXPECT_EQ(print("%y %d", Packed() << 3).count, 1);
  EXPECT_EQ(print("%-08.3").text, "%-08.3");
  EXPECT_EQ(print("%l").text, "%l");
  EXPECT_EQ(print("%ls %lc %*y").text, "%ls %lc %*y");
  EXPECT_EQ(print("a%nb %d", Packed() << 3).text, "ab 3");
}

TEST(DevicePrintf, NoFormat) {
  std::string text;
  EXPECT_EQ(format_device_text(text, lane(), 0, 0), -1);
  EXPECT_EQ(text, "");
}

TEST(DevicePrintf, WhatCannotBeReadIsSaid) {
  std::string text;
  const Bytes open("no end"); // and inaccessible behind
  const auto format = format_device_text(text, lane(), open.address, 0);
  ASSERT_FALSE(format);
  EXPECT_EQ(format.error().address, open.address + 6);
  EXPECT_EQ(format.error().size, 1u);

  const Bytes number(with_nul("%d %f"));
  const auto none = format_device_text(text, lane(), number.address, 0);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().address, 0u);
  EXPECT_EQ(none.error().size, 4u);

  const Bytes few(std::string(8, '\0'));
  const auto second = format_device_text(text, lane(), number.address, few.address);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().address, few.address + 8);
  EXPECT_EQ(second.error().size, 8u);

  const Bytes string(with_nul("%s"));
  const char on_host[] = "host";
  const Bytes pointer((Packed() << reinterpret_cast<std::uint64_t>(&on_host)).bytes());
  const auto host_string = format_device_text(text, lane(), string.address, pointer.address);
  ASSERT_FALSE(host_string);
  EXPECT_EQ(host_string.error().address, reinterpret_cast<std::uint64_t>(&on_host));
}

TEST(DevicePrintf, WhatIsInTheLanesOwnWindow) {
  const HandMadeWarp made;
  const LaneMemory first(made.warp, 0), second(made.warp, 1);
  const auto local = reinterpret_cast<std::uint64_t>(made.warp.local);
  std::memcpy(made.warp.local, "own", 4);
  std::memcpy(made.warp.local + HandMadeWarp::kStride, "two", 4);
  EXPECT_EQ(read_device_string(first, local), "own");
  EXPECT_EQ(read_device_string(second, local), "two") << "whichever lane the address is of";
  EXPECT_EQ(read_device_string(first, local + HandMadeWarp::kStride), "own");
  EXPECT_FALSE(read_device_string(first, local + HandMadeWarp::kLocal));
  const HandMadeWarp elsewhere;
  EXPECT_FALSE(read_device_string(LaneMemory(elsewhere.warp, 0), local));
}

TEST(DevicePrintf, OutputWaitsForTheFlush) {
  flush_device_output();
  testing::internal::CaptureStdout();
  std::printf("host 1\n");
  print_from_device("device\n");
  std::printf("host 2\n");
  flush_device_output();
  std::printf("host 3\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "host 1\nhost 2\ndevice\nhost 3\n");
}

TEST(DevicePrintf, AFullBufferIsWritten) {
  flush_device_output();
  testing::internal::CaptureStdout();
  const std::string line(1000, 'x');
  for (int i = 0; i < 1100; ++i) {
    print_from_device(line);
  }
  EXPECT_GE(testing::internal::GetCapturedStdout().size(), 1U << 20);
  testing::internal::CaptureStdout();
  flush_device_output();
  testing::internal::GetCapturedStdout();
}

TEST(DevicePrintf, CallsOfManyThreadsStayWhole) {
  testing::internal::CaptureStdout();
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([number] {
      const std::string line = std::string(50, static_cast<char>('a' + number)) + '\n';
      for (int i = 0; i < 500; ++i) {
        print_from_device(line);
        if (i % 100 == 0) {
          flush_device_output();
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  flush_device_output();
  const std::string all = testing::internal::GetCapturedStdout();
  ASSERT_EQ(all.size(), 4U * 500 * 51);
  for (std::size_t line = 0; line < all.size(); line += 51) {
    EXPECT_EQ(all.substr(line, 50), std::string(50, all[line]));
    EXPECT_EQ(all[line + 50], '\n');
  }
}

} // namespace
} // namespace gantry::simt::exec
