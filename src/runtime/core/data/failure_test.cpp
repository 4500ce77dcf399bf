// What a device refuses comes back as an error, whichever call it is: each scenario runs once for
// every call it makes of the plugin, with that call failing. Nothing may crash, and what was mapped
// can still be unmapped.
#include "runtime/testing/environment_case.h"

#include <functional>
#include <optional>
#include <utility>

#include <gmock/gmock.h>

namespace gantry::core {
namespace {

using namespace core::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Failures : EnvironmentCase {
  /// Runs `scenario`, which ends with the first error, with its first, second, … call failing,
  /// until it succeeds; each time `clean_up` takes everything off the device. Returns the number of
  /// calls.
  int fail_every_call(const std::function<Status()>& scenario,
                      const std::function<void()>& clean_up) {
    for (int nth = 1;; ++nth) {
      plugin.fail_call(nth);
      const Status status = scenario();
      const bool failed = plugin.has_failed();
      plugin.fail_call(-1);
      EXPECT_EQ(!status, failed) << "call " << nth;
      if (!status) {
        EXPECT_THAT(status.error().message, HasSubstr("injected failure of ")) << "call " << nth;
      }
      clean_up();
      EXPECT_EQ(plugin.live_allocations(), 0u) << "after the failure of call " << nth;
      if (!failed) {
        return nth - 1;
      }
    }
  }

  /// The calls of `n` constructs that wait for their queue.
  [[nodiscard]] int waits(int n) const { return plugin.device().has_queues() ? n : 0; }

  Status first_error(const std::vector<std::function<Status()>>& steps) {
    for (const auto& step : steps) {
      GANTRY_TRY(step());
    }
    return {};
  }
};

TEST_F(Failures, OfDataRegions) {
  int a[4] = {};
  int b[4] = {};
  const int calls = fail_every_call(
      [&] {
        return first_error({[&] { return enter({tofrom(a), tofrom(b)}); },
                            [&] { return update({to(a), from(b)}); },
                            [&] { return exit({tofrom(a), tofrom(b)}); }});
      },
      [&] { ASSERT_TRUE(exit({remove(a), remove(b)})); });
  EXPECT_EQ(calls, 2 * 2 + 2 + 2 * 2 + waits(3));
}

TEST_F(Failures, OfEnterLeaveWhatAnotherConstructHasMappedMeanwhile) {
  int without_copy[4] = {};
  int copied[4] = {};
  bool first = true;
  plugin.before_copy = [&](const void*) {
    if (!std::exchange(first, false)) {
      return;
    }
    // The lock is not held: another thread could do this.
    EXPECT_TRUE(exit({remove(without_copy)}));
    EXPECT_TRUE(enter({alloc(without_copy)}));
    plugin.fail_call(1);
  };
  EXPECT_FALSE(enter({alloc(without_copy), to(copied)}));
  plugin.fail_call(-1);
  EXPECT_FALSE(present(copied));
  EXPECT_THAT(environment.leaks(), ElementsAre(HasSubstr("referenced 1 time")));
  EXPECT_TRUE(exit({remove(without_copy)}));
  EXPECT_EQ(plugin.live_allocations(), 0u);
}

TEST_F(Failures, OfEnterLeaveThingsAsTheyWere) {
  int mapped = 1;
  int values[4] = {};
  int* pointer = values;
  MapItem again = to(mapped);
  again.always = true;
  const int calls = fail_every_call(
      [&]() -> Status {
        GANTRY_TRY(enter({alloc(mapped)}));
        return enter({again, to(values), to(pointer), attachment(pointer), to(values)});
      },
      [&] {
        const bool entered = present(values);
        EXPECT_EQ(present(pointer), entered);
        EXPECT_TRUE(exit({release(mapped)}));
        EXPECT_EQ(present(mapped), entered) << "the reference that failed is still counted";
        ASSERT_TRUE(exit({remove(mapped), remove(values), remove(pointer)}));
      });
  EXPECT_EQ(calls, 3 + 4 + 1 + waits(1)) << "allocations, copies, an attachment";
}

TEST_F(Failures, OfAttachment) {
  int values[4] = {};
  struct {
    int* pointer;
    std::uint64_t rank = 1;
  } descriptor{values};
  int* plain = values;
  MapItem attach = attachment(descriptor.pointer);
  attach.size = sizeof descriptor;
  const int calls = fail_every_call(
      [&] {
        return first_error(
            {[&] { return enter({to(values), to(descriptor), attach, pointee(plain, 4)}); },
             [&] { return exit({release(values), release(descriptor), pointee(plain, 4)}); }});
      },
      [&] { ASSERT_TRUE(exit({remove(values), remove(descriptor), remove(plain)})); });
  EXPECT_GE(calls, 3 + 2 + 3 + 3);
  EXPECT_EQ(descriptor.pointer, values);
  EXPECT_EQ(plain, values);
}

TEST_F(Failures, OfTargetRegions) {
  int array[4] = {};
  int scalar = 1;
  struct {
    int* captured;
  } lambda{array};
  MapItem firstprivate = to(scalar);
  firstprivate.kind = MapKind::kPrivate;
  MapItem copied = to(lambda);
  copied.kind = MapKind::kPrivate;
  MapItem capture;
  capture.kind = MapKind::kCapture;
  capture.base = bytes_of(lambda.captured);
  capture.begin = bytes_of(array);
  capture.parent = 2;
  std::optional<PrivateStorage> copies; // whose end has no construct to report to
  const int calls = fail_every_call(
      [&]() -> Status {
        std::vector<MapItem> items = {tofrom(array), firstprivate, copied, capture};
        KernelArguments arguments;
        copies.emplace(plugin.device());
        Queue queue(queues, construct);
        GANTRY_TRY(
            environment.enter_target(items, queue, arguments, ParameterForm::kValues, *copies));
        return environment.exit(items, queue);
      },
      [&] {
        copies.reset();
        ASSERT_TRUE(exit({remove(array)}));
      });
  EXPECT_EQ(calls, 2 + 1 + 3 + 2 + waits(2));
}

TEST_F(Failures, AFailedCopyBackDoesNotKeepTheStorage) {
  int a = 1;
  int b = 2;
  ASSERT_TRUE(enter({alloc(a), alloc(b)}));
  plugin.write(corresponding(b), 7);
  plugin.fail_call(1);
  EXPECT_FALSE(exit({from(a), from(b)}));
  EXPECT_FALSE(present(a));
  EXPECT_FALSE(present(b));
  EXPECT_EQ(b, 7) << "the other item's copy has nothing to do with it";
}

TEST_F(Failures, AnItemThatCannotEndDoesNotKeepTheOthers) {
  int a = 1;
  int array[4] = {};
  MapItem part = section(array, 0, 2);
  ASSERT_TRUE(enter({alloc(a), part}));
  EXPECT_FALSE(exit({release(a), release(array)}));
  EXPECT_FALSE(present(a));
  ASSERT_TRUE(exit({part}));
}

TEST_F(Failures, AMessageSaysWhatWasMapped) {
  int x = 0;
  MapItem item = tofrom(x);
  item.name = "x";
  plugin.fail_call(1);
  const Status status = enter({item});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message,
              ::testing::MatchesRegex(
                  "mapping of 'x' \\[0x[0-9a-f]+, 4 bytes\\): injected failure of allocate"));
}

} // namespace
} // namespace gantry::core
