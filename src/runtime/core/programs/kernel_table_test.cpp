#include "runtime/core/programs/kernel_table.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace gantry::core {
namespace {

/// Kernels with addresses one byte apart, as compilers lay them out.
std::deque<Kernel> kernels_at(const std::vector<char>& addresses) {
  std::deque<Kernel> kernels;
  for (const char& address : addresses) {
    kernels.push_back({&address, nullptr, ""});
  }
  return kernels;
}

TEST(KernelTable, FindsWhatIsSet) {
  KernelTable table;
  const char address = 0;
  EXPECT_EQ(table.find(&address), nullptr);
  const Kernel kernel{&address, nullptr, "k"};
  table.set(kernel);
  EXPECT_EQ(table.find(&address), &kernel);
  EXPECT_EQ(table.find(&kernel), nullptr);
}

TEST(KernelTable, ReplacesAKernelOfTheSameAddress) {
  KernelTable table;
  const char address = 0;
  const Kernel first{&address, nullptr, "first"};
  const Kernel second{&address, nullptr, "second"};
  table.set(first);
  table.set(second);
  EXPECT_EQ(table.find(&address), &second);
}

TEST(KernelTable, ForgetsWhatIsErasedAndTakesItAgain) {
  KernelTable table;
  const std::vector<char> addresses(20);
  const auto kernels = kernels_at(addresses);
  for (const Kernel& kernel : kernels) {
    table.set(kernel);
  }
  table.erase(&addresses[7]);
  table.erase(&table); // which it never had
  for (const Kernel& kernel : kernels) {
    EXPECT_EQ(table.find(kernel.host_address),
              kernel.host_address == &addresses[7] ? nullptr : &kernel);
  }
  table.set(kernels[7]);
  EXPECT_EQ(table.find(&addresses[7]), &kernels[7]);
}

TEST(KernelTable, Grows) {
  KernelTable table;
  const std::size_t initial = table.capacity();
  const std::vector<char> addresses(10 * initial);
  const auto kernels = kernels_at(addresses);
  for (const Kernel& kernel : kernels) {
    table.set(kernel);
  }
  EXPECT_GE(table.capacity(), 2 * addresses.size());
  for (const Kernel& kernel : kernels) {
    ASSERT_EQ(table.find(kernel.host_address), &kernel);
  }
}

TEST(KernelTable, StaysSmallWhenLibrariesComeAndGo) {
  KernelTable table;
  const std::vector<char> addresses(16);
  const auto kernels = kernels_at(addresses);
  const std::size_t initial = table.capacity();
  for (int round = 0; round < 1000; ++round) {
    for (const Kernel& kernel : kernels) {
      table.set(kernel);
    }
    for (const Kernel& kernel : kernels) {
      table.erase(kernel.host_address);
    }
  }
  EXPECT_EQ(table.capacity(), initial);
}

TEST(KernelTable, StaysBoundedWhenEveryLoadHasNewAddresses) {
  KernelTable table;
  const std::vector<char> addresses(100000);
  const auto kernels = kernels_at(addresses);
  for (const Kernel& kernel : kernels) {
    table.set(kernel);
    table.erase(kernel.host_address);
  }
  EXPECT_EQ(table.capacity(), KernelTable().capacity());
}

TEST(KernelTable, ReadersNeverSeeAnothersKernelWhileAWriterWorks) {
  KernelTable table;
  const std::vector<char> addresses(400);
  const auto kernels = kernels_at(addresses);
  const std::size_t stable = 50; // these are there throughout
  for (std::size_t i = 0; i < stable; ++i) {
    table.set(kernels[i]);
  }
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        for (std::size_t k = 0; k < kernels.size(); ++k) {
          const Kernel* found = table.find(&addresses[k]);
          const bool right = found == &kernels[k] || (k >= stable && found == nullptr);
          wrong += right ? 0 : 1;
        }
      }
    });
  }
  for (int round = 0; round < 200; ++round) {
    // A window that moves over the rest, so that erased slots serve other keys.
    for (std::size_t k = stable; k < kernels.size(); ++k) {
      table.set(kernels[k]);
      if (k >= stable + 20) {
        table.erase(&addresses[k - 20]);
      }
    }
    for (std::size_t k = kernels.size() - 20; k < kernels.size(); ++k) {
      table.erase(&addresses[k]);
    }
  }
  stop = true;
  for (auto& reader : readers) {
    reader.join();
  }
  EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace gantry::core
