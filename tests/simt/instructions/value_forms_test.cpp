// Every form of every instruction whose results depend on its operands alone, in whatever engine
// GANTRY_SIMT_MODE names, against the reference.
#include "reference.h"
#include "value_piece.h"

#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

using ptx::Opcode;

class ValueForms : public testing::TestWithParam<Opcode> {};

TEST_P(ValueForms, GiveWhatTheReferenceGives) {
  // What set compares and what it makes of it have nothing to do with each other.
  const bool in_pairs = GetParam() == Opcode::k_set && !runs_all();
  const std::vector<Instance> instances =
      in_pairs ? pairwise_instances(GetParam()) : all_instances(GetParam(), is_conversion);
  const Share share = runs_all() ? Share::kAll : instances.size() < 70 ? Share::kSome : Share::kOne;
  std::vector<Piece> pieces;
  for (const Instance& instance : instances) {
    if (!is_of_values(*instance.form)) {
      continue;
    }
    for (Piece& piece : pieces_of(instance, share)) {
      pieces.push_back(std::move(piece));
    }
  }
  ASSERT_FALSE(pieces.empty());
  run_batch(pieces);
}

std::string name_of(const testing::TestParamInfo<Opcode>& parameter) {
  return std::string(exec::verifier::name_of(parameter.param));
}

auto opcodes(std::span<const Reference> references) {
  std::vector<Opcode> result;
  for (const Reference& reference : references) {
    result.push_back(reference.opcode);
  }
  return testing::ValuesIn(result);
}

INSTANTIATE_TEST_SUITE_P(Arithmetic, ValueForms, opcodes(arithmetic_references()), name_of);
INSTANTIATE_TEST_SUITE_P(Bits, ValueForms, opcodes(bit_references()), name_of);
INSTANTIATE_TEST_SUITE_P(Video, ValueForms, opcodes(video_references()), name_of);
INSTANTIATE_TEST_SUITE_P(Approximate, ValueForms, opcodes(approximate_references()), name_of);
INSTANTIATE_TEST_SUITE_P(Conversion, ValueForms, opcodes(conversion_references()), name_of);
INSTANTIATE_TEST_SUITE_P(Comparison, ValueForms, opcodes(comparison_references()), name_of);

} // namespace
} // namespace gantry::simt::instructions
