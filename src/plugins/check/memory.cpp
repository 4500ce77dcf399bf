// Cases of plugin-check: device memory and copies.
#include "plugins/check/test.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>

#include <sys/mman.h>

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

void is_aligned_and_apart(const Subject& subject) {
  const Device device(subject);
  std::map<std::uintptr_t, std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint64_t bytes = 1 + i * i * 7;
    const auto begin = reinterpret_cast<std::uintptr_t>(device.allocate(bytes));
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
  for (const auto& [begin, bytes] : blocks) {
    device.release(reinterpret_cast<void*>(begin));
  }
  device.close();
}

void copies_there_and_back(const Subject& subject) {
  const Device device(subject);
  constexpr std::size_t kRoom = 8 << 20;
  auto* const memory = reinterpret_cast<unsigned char*>(device.allocate(kRoom + kAlignment));
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{3}, std::size_t{4095},
                                  std::size_t{65537}, std::size_t{1} << 20, kRoom}) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{13}}) {
      const auto sent = pattern(bytes, static_cast<unsigned>(bytes + offset));
      std::vector<unsigned char> received(bytes + 2, 0x77);
      device.write(memory + offset, sent.data(), bytes);
      device.read(received.data() + 1, memory + offset, bytes);
      require(std::equal(sent.begin(), sent.end(), received.begin() + 1),
              "{} bytes come back changed from offset {}", bytes, offset);
      require(received.front() == 0x77 && received.back() == 0x77,
              "copy_to_host wrote outside of the {} bytes asked for", bytes);
    }
  }
  device.release(memory);
  device.close();
}

void copies_parts(const Subject& subject) {
  const Device device(subject);
  constexpr std::size_t kBytes = 1000;
  auto* const memory = reinterpret_cast<unsigned char*>(device.allocate(kBytes));
  auto expected = pattern(kBytes, 1);
  device.write(memory, expected.data(), kBytes);
  const auto part = pattern(100, 2);
  device.write(memory + 321, part.data(), part.size());
  std::ranges::copy(part, expected.begin() + 321);
  std::vector<unsigned char> all(kBytes);
  device.read(all.data(), memory, kBytes);
  require(all == expected, "a copy to a part of a block changed other bytes of it");
  device.release(memory);
  device.close();
}

void copies_from_threads(const Subject& subject) {
  const Device device(subject);
  on_threads([&](int thread) {
    constexpr std::size_t kBytes = 100'000;
    auto* const memory = device.allocate(kBytes);
    std::vector<unsigned char> received(kBytes);
    for (int round = 0; round < 100; ++round) {
      const auto sent = pattern(kBytes, static_cast<unsigned>(thread * 1000 + round));
      device.write(memory, sent.data(), kBytes);
      device.read(received.data(), memory, kBytes);
      require(sent == received, "copies that {} threads make at once mix their bytes", kThreads);
    }
    device.release(memory);
  });
  device.close();
}

void reuses_memory(const Subject& subject) {
  const Device device(subject);
  constexpr std::size_t kBytes = 1 << 20;
  const auto content = pattern(kBytes, 9);
  without_leaks(512, [&] {
    auto* const memory = device.allocate(kBytes);
    device.write(memory, content.data(), kBytes);
    device.release(memory);
  });
  device.close();
}

void refuses_too_much(const Subject& subject) {
  const Device device(subject);
  const gantry_allocation request = {.size = sizeof request,
                                     .bytes = std::uint64_t{1} << 60,
                                     .alignment = kAlignment,
                                     .offset = 0,
                                     .address = 0};
  void* memory = nullptr;
  refused(subject, device.plugin().allocate(device.handle(), &request, &memory),
          {GANTRY_OUT_OF_MEMORY}, "allocate of 2^60 bytes");
  std::int64_t* const word = device.allocate(sizeof(std::int64_t));
  device.set(word, 4);
  require(device.get(word) == 4, "the device is of no use after an allocation has failed");
  device.release(word);
  device.close();
}

void places_memory(const Subject& subject) {
  const Device device(subject);
  if (!device.can(GANTRY_CAPABILITY_PLACED_MEMORY)) {
    skip("the device does not have GANTRY_CAPABILITY_PLACED_MEMORY");
  }
  for (const std::uint64_t alignment : {64ULL, 256ULL, 4096ULL}) {
    for (const std::uint64_t offset : {0ULL, 8ULL, 63ULL}) {
      const gantry_allocation request = {.size = sizeof request,
                                         .bytes = 100,
                                         .alignment = alignment,
                                         .offset = offset,
                                         .address = 0};
      void* memory = nullptr;
      done(subject, device.plugin().allocate(device.handle(), &request, &memory), "allocate");
      const auto begin = reinterpret_cast<std::uintptr_t>(memory);
      require(begin % alignment == offset,
              "allocate gave {:#x}, asked for {} more than a multiple of {}", begin, offset,
              alignment);
      device.release(memory);
    }
  }
  device.close();
}

void chooses_addresses(const Subject& subject) {
  const Device device(subject);
  if (!device.can(GANTRY_CAPABILITY_CHOSEN_ADDRESS)) {
    skip("the device does not have GANTRY_CAPABILITY_CHOSEN_ADDRESS");
  }
  constexpr std::uint64_t kBytes = 1 << 20;
  void* const first = device.allocate(kBytes);
  device.release(first);
  const gantry_allocation request = {.size = sizeof request,
                                     .bytes = kBytes,
                                     .alignment = kAlignment,
                                     .offset = 0,
                                     .address = reinterpret_cast<std::uint64_t>(first)};
  void* again = nullptr;
  done(subject, device.plugin().allocate(device.handle(), &request, &again), "allocate");
  require(again == first, "allocate gave {}, asked for {}", fmt::ptr(again), fmt::ptr(first));
  void* taken = nullptr;
  refused(subject, device.plugin().allocate(device.handle(), &request, &taken),
          {GANTRY_FAILURE, GANTRY_OUT_OF_MEMORY}, "allocate at an address that is taken");
  device.release(again);
  device.close();
}

void copies_between(const Subject& subject) {
  const Device from(subject);
  const Device to(subject);
  if (from.plugin().copy_between == nullptr) {
    skip("the plugin does not have copy_between");
  }
  constexpr std::size_t kBytes = 300'000;
  const auto sent = pattern(kBytes, 5);
  auto* const source = from.allocate(kBytes);
  from.write(source, sent.data(), kBytes);
  for (const Device& target : {from, to}) {
    auto* const memory = target.allocate(kBytes);
    done(subject,
         from.plugin().copy_between(from.handle(), source, target.handle(), memory, kBytes),
         "copy_between");
    std::vector<unsigned char> received(kBytes);
    target.read(received.data(), memory, kBytes);
    require(sent == received, "copy_between changed bytes");
    target.release(memory);
  }
  from.release(source);
  from.close();
  to.close();
}

constexpr std::array kCases = {
    Case{"memory", "blocks are aligned and do not overlap", is_aligned_and_apart},
    Case{"memory", "bytes come back as they were sent", copies_there_and_back},
    Case{"memory", "a copy to a part leaves the rest", copies_parts},
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
