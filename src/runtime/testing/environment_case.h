// A device data environment of a FakePlugin's device, for tests of mapping rules.
#pragma once

#include "runtime/core/data/data_environment.h"
#include "runtime/testing/fake_plugin.h"
#include "runtime/testing/map_items.h"

#include <vector>

#include <gtest/gtest.h>

namespace gantry::core::testing {

struct EnvironmentCase : ::testing::Test {
  explicit EnvironmentCase(Memory memory = Memory::kSeparate) : plugin(memory) {}

  using Items = std::vector<MapItem>;

  Status enter(const Items& items) {
    Queue queue(queues, construct);
    return environment.enter(items, queue);
  }
  Status exit(const Items& items) {
    Queue queue(queues, construct);
    return environment.exit(items, queue);
  }
  Status update(const Items& items) {
    Queue queue(queues, construct);
    return environment.update(items, queue);
  }

  /// What a target region does with its items; the values of its kernel's parameters.
  Result<std::vector<std::uintptr_t>> enter_target(Items items,
                                                   ParameterForm form = ParameterForm::kValues) {
    KernelArguments arguments;
    Queue queue(queues, construct);
    GANTRY_TRY(environment.enter_target(items, queue, arguments, form, storage));
    std::vector<std::uintptr_t> values;
    for (void* const argument : arguments) {
      values.push_back(reinterpret_cast<std::uintptr_t>(argument));
    }
    return values;
  }

  template <typename T>
  void* corresponding(const T& object) {
    return environment.corresponding(&object, sizeof object);
  }
  template <typename T>
  bool present(const T& object) {
    return corresponding(object) != nullptr;
  }
  /// The corresponding value of an object that is present.
  template <typename T>
  T on_device(const T& object) {
    return plugin.read<T>(corresponding(object));
  }

  FakePlugin plugin;
  QueuePool queues{plugin.device()};
  AllocationTable allocations;
  DataEnvironment environment{plugin.device(), allocations};
  PrivateStorage storage{plugin.device()};
  Construct construct{"target", "test.cpp:7"};
};

struct SharedEnvironmentCase : EnvironmentCase {
  SharedEnvironmentCase() : EnvironmentCase(Memory::kShared) {}
};

} // namespace gantry::core::testing
