// ldmatrix, stmatrix and movmatrix, against the places of elements as the PTX ISA says them
// (9.7.14.5).
#include "batch.h"
#include "instance.h"
#include "operand_values.h"
#include "reference.h"

#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

using ptx::Modifier;
using ptx::Opcode;

/// One of them, with rows in an order of their own and, in the lanes that give
/// no row, addresses that are none.
class MovePiece {
public:
  enum class Address { kNarrow, kWide };

  MovePiece(const Instance& instance, Address address)
      : instance_(instance), address_(address), seed_(hash_of(instance.name())),
        count_(instance.has(Modifier::kX4)   ? 4
               : instance.has(Modifier::kX2) ? 2
                                             : 1),
        loads_(instance.opcode == Opcode::k_ldmatrix) {}

  static Piece piece(const std::shared_ptr<MovePiece>& self) {
    Piece piece;
    piece.label = fmt::format("{}, address {}", self->instance_.name(),
                              static_cast<unsigned>(self->address_));
    const bool moves = self->instance_.opcode == Opcode::k_movmatrix;
    piece.inputs = moves ? 1 : self->loads_ ? 2 : self->count_;
    piece.outputs = moves ? 1 : self->loads_ ? self->count_ : 2;
    piece.code = [self](const Places& places) { return self->code(places); };
    piece.input = [self](unsigned cell, unsigned thread) { return self->input(cell, thread); };
    piece.input_bits = [self](unsigned) { return self->loads_ ? 64U : 32U; };
    piece.check = [self](const Results& results) { return self->check(results); };
    return piece;
  }

private:
  [[nodiscard]] Word input(unsigned cell, unsigned thread) const {
    return low_bits(hash_of(seed_, cell, thread), loads_ ? 64 : 32);
  }
  /// The row of the window that a lane's address is of.
  [[nodiscard]] static unsigned place_of(unsigned lane) { return (lane * 5 + 3) % 32; }

  [[nodiscard]] std::string code(const Places& places) const {
    if (instance_.opcode == Opcode::k_movmatrix) {
      return fmt::format("  .reg .b32 %a, %d; ld.global.b32 %a, [{}]; {} %d, %a; st.global.b32 "
                         "[{}], %d;\n",
                         places.input(0, 32), instance_.name(), places.output(0, 32));
    }
    const bool generic = !instance_.has(Modifier::kShared) && !instance_.has(Modifier::kSharedCta);
    const bool wide = generic || address_ == Address::kWide;
    std::string text = fmt::format(
        "  .shared .align 16 .b8 window[512]; .reg .b32 %f<4>, %l, %n; .reg .b64 %w, %own, %x, %y; "
        ".reg .pred %p;\n  mov.b64 %w, window; mul.wide.u32 %own, %lane, 16; add.u64 %own, %own, "
        "%w;\n  mad.lo.u32 %l, %lane, 5, 3; and.b32 %l, %l, 31; shl.b32 %l, %l, 4; cvt.u32.u64 %n, "
        "%w; add.u32 %n, %n, %l; setp.ge.u32 %p, %lane, {}; @%p mov.b32 %n, 3; cvt.u64.u32 %y, "
        "%n;\n",
        8 * count_);
    if (generic) {
      text += "  cvta.shared.u64 %y, %y; @%p mov.b64 %y, 3;\n";
    }
    std::string fragments;
    for (unsigned i = 0; i < count_; ++i) {
      fragments += fmt::format("{}%f{}", i == 0 ? "{" : ", ", i);
    }
    fragments += "}";
    const char* address = wide ? "[%y]" : "[%n]";
    if (loads_) {
      text += fmt::format("  ld.global.b64 %x, [{}]; st.shared.b64 [%own], %x; ld.global.b64 %x, "
                          "[{}]; st.shared.b64 [%own+8], %x; bar.warp.sync -1;\n  {} {}, {};\n",
                          places.input(0, 64), places.input(1, 64), instance_.name(), fragments,
                          address);
      for (unsigned i = 0; i < count_; ++i) {
        text += fmt::format("  st.global.b32 [{}], %f{};\n", places.output(i, 32), i);
      }
      return text;
    }
    for (unsigned i = 0; i < count_; ++i) {
      text += fmt::format("  ld.global.b32 %f{}, [{}];\n", i, places.input(i, 32));
    }
    return text +
           fmt::format("  st.shared.v2.b64 [%own], {{0, 0}}; bar.warp.sync -1;\n  {} {}, {};\n"
                       "  bar.warp.sync -1; ld.shared.v2.b64 {{%x, %y}}, [%own]; "
                       "st.global.b64 [{}], %x; st.global.b64 [{}], %y;\n",
                       instance_.name(), address, fragments, places.output(0, 64),
                       places.output(1, 64));
  }

  /// Of a matrix that is spread over the lanes.
  [[nodiscard]] Word in_fragments(unsigned warp, unsigned matrix, unsigned row,
                                  unsigned column) const {
    const unsigned lane = row * 4 + column / 2;
    return input(matrix, warp * kLanes + lane) >> (16 * (column % 2)) & 0xFFFF;
  }
  /// Of a matrix whose rows are in memory.
  [[nodiscard]] Word in_rows(unsigned warp, unsigned matrix, unsigned row, unsigned column) const {
    const unsigned writer = place_of(8 * matrix + row);
    return input(column / 4, warp * kLanes + writer) >> (16 * (column % 4)) & 0xFFFF;
  }

  [[nodiscard]] Word expected(unsigned cell, unsigned warp, unsigned lane) const {
    const bool transposed = instance_.has(Modifier::kTrans);
    if (loads_ || instance_.opcode == Opcode::k_movmatrix) {
      Word word = 0;
      for (unsigned j = 0; j < 2; ++j) {
        const unsigned row = lane / 4;
        const unsigned column = lane % 4 * 2 + j;
        const Word element = !loads_      ? in_fragments(warp, 0, column, row)
                             : transposed ? in_rows(warp, cell, column, row)
                                          : in_rows(warp, cell, row, column);
        word |= element << (16 * j);
      }
      return word;
    }
    for (unsigned giver = 0; giver < 8 * count_; ++giver) {
      if (place_of(giver) != lane) {
        continue;
      }
      Word word = 0;
      for (unsigned j = 0; j < 4; ++j) {
        const unsigned column = cell * 4 + j;
        word |= (transposed ? in_fragments(warp, giver / 8, column, giver % 8)
                            : in_fragments(warp, giver / 8, giver % 8, column))
                << (16 * j);
      }
      return word;
    }
    return 0;
  }

  [[nodiscard]] std::string check(const Results& results) const {
    const bool stores = instance_.opcode == Opcode::k_stmatrix;
    const unsigned cells = stores ? 2 : count_;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      for (unsigned cell = 0; cell < cells; ++cell) {
        const Word actual = results.output(cell, thread, stores ? 64 : 32);
        const Word wanted = expected(cell, thread / kLanes, thread % kLanes);
        if (actual != wanted) {
          return fmt::format("gives {:#x} and not {:#x} (output {} of thread {})", actual, wanted,
                             cell, thread);
        }
      }
    }
    return {};
  }

  Instance instance_;
  Address address_;
  Word seed_;
  unsigned count_;
  bool loads_;
};

class MatrixMoves : public testing::TestWithParam<Opcode> {};

TEST_P(MatrixMoves, PutElementsWhereTheIsaSays) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(GetParam())) {
    for (const auto address : {MovePiece::Address::kNarrow, MovePiece::Address::kWide}) {
      pieces.push_back(MovePiece::piece(std::make_shared<MovePiece>(instance, address)));
    }
  }
  run_batch(pieces);
}

INSTANTIATE_TEST_SUITE_P(Matrix, MatrixMoves,
                         testing::Values(Opcode::k_ldmatrix, Opcode::k_stmatrix,
                                         Opcode::k_movmatrix),
                         [](const auto& parameter) {
                           return std::string(exec::verifier::name_of(parameter.param));
                         });

} // namespace
} // namespace gantry::simt::instructions
