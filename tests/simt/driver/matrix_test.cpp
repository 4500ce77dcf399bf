// Products of matrices by mma in graphs, launched again and again with other operands, as programs
// for machine learning do.
#include "graph_test.h"

#include <array>
#include <fstream>
#include <iterator>

namespace {

constexpr std::size_t kSize = 64;
constexpr unsigned kOperands = 5;

class MatrixTest : public GraphTest, public testing::WithParamInterface<const char*> {
protected:
  /// The halves of whole numbers from -4 to 3, other ones for each seed.
  struct Operand {
    std::array<int, kSize * kSize> numbers = {};
    CUdeviceptr address = 0;
  };
  Operand operand(unsigned seed) {
    Operand result;
    std::array<std::uint16_t, kSize * kSize> halves = {};
    for (std::size_t i = 0; i < halves.size(); ++i) {
      seed = seed * 1664525 + 1013904223;
      const int number = static_cast<int>(seed >> 24 & 7) - 4;
      result.numbers[i] = number;
      const unsigned magnitude = static_cast<unsigned>(number < 0 ? -number : number);
      static constexpr std::uint16_t kHalves[] = {0, 0x3C00, 0x4000, 0x4200, 0x4400};
      halves[i] = static_cast<std::uint16_t>(kHalves[magnitude] | (number < 0 ? 0x8000 : 0));
    }
    result.address = allocate(sizeof halves);
    EXPECT_OK(cuda().cuMemcpyHtoD_v2(result.address, halves.data(), sizeof halves));
    return result;
  }
  static std::vector<float> product(const Operand& a, const Operand& b) {
    std::vector<float> result(kSize * kSize);
    for (std::size_t row = 0; row < kSize; ++row) {
      for (std::size_t column = 0; column < kSize; ++column) {
        int sum = 0;
        for (std::size_t i = 0; i < kSize; ++i) {
          sum += a.numbers[row * kSize + i] * b.numbers[i * kSize + column];
        }
        result[row * kSize + column] = static_cast<float>(sum);
      }
    }
    return result;
  }
};

TEST_P(MatrixTest, AGraphMultipliesOtherMatricesAtEachLaunch) {
  std::ifstream file(SIMT_TEST_KERNELS "/tensor.ptx");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  CUmodule module = nullptr;
  ASSERT_OK(cuda().cuModuleLoadData(&module, text.c_str()));
  CUDA_KERNEL_NODE_PARAMS parameters = {};
  ASSERT_OK(cuda().cuModuleGetFunction(&parameters.func, module, GetParam()));
  parameters.gridDimX = kSize / 8;
  parameters.blockDimX = 128;
  parameters.gridDimY = parameters.gridDimZ = parameters.blockDimY = parameters.blockDimZ = 1;
  std::vector<Operand> operands;
  for (unsigned i = 0; i < kOperands; ++i) {
    operands.push_back(operand(i));
  }
  std::vector<std::vector<float>> expected;
  for (unsigned i = 0; i < kOperands; ++i) {
    expected.push_back(product(operands[i], operands[(i + 2) % kOperands]));
  }
  std::array<CUdeviceptr, 3> addresses = {operands[0].address, operands[2].address, 0};
  std::vector<float> result(kSize * kSize);
  addresses[2] = allocate(result.size() * sizeof(float));
  std::array<void*, 3> pointers = {addresses.data(), &addresses[1], &addresses[2]};
  parameters.kernelParams = pointers.data();
  const CUgraph g = graph();
  const CUgraphNode node = add(g, parameters);
  const CUgraphExec exec = instantiate(g);
  for (unsigned i = 0; i < kManyLaunches; ++i) {
    addresses[0] = operands[i % kOperands].address;
    addresses[1] = operands[(i + 2) % kOperands].address;
    ASSERT_OK(cuda().cuGraphExecKernelNodeSetParams_v2(exec, node, &parameters));
    launch(exec);
    ASSERT_OK(cuda().cuMemcpyDtoH_v2(result.data(), addresses[2], result.size() * sizeof(float)));
    ASSERT_EQ(result, expected[i % kOperands]) << "launch " << i;
  }
  EXPECT_OK(cuda().cuGraphExecDestroy(exec));
  EXPECT_OK(cuda().cuModuleUnload(module));
}

INSTANTIATE_TEST_SUITE_P(Kernels, MatrixTest,
                         testing::Values("product_by_matrices", "product_by_loads"),
                         [](const auto& parameter) { return std::string(parameter.param); });

} // namespace
