// The entry points of before Clang 15, called as that code does.
#include "runtime/testing/registered_image.h"

#include <cstdlib>

#include <gtest/gtest.h>

using gantry::abi::clang::Ident;

extern "C" {
using Types = std::int64_t*;
using Sizes = std::int64_t*;
// The forms of a launch. Those with nowait are passed four more arguments, which are not read.
#define GANTRY_DECLARE(nowait)                                                                     \
  int __tgt_target##nowait##_mapper(const Ident*, std::int64_t device, const void* host_address,   \
                                    std::int32_t count, void** bases, void** begins, Sizes, Types, \
                                    void** names, void** mappers);                                 \
  int __tgt_target_teams##nowait##_mapper(const Ident*, std::int64_t device,                       \
                                          const void* host_address, std::int32_t count,            \
                                          void** bases, void** begins, Sizes, Types, void** names, \
                                          void** mappers, std::int32_t teams, std::int32_t limit); \
  int __tgt_target##nowait(std::int64_t device, const void* host_address, std::int32_t count,      \
                           void** bases, void** begins, Sizes, Types);                             \
  int __tgt_target_teams##nowait(std::int64_t device, const void* host_address,                    \
                                 std::int32_t count, void** bases, void** begins, Sizes, Types,    \
                                 std::int32_t teams, std::int32_t limit);                          \
  void __tgt_target_data_begin##nowait(std::int64_t device, std::int32_t count, void** bases,      \
                                       void** begins, Sizes, Types);                               \
  decltype(__tgt_target_data_begin##nowait) __tgt_target_data_end##nowait;                         \
  decltype(__tgt_target_data_begin##nowait) __tgt_target_data_update##nowait;
GANTRY_DECLARE()
GANTRY_DECLARE(_nowait)
#undef GANTRY_DECLARE
void __kmpc_push_target_tripcount_mapper(const Ident*, std::int64_t device, std::uint64_t trip);
void __kmpc_push_target_tripcount(std::int64_t device, std::uint64_t trip);
int __tgt_target_kernel_nowait(const Ident*, std::int64_t device, std::int32_t teams,
                               std::int32_t limit, const void* host_address,
                               const gantry::abi::clang::KernelArguments*, std::int32_t, void*,
                               std::int32_t, void*);
void __tgt_register_requires(std::int64_t flags);
// As Clang 14 to 16 call it: later ones pass four more arguments, which are not read.
void __tgt_target_data_begin_nowait_mapper(const Ident*, std::int64_t device, std::int32_t count,
                                           void** bases, void** begins, Sizes, Types, void** names,
                                           void** mappers);
int omp_target_is_present(const void* pointer, int device);
}

namespace gantry::abi::clang {
namespace {

/// A device with storage of its own, where a missing copy shows, and the host. All tests of the
/// program share one list of devices.
constexpr int kDevice = 1;
constexpr int kHost = 2;

struct OldCode : ::testing::Test {
  static void SetUpTestSuite() { setenv("GANTRY_DEVICES", "cpu,cpu+separate", 1); }

  gantry::testing::RegisteredImage image{{"add"}};
  int x = 0;
  void* bases[2] = {&x, reinterpret_cast<void*>(2)};
  void* begins[2] = {&x, reinterpret_cast<void*>(2)};
  std::int64_t sizes[2] = {sizeof x, 0};
  std::int64_t types[2] = {kTo | kFrom | kTargetParameter, kLiteral | kTargetParameter};
};

TEST_F(OldCode, OfClang14LaunchesKernels) {
  __tgt_register_requires(1);
  __kmpc_push_target_tripcount_mapper(nullptr, kDevice, 100);
  const void* region = image.region(0);
  int expected = 0;
  for (const auto form : {__tgt_target_mapper, __tgt_target_nowait_mapper}) {
    const auto launch = [&](int device) {
      return form(nullptr, device, region, 2, bases, begins, sizes, types, nullptr, nullptr);
    };
    EXPECT_EQ(launch(kDevice), 0);
    EXPECT_EQ(x, expected += 2);
    EXPECT_NE(launch(kHost), 0);
  }
  for (const auto form : {__tgt_target_teams_mapper, __tgt_target_teams_nowait_mapper}) {
    EXPECT_EQ(
        form(nullptr, kDevice, region, 2, bases, begins, sizes, types, nullptr, nullptr, 1, 0), 0);
    EXPECT_EQ(x, expected += 2);
  }
}

TEST_F(OldCode, OfClang15LaunchesKernelsWithoutWaiting) {
  const KernelArguments arguments =
      gantry::testing::arguments_of(1, 2, bases, begins, sizes, types);
  EXPECT_EQ(__tgt_target_kernel_nowait(nullptr, kDevice, -1, 0, image.region(0), &arguments, 0,
                                       nullptr, 0, nullptr),
            0);
  EXPECT_EQ(x, 2);
}

TEST_F(OldCode, OfClang14MapsWithoutWaiting) {
  __tgt_target_data_begin_nowait_mapper(nullptr, kDevice, 1, bases, begins, sizes, types, nullptr,
                                        nullptr);
  EXPECT_TRUE(omp_target_is_present(&x, kDevice));
  __tgt_target_data_end(kDevice, 1, bases, begins, sizes, types);
  EXPECT_FALSE(omp_target_is_present(&x, kDevice));
}

TEST_F(OldCode, OfBeforeClang14LaunchesKernels) {
  __kmpc_push_target_tripcount(kDevice, 100);
  const void* region = image.region(0);
  int expected = 0;
  for (const auto form : {__tgt_target, __tgt_target_nowait}) {
    EXPECT_EQ(form(kDevice, region, 2, bases, begins, sizes, types), 0);
    EXPECT_EQ(x, expected += 2);
    EXPECT_NE(form(kHost, region, 2, bases, begins, sizes, types), 0);
  }
  for (const auto form : {__tgt_target_teams, __tgt_target_teams_nowait}) {
    EXPECT_EQ(form(kDevice, region, 2, bases, begins, sizes, types, 1, 0), 0);
    EXPECT_EQ(x, expected += 2);
    EXPECT_NE(form(kHost, region, 2, bases, begins, sizes, types, 1, 0), 0);
  }
}

TEST_F(OldCode, OfBeforeClang14MapsAndUpdates) {
  const struct {
    decltype(&__tgt_target_data_begin) begin, update, end;
  } forms[] = {{__tgt_target_data_begin, __tgt_target_data_update, __tgt_target_data_end},
               {__tgt_target_data_begin_nowait, __tgt_target_data_update_nowait,
                __tgt_target_data_end_nowait}};
  for (const auto& form : forms) {
    x = 1;
    std::int64_t to = kTo;
    std::int64_t from = kFrom;
    form.begin(kDevice, 1, bases, begins, sizes, &to);
    EXPECT_TRUE(omp_target_is_present(&x, kDevice));
    EXPECT_EQ(__tgt_target(kDevice, image.region(0), 2, bases, begins, sizes, types), 0);
    EXPECT_EQ(x, 1) << "the device's value is 3";
    form.update(kDevice, 1, bases, begins, sizes, &from);
    EXPECT_EQ(x, 3);
    x = 10;
    form.update(kDevice, 1, bases, begins, sizes, &to);
    EXPECT_EQ(__tgt_target(kDevice, image.region(0), 2, bases, begins, sizes, types), 0);
    form.end(kDevice, 1, bases, begins, sizes, &from);
    EXPECT_EQ(x, 12);
    EXPECT_FALSE(omp_target_is_present(&x, kDevice));
  }
}

} // namespace
} // namespace gantry::abi::clang
