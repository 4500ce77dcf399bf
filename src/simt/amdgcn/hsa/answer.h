// Answers to queries, whose type the attribute says.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <hsa/hsa.h>

namespace gantry::simt::hsa {

template <typename T>
hsa_status_t answer(void* value, const T& what) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(value, &what, sizeof what);
  return HSA_STATUS_SUCCESS;
}

/// Text in an array of kSize characters, ended and filled up with NULs.
template <std::size_t kSize>
hsa_status_t answer_text(void* value, std::string_view text) {
  std::array<char, kSize> characters = {};
  std::ranges::copy(text.substr(0, kSize - 1), characters.begin());
  return answer(value, characters);
}

} // namespace gantry::simt::hsa
