// How many instructions of waves the executor of AMD GPU code runs in a second on one core, by kind
// of instruction. `scripts/bench --waves` builds and runs it.
#include "../tests/simt/amdgcn/assembler.h"

#include "simt/amdgcn/exec/code_map.h"
#include "simt/amdgcn/exec/levels.h"
#include "simt/amdgcn/objects/kernel_descriptor.h"
#include "simt/memory/device_memory.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <hsa/hsa.h>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace gantry::simt;
using namespace gantry::simt::amdgcn;

constexpr const char* kProcessor = "gfx906";
constexpr unsigned kTurns = 16; ///< copies of a row's lines in a turn of its loop
constexpr unsigned kSamples = 7;
constexpr double kSeconds = 0.05; ///< of a sample, about

/// The lines find their lane's number in v0, the address of 64 KiB of memory in s[0:1], and each
/// lane's address in it in v[2:3], eight bytes from one to the next.
struct Row {
  const char* name;
  std::vector<std::string> lines;
  std::vector<std::string> before = {}; ///< once, before the loop
};

const std::vector<Row>& rows() {
  static const std::string some_lanes = "s_mov_b64 exec, 0x7ffffffe";
  static const std::string one_lane = "s_mov_b64 exec, 1";
  static const std::vector<Row> all = {
      {"v_fma_f32, v_add_f32", {"v_fma_f32 v10, v11, v12, v10", "v_add_f32 v13, v14, v15"}},
      {"likewise, an SGPR each", {"v_fma_f32 v10, v11, s4, v10", "v_add_f32 v13, s5, v15"}},
      {"likewise, some lanes",
       {"v_fma_f32 v10, v11, v12, v10", "v_add_f32 v13, v14, v15"},
       {some_lanes}},
      {"likewise, one lane",
       {"v_fma_f32 v10, v11, v12, v10", "v_add_f32 v13, v14, v15"},
       {one_lane}},
      {"likewise, negated", {"v_fma_f32 v10, -v11, v12, v10", "v_sub_f32_e64 v13, v14, |v15|"}},
      {"v_fma_f64, v_add_f64",
       {"v_fma_f64 v[10:11], v[12:13], v[14:15], v[10:11]",
        "v_add_f64 v[16:17], v[18:19], v[20:21]"}},
      {"integers",
       {"v_add_u32 v10, v11, v12", "v_lshlrev_b32 v13, 2, v14", "v_and_b32 v15, v16, v17",
        "v_mul_lo_u32 v18, v19, v20"}},
      {"sums of 64 bits",
       {"v_add_co_u32 v10, vcc, v11, v12", "v_addc_co_u32 v13, vcc, v14, v15, vcc"}},
      {"v_cmp, v_cndmask", {"v_cmp_lt_f32 vcc, v10, v11", "v_cndmask_b32 v12, v13, v14, vcc"}},
      {"scalars",
       {"s_add_u32 s10, s11, s12", "s_addc_u32 s13, s14, s15", "s_lshl_b64 s[16:17], s[18:19], 3",
        "s_and_b64 s[20:21], s[22:23], exec"}},
      {"loads of 8 bytes, in a row", {"global_load_dwordx2 v[10:11], v[2:3], off"}},
      {"likewise from anywhere", {"global_load_dwordx2 v[10:11], v[4:5], off"}},
      {"stores of 8 bytes, in a row", {"global_store_dwordx2 v[2:3], v[10:11], off"}},
      {"s_load", {"s_load_dwordx4 s[12:15], s[0:1], 0x10"}},
      {"scratch", {"scratch_store_dword off, v10, s6", "scratch_load_dword v11, off, s6"}},
      {"LDS, in a row", {"ds_write_b32 v8, v10", "ds_read_b32 v11, v8"}},
      {"likewise, every other dword", {"ds_write_b32 v6, v10", "ds_read_b32 v11, v6"}},
  };
  return all;
}

std::vector<std::uint32_t> words_of(const std::vector<std::string>& lines) {
  std::vector<std::uint32_t> code;
  const std::vector<Words> made = assemble(kProcessor, lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (made[i].empty()) {
      std::fprintf(stderr, "waves: '%s' is no instruction of %s\n", lines[i].c_str(), kProcessor);
      std::exit(1);
    }
    code.insert(code.end(), made[i].begin(), made[i].end());
  }
  return code;
}

/// A kernel that runs the row's lines `turns` times kTurns times.
std::vector<std::uint32_t> code_of(const Row& row, std::uint32_t turns) {
  std::vector<std::string> lines = {
      "s_mov_b64 flat_scratch, s[2:3]",
      "v_mov_b32 v4, s1",
      "v_mul_u32_u24 v6, v0, 8",
      "v_add_co_u32 v2, vcc, s0, v6",
      "v_addc_co_u32 v3, vcc, 0, v4, vcc",
      "v_lshlrev_b32 v8, 2, v0",
      "v_mul_u32_u24 v7, 37, v0",
      "v_and_b32 v7, 63, v7",
      "v_mul_u32_u24 v7, v7, 24",
      "v_mov_b32 v5, v4",
      "v_add_co_u32 v4, vcc, s0, v7",
      "v_addc_co_u32 v5, vcc, 0, v5, vcc",
      "s_mov_b32 s4, 1.0",
      "s_mov_b32 s5, 2.0",
      "s_mov_b32 s6, 16",
      "s_mov_b32 s8, " + std::to_string(turns),
  };
  for (unsigned v = 10; v < 22; ++v) {
    lines.push_back("v_cvt_f32_u32 v" + std::to_string(v) + ", v0");
  }
  lines.insert(lines.end(), row.before.begin(), row.before.end());
  std::vector<std::uint32_t> code = words_of(lines);
  std::vector<std::string> body;
  for (unsigned i = 0; i < kTurns; ++i) {
    body.insert(body.end(), row.lines.begin(), row.lines.end());
  }
  body.insert(body.end(), {"s_sub_u32 s8, s8, 1", "s_cmp_lg_u32 s8, 0"});
  const std::vector<std::uint32_t> loop = words_of(body);
  code.insert(code.end(), loop.begin(), loop.end());
  const auto back = static_cast<std::uint16_t>(-static_cast<int>(loop.size()) - 1);
  const auto end = words_of({"s_cbranch_scc1 " + std::to_string(back), "s_endpgm"});
  code.insert(code.end(), end.begin(), end.end());
  return code;
}

std::uint64_t allocated(std::uint64_t size) {
  Allocation what;
  what.size = size;
  return DeviceMemory::instance()->allocate(what).value();
}

/// Seconds that the row's kernel takes with so many turns.
double seconds_of(const Row& row, std::uint32_t turns) {
  static const std::uint64_t place = allocated(4096);
  static const std::uint64_t memory = allocated(64 << 10);
  const std::vector<std::uint32_t> words = code_of(row, turns);
  const auto entry = reinterpret_cast<std::uint64_t>(words.data());
  const LoadedCode code(*find_processor(kProcessor), entry, words.size() * 4, {});
  KernelDescriptor descriptor = {};
  descriptor.entry = static_cast<std::int64_t>(entry - place);
  descriptor.private_bytes = 256;
  descriptor.group_bytes = 4096;
  descriptor.rsrc1 = 7 | 0xf0 << 12;       // 32 VGPRs; denormal numbers are kept
  descriptor.rsrc2 = 6 << 1;               // user SGPRs
  descriptor.properties = 1 << 3 | 1 << 5; // the arguments' address, FLAT_SCRATCH
  std::memcpy(std::bit_cast<void*>(place), &descriptor, sizeof descriptor);
  alignas(64) hsa_kernel_dispatch_packet_t packet = {};
  packet.setup = 1;
  packet.workgroup_size_x = 64;
  packet.grid_size_x = 64;
  packet.private_segment_size = descriptor.private_bytes;
  packet.group_segment_size = descriptor.group_bytes;
  packet.kernel_object = place;
  packet.kernarg_address = std::bit_cast<void*>(memory);
  Dispatch dispatch;
  dispatch.processor = find_processor(kProcessor);
  dispatch.packet = reinterpret_cast<std::uint64_t>(&packet);
  // The processor's time: others may use the machine.
  const std::clock_t begin = std::clock();
  if (const auto done = run(dispatch); !done) {
    std::fputs(done.error().report.c_str(), stderr);
    std::exit(1);
  }
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// Millions of instructions in a second.
double speed_of(const Row& row) {
  std::uint32_t turns = 1000;
  double taken = seconds_of(row, turns);
  while (taken < kSeconds) {
    turns = taken < kSeconds / 100 ? turns * 10
                                   : static_cast<std::uint32_t>(turns * kSeconds * 1.1 / taken);
    taken = seconds_of(row, turns);
  }
  std::vector<double> speeds;
  for (unsigned i = 0; i < kSamples; ++i) {
    const double instructions = turns * (static_cast<double>(kTurns * row.lines.size()) + 3);
    speeds.push_back(instructions / seconds_of(row, turns) / 1e6);
  }
  std::ranges::nth_element(speeds, speeds.begin() + kSamples / 2);
  return speeds[kSamples / 2];
}

} // namespace

/// wave_bench [LEVEL [PART]]: at this level alone, of the rows those with this part in their names.
int main(int count, char** words) {
  const std::string_view only_level = count > 1 ? words[1] : "";
  const std::string_view only_row = count > 2 ? words[2] : "";
  std::vector<Level> levels;
  std::ranges::copy_if(available_levels(), std::back_inserter(levels), [&](Level level) {
    return only_level.empty() || name_of(level) == only_level;
  });
  std::printf("%-30s", "million a second on a core");
  for (const Level level : levels) {
    std::printf(" %8s", std::string(name_of(level)).c_str());
  }
  for (const Row& row : rows()) {
    if (std::string_view(row.name).find(only_row) == std::string_view::npos) {
      continue;
    }
    std::printf("\n%-30s", row.name);
    for (const Level level : levels) {
      choose_level(level);
      std::printf(" %8.1f", speed_of(row));
      std::fflush(stdout);
    }
  }
  std::printf("\n");
}
