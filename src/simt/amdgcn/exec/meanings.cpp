#include "simt/amdgcn/exec/meanings.h"

#include <string>
#include <unordered_map>

namespace gantry::simt::amdgcn {

namespace {

using Table = std::unordered_map<std::string_view, const Meaning*>;

/// What gfx8 calls otherwise than gfx9.
constexpr std::pair<std::string_view, std::string_view> kNamesOfGfx8[] = {
    {"v_add_u32", "v_add_co_u32"},       {"v_sub_u32", "v_sub_co_u32"},
    {"v_subrev_u32", "v_subrev_co_u32"}, {"v_addc_u32", "v_addc_co_u32"},
    {"v_subb_u32", "v_subb_co_u32"},     {"v_subbrev_u32", "v_subbrev_co_u32"},
};

/// Accesses of all kinds of addresses share their meanings.
constexpr std::string_view kPrefixes[] = {"flat_", "global_", "scratch_", "buffer_"};

const Table& table() {
  static const auto* const made = [] {
    auto* const all = new Table;
    for (const auto entries :
         {vector_integer_meanings(), vector_float_meanings(), vector_compare_meanings(),
          vector_lane_meanings(), vector_packed_meanings(), vector_half_meanings(),
          vector_halves_meanings(), vector_mixed_meanings(), matrix_meanings(), scalar_meanings(),
          indexed_meanings(), mode_meanings(), flow_meanings(), scalar_memory_meanings(),
          memory_meanings(), shared_meanings()}) {
      for (const MeaningEntry& entry : entries) {
        (*all)[entry.mnemonic] = &entry.meaning;
      }
    }
    return all;
  }();
  return *made;
}

} // namespace

const Meaning* find_meaning(std::string_view mnemonic, bool is_gfx8) {
  if (is_gfx8) {
    for (const auto& [here, there] : kNamesOfGfx8) {
      if (mnemonic == here) {
        mnemonic = there;
        break;
      }
    }
  }
  for (const std::string_view prefix : kPrefixes) {
    if (mnemonic.starts_with(prefix)) {
      mnemonic.remove_prefix(prefix.size());
      break;
    }
  }
  const auto found = table().find(mnemonic);
  return found == table().end() ? nullptr : found->second;
}

} // namespace gantry::simt::amdgcn
