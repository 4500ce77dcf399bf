// Many small pieces of PTX, each with its own data and its own check, run as few kernels: compiling
// a kernel costs the more the fewer it does.
//
// A grid has 32 warps, each a block unless said otherwise. Each piece has cells of eight bytes:
// `inputs` and `outputs` of each thread, and `uniforms` of each block. Threads' cells of one number
// are side by side, in so many bytes as the code that accesses them says; a record of more than
// eight takes as many cells as it needs. Outputs are filled with a pattern first.
#pragma once

#include "number.h"

#include <functional>
#include <string>
#include <vector>

namespace gantry::simt::instructions {

inline constexpr unsigned kBlocks = 32, kLanes = 32, kThreads = kBlocks * kLanes;
inline constexpr Word kUntouched = 0xA5A5'A5A5'A5A5'A5A5;
inline constexpr unsigned kParameterBytes = 1024; ///< of the kernel's parameter `data`

/// Where a piece's cells are, as text to put in its code; addresses are of 64 bits, in .global. The
/// code may read %lane (the thread of the block), %gid (that of the grid) and %block, and the
/// parameter `data`.
class Places {
public:
  Places(unsigned id, unsigned input, unsigned uniform, unsigned output)
      : id_(id), input_(input), uniform_(uniform), output_(output) {}

  /// "%in4+8192": this thread's, for an access of so many bits, 8 to 256.
  [[nodiscard]] std::string input(unsigned cell, unsigned bits) const;
  [[nodiscard]] std::string output(unsigned cell, unsigned bits) const;
  [[nodiscard]] std::string uniform(unsigned cell) const;
  /// Where the cells of all threads begin, in bytes from %inputs and %outputs.
  [[nodiscard]] unsigned first_input(unsigned cell) const;
  [[nodiscard]] unsigned first_output(unsigned cell) const;
  [[nodiscard]] std::string label(const char* name) const; ///< a name of no other piece

private:
  unsigned id_, input_, uniform_, output_;
};

struct Results;

struct Piece {
  std::string label; ///< for messages
  unsigned inputs = 0, uniforms = 0, outputs = 0;
  std::function<std::string(const Places&)> code; ///< has a scope of its own
  std::function<Word(unsigned cell, unsigned thread)> input;
  /// As its code has it; 0 for the second and later cells of a record. Without it: 64.
  std::function<unsigned(unsigned cell)> input_bits;
  std::function<Word(unsigned cell, unsigned block)> uniform;
  std::function<std::string(const Results&)> check;       ///< what is wrong; empty if nothing is
  std::function<std::string(const Places&)> declarations; ///< of module scope
};

/// What a piece sees of a run.
struct Results {
  const Piece* piece = nullptr;
  const std::vector<Word>* memory = nullptr;
  unsigned outputs = 0; ///< first cell
  unsigned row = 0;     ///< threads of a block in a row

  [[nodiscard]] Word input(unsigned cell, unsigned thread) const;
  [[nodiscard]] Word uniform(unsigned cell, unsigned thread) const;
  /// Of an output that the code has accessed with so many bits: of a record, one word.
  [[nodiscard]] Word output(unsigned cell, unsigned thread, unsigned bits, unsigned word = 0) const;
};

/// A check of so many output cells of 64 bits.
[[nodiscard]] std::function<std::string(const Results&)>
expecting(unsigned cells, std::function<Word(unsigned cell, unsigned thread)> wanted);

/// A byte of `data`.
[[nodiscard]] std::uint8_t parameter_byte(unsigned index);

/// Whether to run all there is: evaluated, and in compiled code, where compiling takes its
/// time, if GANTRY_SIMT_TEST_ALL is set. Otherwise a part that has every form.
[[nodiscard]] bool runs_all();

/// Whether they run on a driver, as said below.
[[nodiscard]] bool runs_on_driver();

/// Runs the pieces and reports what is wrong as failures of the current test. With
/// SIMT_TEST_LIBCUDA=…/libcuda.so.1 in the environment they run on that driver's first device,
/// where those that it refuses are listed. In clusters of so many blocks, side by side, if there
/// are several.
void run_batch(const std::vector<Piece>& pieces, unsigned warps_in_block = 1,
               unsigned blocks_in_cluster = 1);

} // namespace gantry::simt::instructions
