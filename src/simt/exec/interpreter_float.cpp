// Floating-point arithmetic and conversions: arithmetic.h does the work.
#include "simt/exec/arithmetic_format.h"
#include "simt/exec/interpreter_machine.h"

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using Word = std::uint64_t;

Rounding rounding_of(const Operation& operation) {
  constexpr std::pair<Modifier, Rounding> kRoundings[] = {
      {Modifier::kRn, Rounding::kNearestEven},
      {Modifier::kRz, Rounding::kZero},
      {Modifier::kRm, Rounding::kDown},
      {Modifier::kRp, Rounding::kUp},
      {Modifier::kRni, Rounding::kIntegerNearestEven},
      {Modifier::kRzi, Rounding::kIntegerZero},
      {Modifier::kRmi, Rounding::kIntegerDown},
      {Modifier::kRpi, Rounding::kIntegerUp},
  };
  for (const auto& [modifier, rounding] : kRoundings) {
    if (operation.has(modifier)) {
      return rounding;
    }
  }
  return Rounding::kNone;
}

Arithmetic arithmetic_of(const Operation& operation, Operator op) {
  Arithmetic arithmetic;
  arithmetic.operation = op;
  arithmetic.type = operation.type;
  arithmetic.source = op == Operator::kConvert ? operation.second : ptx::Type::kNone;
  arithmetic.rounding = rounding_of(operation);
  arithmetic.ftz = operation.has(Modifier::kFtz);
  arithmetic.saturate = operation.has(Modifier::kSat);
  arithmetic.propagate_nan = operation.has(Modifier::kPropagateNan);
  arithmetic.xorsign_abs = operation.has(Modifier::kXorsign);
  arithmetic.relu = operation.has(Modifier::kRelu);
  arithmetic.approximate = operation.has(Modifier::kApprox) || operation.has(Modifier::kFull);
  return arithmetic;
}

std::optional<Operator> operator_of(Opcode opcode) {
  switch (opcode) {
  case Opcode::k_add:
    return Operator::kAdd;
  case Opcode::k_sub:
    return Operator::kSub;
  case Opcode::k_mul:
    return Operator::kMul;
  case Opcode::k_div:
    return Operator::kDiv;
  case Opcode::k_fma:
  case Opcode::k_mad:
    return Operator::kFma;
  case Opcode::k_sqrt:
    return Operator::kSqrt;
  case Opcode::k_rcp:
    return Operator::kRcp;
  case Opcode::k_rsqrt:
    return Operator::kRsqrt;
  case Opcode::k_min:
    return Operator::kMin;
  case Opcode::k_max:
    return Operator::kMax;
  case Opcode::k_abs:
    return Operator::kAbs;
  case Opcode::k_neg:
    return Operator::kNeg;
  case Opcode::k_sin:
    return Operator::kSin;
  case Opcode::k_cos:
    return Operator::kCos;
  case Opcode::k_lg2:
    return Operator::kLg2;
  case Opcode::k_ex2:
    return Operator::kEx2;
  case Opcode::k_tanh:
    return Operator::kTanh;
  case Opcode::k_cvt:
    return Operator::kConvert;
  default:
    return std::nullopt;
  }
}

void calculate(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  Column scratch[3];
  const std::uint64_t* operands[3] = {};
  for (std::size_t i = 0; i < operation.sources.size() && i < 3; ++i) {
    operands[i] = machine.read(group, operation.sources[i], scratch[i]);
  }
  compute_lanes(operation.arithmetic.packed(), active,
                machine.result(group, operation.destinations[0]), operands[0], operands[1],
                operands[2]);
}

void convert(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  calculate(machine, group, operation, active);
  const Destination& destination = operation.destinations[0];
  if (ptx::is_signed(operation.type) &&
      ptx::size_of(destination.type) > ptx::size_of(operation.type)) {
    std::uint64_t* result = machine.result(group, destination);
    for_lanes(active, [&](unsigned lane) {
      result[lane] = fitted(result[lane], operation.type, destination);
    });
  }
}

Word copy_sign(const Operation& operation, Word a, Word b, Word, Word) {
  const Format& format = format_of(operation.type);
  return (a & format.sign()) | (b & format.magnitude());
}

Word is_of_class(const Operation& operation, Word a, Word, Word, Word) {
  const Format& format = format_of(operation.type);
  const Word magnitude = a & format.magnitude();
  const bool subnormal = magnitude != 0 && magnitude < format.smallest_normal();
  if (operation.has(Modifier::kFinite)) {
    return magnitude < format.infinity();
  }
  if (operation.has(Modifier::kInfinite)) {
    return magnitude == format.infinity();
  }
  if (operation.has(Modifier::kNumber)) {
    return magnitude <= format.infinity();
  }
  if (operation.has(Modifier::kNotanumber)) {
    return magnitude > format.infinity();
  }
  if (operation.has(Modifier::kNormal)) {
    return magnitude < format.infinity() && !subnormal;
  }
  return subnormal;
}

} // namespace

Handler float_handler(Operation& operation) {
  const Opcode opcode = operation.instruction->opcode;
  if (opcode == Opcode::k_copysign) {
    return each_lane<copy_sign>;
  }
  if (opcode == Opcode::k_testp) {
    return each_lane<is_of_class>;
  }
  const std::optional<Operator> op = operator_of(opcode);
  if (!op || (!ptx::is_float(operation.type) && opcode != Opcode::k_cvt)) {
    return nullptr;
  }
  operation.arithmetic = arithmetic_of(operation, *op);
  return opcode == Opcode::k_cvt ? convert : calculate;
}

} // namespace gantry::simt::exec::interpreter
