// Every form of the instructions that access memory, in every space.
#include "memory_piece.h"

#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

using ptx::Opcode;

/// Compiling is what takes time: of the ways to address one each, then.
std::vector<Addressing> ways_for(std::size_t number) {
  const std::vector<Addressing> all = {Addressing::kOwn, Addressing::kOther, Addressing::kUniform};
  return runs_all() ? all : std::vector{all[number % 3]};
}

TEST(MemoryForms, LoadWhatIsThere) {
  std::vector<Piece> pieces;
  for (const Opcode opcode : {Opcode::k_ld, Opcode::k_ldu}) {
    for (const Instance& instance : pairwise_instances(opcode, is_access)) {
      for (const Addressing addressing : ways_for(pieces.size())) {
        pieces.push_back(load_piece(instance, addressing));
      }
    }
  }
  run_batch(pieces);
}

TEST(MemoryForms, StoreTheirBytesAlone) {
  std::vector<Piece> pieces;
  for (const Instance& instance : pairwise_instances(Opcode::k_st, is_access)) {
    for (const Addressing addressing : ways_for(pieces.size())) {
      pieces.push_back(store_piece(instance, addressing));
    }
  }
  run_batch(pieces);
}

} // namespace
} // namespace gantry::simt::instructions
