#include "batch.h"

#include "driver_run.h"
#include "simt/exec/run/loaded_program.h"
#include "simt/host/settings.h"
#include "simt/memory/device_memory.h"
#include "simt/ptx/parser.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <span>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::instructions {

namespace {

constexpr std::size_t kPiecesPerKernel = 12;
constexpr unsigned kStep = 8 * kThreads;       ///< from one cell of a thread to the next
constexpr unsigned kUniformStep = 8 * kBlocks; ///< likewise of a block
constexpr int kFailuresShown = 20;

// A text that is not as it should be, kept for who looks into it.
std::string kept(const std::string& text) {
  const std::string path = testing::TempDir() + "forms.ptx";
  std::ofstream(path) << text;
  return "\nin " + path;
}

/// Device memory with the cells of one kernel.
class DeviceCells {
public:
  explicit DeviceCells(const std::vector<Word>& cells) {
    Allocation what;
    what.size = std::max<std::size_t>(cells.size(), 1) * sizeof(Word);
    address_ = DeviceMemory::instance()->allocate(what).value();
    std::memcpy(words(), cells.data(), cells.size() * sizeof(Word));
  }
  ~DeviceCells() { DeviceMemory::instance()->free(address_); }
  DeviceCells(const DeviceCells&) = delete;
  DeviceCells& operator=(const DeviceCells&) = delete;

  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] Word* words() const { return reinterpret_cast<Word*>(address_); }

private:
  std::uint64_t address_ = 0;
};

struct Group {
  std::span<const Piece> pieces;
  std::vector<unsigned> inputs, uniforms, outputs; ///< first cells of each
  unsigned input_cells = 0, uniform_cells = 0, output_cells = 0;
};

Group laid_out(std::span<const Piece> pieces) {
  Group group;
  group.pieces = pieces;
  for (const Piece& piece : pieces) {
    group.inputs.push_back(group.input_cells);
    group.uniforms.push_back(group.uniform_cells);
    group.outputs.push_back(group.output_cells);
    group.input_cells += piece.inputs;
    group.uniform_cells += piece.uniforms;
    group.output_cells += piece.outputs;
  }
  return group;
}

std::string text_of(const Group& group, unsigned block_threads) {
  std::string text = ".version 8.7\n.target sm_100\n.address_size 64\n";
  const auto places_of = [&](std::size_t i) {
    return Places(static_cast<unsigned>(i), group.inputs[i], group.uniforms[i], group.outputs[i]);
  };
  for (std::size_t i = 0; i < group.pieces.size(); ++i) {
    if (group.pieces[i].declarations) {
      text += group.pieces[i].declarations(places_of(i));
    }
  }
  text += fmt::format(R"(
.visible .entry k(.param .align 32 .b8 data[1024], .param .u64 inputs, .param .u64 uniforms,
                  .param .u64 outputs) {{
  .reg .b32 %lane, %gid, %block, %row, %width; .reg .b64 %un, %inputs, %outputs;
  mov.u32 %lane, %tid.x; mov.u32 %row, %tid.y; mov.u32 %width, %ntid.x;
  mad.lo.u32 %lane, %row, %width, %lane;
  mov.u32 %block, %ctaid.x;
  mad.lo.u32 %gid, %block, {}, %lane;
  ld.param.u64 %inputs, [inputs]; ld.param.u64 %un, [uniforms]; ld.param.u64 %outputs, [outputs];
  mad.wide.u32 %un, %block, 8, %un;
)",
                      block_threads);
  for (const unsigned bytes : {1, 2, 4, 8, 16, 32}) {
    text += fmt::format("  .reg .b64 %in{0}, %out{0}; mad.wide.u32 %in{0}, %gid, {0}, %inputs; "
                        "mad.wide.u32 %out{0}, %gid, {0}, %outputs;\n",
                        bytes);
  }
  for (std::size_t i = 0; i < group.pieces.size(); ++i) {
    text +=
        fmt::format("// {}\n{{\n{}}}\n", group.pieces[i].label, group.pieces[i].code(places_of(i)));
  }
  return text + "  ret;\n}\n";
}

std::unique_ptr<exec::LoadedProgram> loaded(const std::string& text) {
  auto module = ptx::parse(text, "forms.ptx");
  if (!module) {
    ADD_FAILURE() << module.error().text("forms.ptx") << kept(text);
    return nullptr;
  }
  std::vector<std::unique_ptr<ptx::Module>> modules;
  modules.push_back(std::move(*module));
  auto program = ptx::link(std::move(modules));
  if (!program) {
    ADD_FAILURE() << program.error();
    return nullptr;
  }
  auto result = exec::LoadedProgram::load(std::move(*program), {});
  if (!result) {
    ADD_FAILURE() << result.error();
    return nullptr;
  }
  return std::move(*result);
}

struct Cells {
  std::vector<Word> inputs, uniforms, outputs;
};

Cells cells_of(const Group& group) {
  Cells cells;
  cells.inputs.resize(std::size_t{group.input_cells} * kThreads);
  cells.uniforms.resize(std::size_t{group.uniform_cells} * kBlocks);
  cells.outputs.assign(std::size_t{group.output_cells} * kThreads, kUntouched);
  for (std::size_t i = 0; i < group.pieces.size(); ++i) {
    const Piece& piece = group.pieces[i];
    for (unsigned cell = 0; cell < piece.inputs; ++cell) {
      Word* const first = cells.inputs.data() + std::size_t{group.inputs[i] + cell} * kThreads;
      const unsigned bytes = (piece.input_bits ? piece.input_bits(cell) : 64) / 8;
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        for (unsigned offset = 0; offset < bytes; offset += 8) {
          const Word word = piece.input(cell + offset / 8, thread);
          std::memcpy(reinterpret_cast<std::byte*>(first) + std::size_t{bytes} * thread + offset,
                      &word, std::min(bytes, 8U));
        }
      }
    }
    for (unsigned cell = 0; cell < piece.uniforms; ++cell) {
      for (unsigned block = 0; block < kBlocks; ++block) {
        cells.uniforms[std::size_t{group.uniforms[i] + cell} * kBlocks + block] =
            piece.uniform(cell, block);
      }
    }
  }
  return cells;
}

/// The parameters of a kernel; the addresses come last.
struct Parameters {
  std::array<std::uint8_t, kParameterBytes> data;
  std::uint64_t inputs = 0, uniforms = 0, outputs = 0;

  Parameters() {
    for (unsigned i = 0; i < kParameterBytes; ++i) {
      data[i] = parameter_byte(i);
    }
  }
};

enum class Ended : std::uint8_t { kWell, kRefused, kBadly };

Ended run_in_executor(const std::string& text, const exec::LaunchShape& shape, Cells& cells) {
  const auto program = loaded(text);
  if (program == nullptr) {
    return Ended::kBadly;
  }
  const DeviceCells inputs(cells.inputs);
  const DeviceCells uniforms(cells.uniforms);
  const DeviceCells outputs(cells.outputs);
  Parameters parameters;
  parameters.inputs = inputs.address();
  parameters.uniforms = uniforms.address();
  parameters.outputs = outputs.address();
  const auto kernel = program->kernel("k").value();
  if (const auto ready = program->prepare(kernel, shape); !ready) {
    ADD_FAILURE() << ready.error().report << kept(text);
    return Ended::kBadly;
  }
  const auto outcome = program->run(kernel, shape, reinterpret_cast<const std::byte*>(&parameters));
  if (!outcome) {
    ADD_FAILURE() << outcome.error().report << kept(text);
    return Ended::kBadly;
  }
  std::memcpy(cells.outputs.data(), outputs.words(), cells.outputs.size() * sizeof(Word));
  return Ended::kWell;
}

/// A libcuda.so.1 whose first device is to be tested in place of the executor; null: none.
const char* library() {
  return std::getenv("SIMT_TEST_LIBCUDA");
}

Ended run_on_library(const Group& group, const std::string& text, const exec::LaunchShape& shape,
                     Cells& cells) {
  Parameters parameters;
  const auto bytes_of = [](std::vector<Word>& words) {
    words.resize(std::max<std::size_t>(words.size(), 1));
    return std::as_writable_bytes(std::span(words));
  };
  const DriverRun run = run_on_driver(
      library(), text, shape,
      {parameters.data.data(), &parameters.inputs, &parameters.uniforms, &parameters.outputs},
      {{bytes_of(cells.inputs), &parameters.inputs},
       {bytes_of(cells.uniforms), &parameters.uniforms},
       {bytes_of(cells.outputs), &parameters.outputs}});
  switch (run.end) {
  case DriverRun::End::kDone:
    return Ended::kWell;
  case DriverRun::End::kRefused:
    // Some forms are for other devices; which, the kernels of one piece show.
    if (group.pieces.size() == 1) {
      std::cout << "[ REFUSED  ] " << group.pieces[0].label << ": " << run.why << "\n";
    }
    return Ended::kRefused;
  case DriverRun::End::kFailed:
    ADD_FAILURE() << run.why << kept(text);
    return Ended::kBadly;
  }
  return Ended::kBadly;
}

Ended run(const Group& group, unsigned block_threads, unsigned blocks_in_cluster, bool in_rows,
          std::vector<Word>& memory) {
  const std::string text = text_of(group, block_threads);
  exec::LaunchShape shape;
  shape.grid[0] = kThreads / block_threads;
  // Rows of eight, so that a warp is no row.
  shape.block[0] = in_rows ? 8 : block_threads;
  shape.block[1] = in_rows ? block_threads / 8 : 1;
  shape.in_clusters = blocks_in_cluster > 1;
  shape.cluster[0] = blocks_in_cluster;
  Cells cells = cells_of(group);
  const Ended ended = library() != nullptr ? run_on_library(group, text, shape, cells)
                                           : run_in_executor(text, shape, cells);
  memory = std::move(cells.outputs);
  return ended;
}

} // namespace

std::string Places::input(unsigned cell, unsigned bits) const {
  return fmt::format("%in{}+{}", bits / 8, (input_ + cell) * kStep);
}

std::string Places::output(unsigned cell, unsigned bits) const {
  return fmt::format("%out{}+{}", bits / 8, (output_ + cell) * kStep);
}

std::string Places::uniform(unsigned cell) const {
  return fmt::format("%un+{}", (uniform_ + cell) * kUniformStep);
}

unsigned Places::first_input(unsigned cell) const {
  return (input_ + cell) * kStep;
}
unsigned Places::first_output(unsigned cell) const {
  return (output_ + cell) * kStep;
}

std::string Places::label(const char* name) const {
  return fmt::format("${}_{}", name, id_);
}

Word Results::input(unsigned cell, unsigned thread) const {
  return piece->input(cell, thread);
}

Word Results::uniform(unsigned cell, unsigned thread) const {
  return piece->uniform(cell, thread / kLanes);
}

Word Results::output(unsigned cell, unsigned thread, unsigned bits, unsigned word) const {
  Word result = 0;
  const auto* first =
      reinterpret_cast<const std::byte*>(memory->data() + std::size_t{outputs + cell} * kThreads);
  std::memcpy(&result, first + std::size_t{bits / 8} * thread + std::size_t{8} * word,
              std::min(bits / 8, 8U));
  return result;
}

std::function<std::string(const Results&)>
expecting(unsigned cells, std::function<Word(unsigned cell, unsigned thread)> wanted) {
  return [cells, wanted = std::move(wanted)](const Results& results) -> std::string {
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      for (unsigned cell = 0; cell < cells; ++cell) {
        const Word actual = results.output(cell, thread, 64);
        if (actual != wanted(cell, thread)) {
          return fmt::format("output {} is {:#x} and should be {:#x} (thread {})", cell, actual,
                             wanted(cell, thread), thread);
        }
      }
    }
    return {};
  };
}

std::uint8_t parameter_byte(unsigned index) {
  return static_cast<std::uint8_t>(index * 167 + 13);
}

bool runs_all() {
  return settings().mode == Mode::kInterpret || std::getenv("GANTRY_SIMT_TEST_ALL") != nullptr;
}

bool runs_on_driver() {
  return library() != nullptr;
}

void run_batch(const std::vector<Piece>& pieces, unsigned warps_in_block,
               unsigned blocks_in_cluster) {
  int failures = 0;
  unsigned kernels = 0;
  std::size_t alone_until = 0; ///< pieces of a kernel that was refused
  for (std::size_t first = 0; first < pieces.size(); ++kernels) {
    const std::size_t in_kernel = first < alone_until ? 1 : kPiecesPerKernel;
    const Group group =
        laid_out(std::span(pieces).subspan(first, std::min(in_kernel, pieces.size() - first)));
    std::vector<Word> memory;
    const bool in_rows = kernels % 4 == 3;
    const Ended ended = run(group, warps_in_block * kLanes, blocks_in_cluster, in_rows, memory);
    if (ended == Ended::kBadly) {
      return;
    }
    if (ended == Ended::kRefused && group.pieces.size() > 1) {
      alone_until = first + group.pieces.size();
      continue;
    }
    first += group.pieces.size();
    if (ended == Ended::kRefused) {
      continue;
    }
    const unsigned row = in_rows ? 8 : warps_in_block * kLanes;
    for (std::size_t i = 0; i < group.pieces.size(); ++i) {
      const Results results{&group.pieces[i], &memory, group.outputs[i], row};
      const std::string wrong = group.pieces[i].check(results);
      if (!wrong.empty() && ++failures <= kFailuresShown) {
        ADD_FAILURE() << group.pieces[i].label << ": " << wrong << "\n"
                      << group.pieces[i].code({0, 0, 0, 0});
      }
    }
  }
  if (failures > kFailuresShown) {
    ADD_FAILURE() << failures << " of " << pieces.size() << " in all";
  }
}

} // namespace gantry::simt::instructions
