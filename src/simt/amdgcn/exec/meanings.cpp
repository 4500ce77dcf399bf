#include "simt/amdgcn/exec/levels.h"

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

Table table_of(Level level) {
  Table made;
  for (const auto entries : meanings_of(level).tables) {
    for (const MeaningEntry& entry : entries) {
      made[entry.mnemonic] = &entry.meaning;
    }
  }
  return made;
}

const Table& table() {
  static const auto* const tables = [] {
    auto* const made = new std::unordered_map<Level, Table>;
    for (const Level level : available_levels()) {
      made->emplace(level, table_of(level));
    }
    return made;
  }();
  return tables->at(chosen_level());
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
  const Table& known = table();
  const auto found = known.find(mnemonic);
  return found == known.end() ? nullptr : found->second;
}

} // namespace gantry::simt::amdgcn
