// Calls by pointer: the table that the plugin makes, looked into by the device library's own code.
#include "plugins/cpu/functions.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

// The device library's side; see src/device/cpu.
extern "C" void* __kmpc_target_translate_fptr(void* pointer);
const gantry_functions* functions_of_image __asm__("__gantry_functions") = nullptr;

namespace gantry::cpu {
namespace {

using Pairs = std::vector<__omp_offloading_fptr_map_ty>;

std::int64_t translated(std::int64_t pointer) {
  return reinterpret_cast<std::int64_t>(
      __kmpc_target_translate_fptr(reinterpret_cast<void*>(pointer)));
}

struct CpuFunctions : ::testing::Test {
  CpuFunctions() { functions_of_image = functions.table(); }
  ~CpuFunctions() override { functions_of_image = nullptr; }

  /// As addresses of functions are: multiples of 16, some of them far apart.
  static Pairs many(std::int64_t count, std::int64_t device) {
    Pairs pairs;
    for (std::int64_t i = 1; i <= count; ++i) {
      pairs.push_back({i * 16 + (i % 3 << 40), device + i});
    }
    return pairs;
  }

  Functions functions;
};

TEST_F(CpuFunctions, AnImageThatNoPluginKnowsTranslatesNothing) {
  functions_of_image = nullptr;
  EXPECT_EQ(translated(16), 16);
}

TEST_F(CpuFunctions, OtherPointersStayAsTheyAre) {
  EXPECT_EQ(translated(16), 16);
  functions.set(Pairs{{32, 1}});
  EXPECT_EQ(translated(16), 16);
  EXPECT_EQ(translated(0), 0);
  EXPECT_EQ(translated(1), 1) << "what went through the translation may do so again";
}

TEST_F(CpuFunctions, ATableReplacesTheOneBefore) {
  functions.set(Pairs{{16, 1}, {32, 2}});
  EXPECT_EQ(translated(16), 1);
  functions.set(Pairs{{32, 3}});
  EXPECT_EQ(translated(16), 16);
  EXPECT_EQ(translated(32), 3);
  functions.set({});
  EXPECT_EQ(translated(32), 32);
}

TEST_F(CpuFunctions, TenThousandAreAllFound) {
  const Pairs pairs = many(10000, 1);
  functions.set(pairs);
  for (const auto& [host, device] : pairs) {
    ASSERT_EQ(translated(host), device);
    ASSERT_EQ(translated(host + 8), host + 8);
  }
}

TEST_F(CpuFunctions, APointerIsLookedUpWhileTheTableChanges) {
  // Two tables of different sizes; what is in both is found at any time, with the value of one.
  const Pairs small = many(100, 1000000);
  const Pairs large = many(5000, 2000000);
  functions.set(small);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        for (std::size_t k = 0; k < small.size(); ++k) {
          const std::int64_t found = translated(small[k].host_ptr);
          if (found != small[k].tgt_ptr && found != large[k].tgt_ptr) {
            ADD_FAILURE() << small[k].host_ptr << " is " << found;
            return;
          }
        }
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    functions.set(i % 2 == 0 ? large : small);
  }
  stop = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
}

const void* checked_pointer = nullptr;

TEST_F(CpuFunctions, UnknownPointersAreCheckedIfThatIsWanted) {
  functions.set(Pairs{{16, 1}});
  functions.set_check([](const void* pointer, const void* call) {
    EXPECT_NE(call, nullptr);
    checked_pointer = pointer;
  });
  EXPECT_EQ(translated(16), 1);
  EXPECT_EQ(translated(0), 0);
  EXPECT_EQ(checked_pointer, nullptr);
  EXPECT_EQ(translated(48), 48);
  EXPECT_EQ(checked_pointer, reinterpret_cast<void*>(48));
}

} // namespace
} // namespace gantry::cpu
