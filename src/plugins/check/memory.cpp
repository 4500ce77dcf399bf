// Cases of plugin-check: device memory and copies.
#include "plugins/check/test.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>

namespace gantry::plugin_check {

namespace {

constexpr std::uint64_t kAlignment = 64;

/// Bytes that tell where they belong.
std::vector<unsigned char> pattern(std::size_t bytes, unsigned seed) {
  std::vector<unsigned char> content(bytes);
  std::uint32_t state = seed * 2654435761U + 1;
  for (unsigned char& byte : content) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<unsigned char>(state >> 24);
  }
  return content;
}

std::vector<unsigned char> content_of(const Device& device, const void* address,
                                      std::size_t bytes) {
  std::vector<unsigned char> content(bytes);
  device.read(content.data(), address, bytes);
  return content;
}

void is_aligned_and_apart() {
  const Device device;
  std::deque<Memory> memory;
  std::map<std::uintptr_t, std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint64_t bytes = 1 + i * i * 7;
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.emplace_back(device, bytes).bytes());
    require(begin % kAlignment == 0, "allocate gave {:#x}, which is not aligned to {} bytes", begin,
            kAlignment);
    const auto next = blocks.upper_bound(begin);
    const bool free_behind = next == blocks.end() || begin + bytes <= next->first;
    const bool free_before =
        next == blocks.begin() || std::prev(next)->first + std::prev(next)->second <= begin;
    require(free_behind && free_before, "allocate gave memory twice: {} bytes at {:#x}", bytes,
            begin);
    blocks.emplace(begin, bytes);
  }
}

void copies_there_and_back() {
  const Device device;
  constexpr std::size_t kRoom = 8 << 20;
  const Memory memory(device, kRoom + kAlignment);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{3}, std::size_t{4095},
                                  std::size_t{65537}, std::size_t{1} << 20, kRoom}) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{13}}) {
      const auto sent = pattern(bytes, static_cast<unsigned>(bytes + offset));
      std::vector<unsigned char> received(bytes + 2, 0x77);
      device.write(memory.bytes() + offset, sent.data(), bytes);
      device.read(received.data() + 1, memory.bytes() + offset, bytes);
      require(std::equal(sent.begin(), sent.end(), received.begin() + 1),
              "{} bytes come back changed from offset {}", bytes, offset);
      require(received.front() == 0x77 && received.back() == 0x77,
              "copy_to_host wrote outside of the {} bytes asked for", bytes);
    }
  }
}

void copies_parts() {
  const Device device;
  constexpr std::size_t kBytes = 1000;
  const Memory memory(device, kBytes);
  auto expected = pattern(kBytes, 1);
  device.write(memory.bytes(), expected.data(), kBytes);
  const auto part = pattern(100, 2);
  device.write(memory.bytes() + 321, part.data(), part.size());
  std::ranges::copy(part, expected.begin() + 321);
  require(content_of(device, memory.bytes(), kBytes) == expected,
          "a copy to a part of a block changed other bytes of it");
}

/// Both ends of a block that is larger than what allocators take from what they have.
void gives_large_blocks() {
  const Device device;
  constexpr std::uint64_t kBytes = std::uint64_t{256} << 20;
  const gantry_allocation request = request_of(kBytes);
  void* memory = nullptr;
  const gantry_status status = subject.plugin->allocate(device.handle(), &request, &memory);
  if (status == GANTRY_OUT_OF_MEMORY) {
    skip("the device does not have 256 MiB");
  }
  done(status, "allocate");
  constexpr std::uint64_t kWords = kBytes / 8;
  auto* const first = static_cast<std::int64_t*>(memory);
  std::int64_t* const last = &first[kWords - 1];
  device.set(first, 1);
  device.set(last, 2);
  require(device.get(first) == 1 && device.get(last) == 2,
          "a block of 256 MiB loses what is at its ends");
  GANTRY_DO(release, device.handle(), memory);
}

void copies_from_threads() {
  const Device device;
  on_threads([&](int thread) {
    constexpr std::size_t kBytes = 100'000;
    const Memory memory(device, kBytes);
    for (int round = 0; round < 100; ++round) {
      const auto sent = pattern(kBytes, static_cast<unsigned>(thread * 1000 + round));
      device.write(memory.bytes(), sent.data(), kBytes);
      require(sent == content_of(device, memory.bytes(), kBytes),
              "copies that {} threads make at once mix their bytes", kThreads);
    }
  });
}

void reuses_memory() {
  const Device device;
  constexpr std::size_t kBytes = 1 << 20;
  const auto content = pattern(kBytes, 9);
  without_leaks(512, [&] {
    const Memory memory(device, kBytes);
    device.write(memory.bytes(), content.data(), kBytes);
  });
}

void refuses_too_much() {
  const Device device;
  const gantry_allocation request = request_of(std::uint64_t{1} << 60);
  void* memory = nullptr;
  refused(subject.plugin->allocate(device.handle(), &request, &memory), {GANTRY_OUT_OF_MEMORY},
          "allocate of 2^60 bytes");
  const Memory word(device, sizeof(std::int64_t));
  device.set(word.words(), 4);
  require(device.get(word.words()) == 4, "the device is of no use after an allocation has failed");
}

void places_memory() {
  const Device device;
  device.need(GANTRY_CAPABILITY_PLACED_MEMORY,
              "the device does not have GANTRY_CAPABILITY_PLACED_MEMORY");
  for (const std::uint64_t alignment : {64ULL, 256ULL, 4096ULL}) {
    for (const std::uint64_t offset : {0ULL, 8ULL, 63ULL}) {
      gantry_allocation request = request_of(100);
      request.alignment = alignment;
      request.offset = offset;
      void* memory = nullptr;
      GANTRY_DO(allocate, device.handle(), &request, &memory);
      const auto begin = reinterpret_cast<std::uintptr_t>(memory);
      require(begin % alignment == offset,
              "allocate gave {:#x}, asked for {} more than a multiple of {}", begin, offset,
              alignment);
      GANTRY_DO(release, device.handle(), memory);
    }
  }
}

void chooses_addresses() {
  const Device device;
  device.need(GANTRY_CAPABILITY_CHOSEN_ADDRESS,
              "the device does not have GANTRY_CAPABILITY_CHOSEN_ADDRESS");
  gantry_allocation request = request_of(1 << 20);
  void* first = nullptr;
  GANTRY_DO(allocate, device.handle(), &request, &first);
  GANTRY_DO(release, device.handle(), first);
  request.address = reinterpret_cast<std::uint64_t>(first);
  void* again = nullptr;
  GANTRY_DO(allocate, device.handle(), &request, &again);
  require(again == first, "allocate gave {}, asked for {}", fmt::ptr(again), fmt::ptr(first));
  void* taken = nullptr;
  refused(subject.plugin->allocate(device.handle(), &request, &taken),
          {GANTRY_FAILURE, GANTRY_OUT_OF_MEMORY}, "allocate at an address that is taken");
  GANTRY_DO(release, device.handle(), again);
}

void copies_between() {
  GANTRY_NEED(copy_between)
  const Device from;
  const Device to;
  constexpr std::size_t kBytes = 300'000;
  const auto sent = pattern(kBytes, 5);
  const Memory source(from, kBytes);
  from.write(source.bytes(), sent.data(), kBytes);
  for (const Device* const target : {&from, &to}) {
    const Memory memory(*target, kBytes);
    GANTRY_DO(copy_between, from.handle(), source.bytes(), target->handle(), memory.bytes(),
              kBytes);
    require(sent == content_of(*target, memory.bytes(), kBytes), "copy_between changed bytes");
  }
}

constexpr std::array kCases = {
    Case{"memory", "blocks are aligned and do not overlap", is_aligned_and_apart},
    Case{"memory", "bytes come back as they were sent", copies_there_and_back},
    Case{"memory", "a copy to a part leaves the rest", copies_parts},
    Case{"memory", "a large block is whole", gives_large_blocks},
    Case{"memory", "eight threads copy at once", copies_from_threads},
    Case{"memory", "released memory is given out again", reuses_memory},
    Case{"memory", "too much memory is refused with a message", refuses_too_much},
    Case{"memory", "memory begins where it is asked to", places_memory},
    Case{"memory", "memory is had at a chosen address", chooses_addresses},
    Case{"memory", "copies from device to device", copies_between},
};

} // namespace

std::span<const Case> memory_cases() {
  return kCases;
}

} // namespace gantry::plugin_check
