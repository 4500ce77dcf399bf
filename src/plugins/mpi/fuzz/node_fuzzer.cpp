// libFuzzer's entry point for what a node is told. A device is open, with an image and a block of
// memory, and strand 1; then come messages of the input: a length of two bytes each, and the bytes.
// Where these are "ADDRESS!", they become the block's address.
#include "plugins/mpi/node/node.h"
#include "plugins/mpi/testing/fake_devices.h"
#include "plugins/mpi/testing/lone_transport.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace gantry;
using namespace gantry::mpi;

namespace {

class AtOnce final : public Workers {
public:
  bool run(std::function<void()> work) override {
    work();
    return true;
  }
};

constexpr std::string_view kImage = "fake: fail nothing";

/// What a program says first.
std::vector<std::byte> beginning() {
  std::vector<std::byte> message;
  const ImageName name = {.hash = {1, 2}, .size = kImage.size()};
  Record(message, Kind::kAlive, 0).put(std::uint64_t{0});
  Record(message, Kind::kAddDevices, 1).put_text("fake").put(std::int32_t{0});
  Record(message, Kind::kOpenDevice, 2).put(std::uint32_t{0}).put(OpenSettings{}).put_text("");
  Record(message, Kind::kAllocate, 3)
      .put(std::uint32_t{0})
      .put(std::uint64_t{1 << 17})
      .put(std::uint32_t{1});
  Record(message, Kind::kImage, 0).put(name).put(std::uint32_t{0}).put(std::uint32_t{0});
  return message;
}

/// Replaces the mark by the address.
void put_address(std::vector<std::byte>& message, std::uint64_t address) {
  constexpr std::string_view kMark = "ADDRESS!";
  const Bytes mark = as_bytes(kMark);
  for (auto at = message.begin();;) {
    at = std::search(at, message.end(), mark.begin(), mark.end());
    if (at == message.end()) {
      return;
    }
    std::memcpy(&*at, &address, sizeof address);
    at += sizeof address;
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  fake_devices() = {};
  fake_devices().capabilities =
      (data[0] & 1) != 0 ? GANTRY_CAPABILITY_QUEUES : GANTRY_CAPABILITY_HOST_ACCESSIBLE;
  fake_devices().queries = data[0] >> 1 & 3;
  fake_devices().memory = 1 << 20;
  if ((data[0] & 8) != 0) {
    fake_devices().clock = [now = std::uint64_t{0}]() mutable { return ++now; };
  }
  Bytes left = std::as_bytes(std::span(data, size)).subspan(1);
  {
    LoneTransport transport(1, 3);
    FakePlugins plugins;
    AtOnce workers;
    Node node(transport, 0, plugins, workers);
    transport.give(0, beginning());
    constexpr int kSteps = 8;
    const auto go_on = [&] {
      for (int i = 0; i < kSteps; ++i) {
        const auto step = node.step();
        if (!step || *step == Node::Step::kFinished) {
          return false;
        }
      }
      return true;
    };
    if (!go_on()) {
      std::abort();
    }
    std::vector<std::byte> message;
    Record(message, Kind::kCreateStrand, 1).put(std::uint32_t{0});
    transport.give(0, message);
    while (left.size() >= 2 && go_on()) {
      std::uint16_t length = 0;
      std::memcpy(&length, left.data(), sizeof length);
      left = left.subspan(2);
      const std::size_t count = std::min<std::size_t>(length & 0x1fff, left.size());
      message.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count));
      put_address(message, reinterpret_cast<std::uint64_t>(fake_devices().last_block.load()));
      transport.give((length & 0x8000) != 0 ? 2 : 0, message);
      left = left.subspan(count);
    }
    (void)go_on();
  }
  if (fake_devices().open != 0) {
    std::abort(); // something is left
  }
  return 0;
}
