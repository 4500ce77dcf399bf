// Approximations in single precision that many programs spend their time in, as vector code:
// computed with double precision and rounded once, like those of exec/arithmetic/approximate.cpp,
// which has the others (PTX ISA 9.0, 9.7.3).
#include "simt/lower/scalar_function.h"

#include <array>
#include <limits>

namespace gantry::simt::lower {

namespace {

// Added to a number that is not large, leaves it as an integer in the lowest bits.
constexpr double kToInteger = 0x1.8p52;

} // namespace

llvm::Value* ScalarFunction::polynomial(Value* x, llvm::ArrayRef<double> coefficients) {
  Value* sum = llvm::ConstantFP::get(x->getType(), coefficients.back());
  for (const double coefficient : llvm::reverse(coefficients.drop_back())) {
    sum = builder_.CreateFAdd(builder_.CreateFMul(sum, x),
                              llvm::ConstantFP::get(x->getType(), coefficient));
  }
  return sum;
}

llvm::Value* ScalarFunction::reciprocal_root(Value* a) {
  llvm::Type* wide = builder_.getDoubleTy();
  Value* root = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, builder_.CreateFPExt(a, wide));
  Value* result = builder_.CreateFDiv(llvm::ConstantFP::get(wide, 1.0), root);
  return builder_.CreateFPTrunc(result, a->getType());
}

// 2^a = 2^n * 2^f, n integral and |f| <= 1/2; the second by its Taylor series.
llvm::Value* ScalarFunction::power_of_two(Value* a) {
  llvm::Type* wide = builder_.getDoubleTy();
  const auto constant = [&](double value) { return llvm::ConstantFP::get(wide, value); };
  Value* x = builder_.CreateFPExt(a, wide);
  // Beyond, results are zero or infinite; NaNs stay.
  x = builder_.CreateSelect(builder_.CreateFCmpOGT(x, constant(200)), constant(200), x);
  x = builder_.CreateSelect(builder_.CreateFCmpOLT(x, constant(-200)), constant(-200), x);
  Value* shifted = builder_.CreateFAdd(x, constant(kToInteger));
  Value* fraction = builder_.CreateFSub(x, builder_.CreateFSub(shifted, constant(kToInteger)));
  Value* exponent = builder_.CreateShl(builder_.CreateBitCast(shifted, bits(64)), 52);
  Value* scale =
      builder_.CreateBitCast(builder_.CreateAdd(exponent, number(0x3FF0'0000'0000'0000, 64)), wide);
  constexpr double kLn2 = 0.693147180559945309417;
  std::array<double, 11> series = {1};
  for (std::size_t i = 1; i < series.size(); ++i) {
    series[i] = series[i - 1] * kLn2 / static_cast<double>(i);
  }
  return builder_.CreateFPTrunc(builder_.CreateFMul(polynomial(fraction, series), scale),
                                a->getType());
}

// log2(a) = k + log2(m), m from sqrt(1/2) to sqrt(2); the second by the series of the inverse
// hyperbolic tangent of (m - 1) / (m + 1).
llvm::Value* ScalarFunction::binary_logarithm(Value* a) {
  llvm::Type* wide = builder_.getDoubleTy();
  const auto constant = [&](double value) { return llvm::ConstantFP::get(wide, value); };
  Value* x = builder_.CreateFPExt(a, wide);
  Value* word = builder_.CreateBitCast(x, bits(64));
  constexpr std::uint64_t kRootOfHalf = 0x3FE6'A09E'667F'3BCD;
  Value* k = builder_.CreateAShr(builder_.CreateSub(word, number(kRootOfHalf, 64)), 52);
  Value* m = builder_.CreateBitCast(builder_.CreateSub(word, builder_.CreateShl(k, 52)), wide);
  constexpr std::uint64_t kToIntegerBits = 0x4338'0000'0000'0000;
  Value* integral = builder_.CreateFSub(
      builder_.CreateBitCast(builder_.CreateAdd(k, number(kToIntegerBits, 64)), wide),
      constant(kToInteger));
  Value* s =
      builder_.CreateFDiv(builder_.CreateFSub(m, constant(1)), builder_.CreateFAdd(m, constant(1)));
  constexpr double kTwoByLn2 = 2.885390081777926814719;
  std::array<double, 9> series = {};
  for (std::size_t i = 0; i < series.size(); ++i) {
    series[i] = kTwoByLn2 / static_cast<double>(2 * i + 1);
  }
  Value* result = builder_.CreateFAdd(
      integral, builder_.CreateFMul(s, polynomial(builder_.CreateFMul(s, s), series)));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  result = builder_.CreateSelect(builder_.CreateFCmpOEQ(x, constant(kInfinity)), x, result);
  result =
      builder_.CreateSelect(builder_.CreateFCmpOEQ(x, constant(0)), constant(-kInfinity), result);
  Value* invalid = builder_.CreateFCmpULT(x, constant(0));
  result = builder_.CreateSelect(invalid, llvm::ConstantFP::getNaN(wide), result);
  return builder_.CreateFPTrunc(result, a->getType());
}

} // namespace gantry::simt::lower
