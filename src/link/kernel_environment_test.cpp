#include "link/kernel_environment.h"

#include "link/testing/module_text.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Verifier.h>

#include <memory>
#include <string>

namespace gantry::link {
namespace {

constexpr const char* kOfNvidia = "nvvm.maxntid";
constexpr const char* kOfAmd = "amdgpu-flat-work-group-size";

/// One kernel of a mode, whose construct names so many threads for a team; with an attribute that
/// says the same.
std::string kernel(int mode, int threads, const char* attribute = kOfNvidia) {
  const std::string most = std::to_string(threads);
  return "%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }\n"
         "%environment = type { %configuration, ptr, ptr }\n"
         "@kernel_kernel_environment = weak_odr protected constant %environment "
         "{ %configuration { i8 1, i8 0, i8 " +
         std::to_string(mode) + ", i32 1, i32 " + most +
         ", i32 2, i32 2, i32 0, i32 0 }, ptr null, ptr null }\n"
         "define void @kernel() #0 {\n  ret void\n}\n"
         "attributes #0 = { \"" +
         attribute + "\"=\"" + (attribute == kOfAmd ? "1," : "") + most + "\" }\n";
}

struct KernelEnvironment : testing::Test {
  /// The bounds of a kernel's block in its environment and in its attribute.
  std::pair<std::int64_t, std::string> bounds(const std::string& text, unsigned warp_size = 32,
                                              const char* attribute = kOfNvidia) {
    module_ = module_of(text, context_);
    make_room_for_main_threads(*module_, warp_size);
    EXPECT_FALSE(llvm::verifyModule(*module_));
    const llvm::Function* const function = module_->getFunction("kernel");
    mode = kernel_mode(*function);
    const auto* environment = module_->getGlobalVariable("kernel_kernel_environment");
    const auto* most =
        environment == nullptr
            ? nullptr
            : environment->getInitializer()->getAggregateElement(0u)->getAggregateElement(4);
    return {most == nullptr ? -2 : llvm::cast<llvm::ConstantInt>(most)->getSExtValue(),
            function->getFnAttribute(attribute).getValueAsString().str()};
  }

  std::optional<std::uint8_t> mode;

private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

using Bounds = std::pair<std::int64_t, std::string>;

TEST_F(KernelEnvironment, GenericKernelsHaveAWarpMore) {
  EXPECT_EQ(bounds(kernel(1, 64)), (Bounds{96, "96"}));
  EXPECT_EQ(mode, 1);
  EXPECT_EQ(bounds(kernel(1, 1)), (Bounds{33, "33"}));
}

TEST_F(KernelEnvironment, OnAmdsGpusToo) {
  EXPECT_EQ(bounds(kernel(1, 64, kOfAmd), 64, kOfAmd), (Bounds{128, "1,128"}));
  EXPECT_EQ(bounds(kernel(1, 64, kOfAmd), 32, kOfAmd), (Bounds{96, "1,96"}));
  EXPECT_EQ(bounds(kernel(2, 64, kOfAmd), 64, kOfAmd), (Bounds{64, "1,64"}));
}

TEST_F(KernelEnvironment, AsFarAsABlockCanBe) {
  EXPECT_EQ(bounds(kernel(1, 1000)), (Bounds{1024, "1024"}));
  EXPECT_EQ(bounds(kernel(1, 2000)), (Bounds{2000, "2000"}));
}

TEST_F(KernelEnvironment, OthersHaveNoMainThread) {
  for (const int other : {0, 2, 3}) {
    EXPECT_EQ(bounds(kernel(other, 64)), (Bounds{64, "64"}));
    EXPECT_EQ(mode, other);
  }
}

TEST_F(KernelEnvironment, WhatHasNoBoundGetsNone) {
  EXPECT_EQ(bounds(kernel(1, 0)).first, 0);
  EXPECT_EQ(bounds(kernel(1, -1)).first, -1);
  EXPECT_EQ(bounds("define void @kernel() {\n  ret void\n}\n"), (Bounds{-2, ""}));
  EXPECT_EQ(mode, std::nullopt);
}

} // namespace
} // namespace gantry::link
