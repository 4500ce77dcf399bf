// Any bytes as code of one of the processors.
#include "random_code.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace amdgcn = gantry::simt::amdgcn;
  constexpr unsigned kMost = 2000;
  constexpr std::array kProcessors = {"gfx906", "gfx803", "gfx90a", "gfx1100"};
  static std::array<std::unique_ptr<amdgcn::Machine>, kProcessors.size()> machines;
  if (size < 5) { // no dword
    return 0;
  }
  const std::size_t number = data[0] % kProcessors.size();
  if (machines[number] == nullptr) {
    machines[number] =
        std::make_unique<amdgcn::Machine>(*amdgcn::find_processor(kProcessors[number]));
  }
  std::vector<std::uint32_t> words((size - 1) / 4);
  std::memcpy(words.data(), data + 1, words.size() * 4);
  amdgcn::run_code(*machines[number], words, kMost);
  return 0;
}
