// target data, target enter data, target exit data and target update as GCC calls them.
#include "runtime/abi/export.h"
#include "runtime/abi/gcc/construct.h"
#include "runtime/abi/gcc/decode.h"
#include "runtime/abi/gcc/openmp_target.h"
#include "runtime/core/constructs/data_construct.h"
#include "runtime/core/reports/diagnostics.h"

#include <utility>
#include <vector>

using namespace gantry;
using namespace gantry::abi::gcc;

namespace {

/// The target data regions that a thread is in, the innermost last.
struct DataRegion {
  core::Device* device; ///< null for the host
  core::MapItems items;
};
thread_local std::vector<DataRegion>* data_regions_of_thread = nullptr;

/// Not a thread_local object: destructors of static objects, which run behind those of the main
/// thread's, may have such regions too. Freed with the outermost region.
std::vector<DataRegion>& data_regions() {
  if (data_regions_of_thread == nullptr) {
    data_regions_of_thread = new std::vector<DataRegion>;
  }
  return *data_regions_of_thread;
}

void leave_data_region() {
  data_regions_of_thread->pop_back();
  if (data_regions_of_thread->empty()) {
    delete std::exchange(data_regions_of_thread, nullptr);
  }
}

/// Decodes the arrays and does a step with what they say.
void apply(core::Device& device, const MapArrays& arrays, Purpose purpose, core::DataStep step,
           const core::Construct& at, core::MapItems& items) {
  if (Status status = decode_maps(arrays, purpose, items); !status) {
    device.fail_construct(status.error(), at);
  }
  core::run_data_construct(device, at, items, step);
}

void begin_data(int number, const MapArrays& arrays, const void* caller) {
  const core::Construct at("target data", nullptr, caller);
  core::Device* const device = select_device(number, at);
  DataRegion& region = data_regions().emplace_back(DataRegion{device, {}});
  if (device != nullptr) {
    apply(*device, arrays, Purpose::kData, &core::DataEnvironment::enter, at, region.items);
  }
}

/// A construct that stands alone.
struct DataConstruct {
  std::string_view name;
  Purpose purpose;
  core::DataStep step;
};

constexpr DataConstruct kUpdate{"target update", Purpose::kUpdate, &core::DataEnvironment::update};
constexpr DataConstruct kEnter{"target enter data", Purpose::kEnterData,
                               &core::DataEnvironment::enter};
constexpr DataConstruct kExit{"target exit data", Purpose::kExitData, &core::DataEnvironment::exit};

void run(const DataConstruct& construct, int number, const MapArrays& arrays, const void* caller,
         bool nowait = false) {
  core::Construct at(construct.name, nullptr, caller);
  at.nowait = nowait;
  if (core::Device* const device = select_device(number, at); device != nullptr) {
    core::MapItems items;
    apply(*device, arrays, construct.purpose, construct.step, at, items);
  }
}

void run_or_defer(const DataConstruct& construct, int number, const MapArrays& arrays,
                  unsigned flags, void** dependences, const void* caller) {
  if ((flags & kNoWait) != 0) {
    const auto kept = std::make_shared<KeptArrays>(arrays);
    defer([=, &construct] { run(construct, number, kept->arrays(), caller, true); }, dependences);
    return;
  }
  wait_for(dependences);
  run(construct, number, arrays, caller);
}

} // namespace

GANTRY_EXPORT void GOMP_target_data_ext(int device, std::size_t count, void** addresses,
                                        std::size_t* sizes, std::uint16_t* kinds) {
  begin_data(device, {count, addresses, sizes, kinds}, __builtin_return_address(0));
}

GANTRY_EXPORT void GOMP_target_end_data() {
  const core::Construct at("end of target data", nullptr, __builtin_return_address(0));
  if (data_regions_of_thread == nullptr) {
    core::fatal(Error{"the thread is in no target data region"}, at);
  }
  const DataRegion& region = data_regions().back();
  if (region.device != nullptr) {
    core::run_data_construct(*region.device, at, region.items, &core::DataEnvironment::exit);
  }
  leave_data_region();
}

GANTRY_EXPORT void GOMP_target_update_ext(int device, std::size_t count, void** addresses,
                                          std::size_t* sizes, std::uint16_t* kinds, unsigned flags,
                                          void** dependences) {
  run_or_defer(kUpdate, device, {count, addresses, sizes, kinds}, flags, dependences,
               __builtin_return_address(0));
}

GANTRY_EXPORT void GOMP_target_enter_exit_data(int device, std::size_t count, void** addresses,
                                               std::size_t* sizes, std::uint16_t* kinds,
                                               unsigned flags, void** dependences) {
  run_or_defer((flags & kExitData) != 0 ? kExit : kEnter, device, {count, addresses, sizes, kinds},
               flags, dependences, __builtin_return_address(0));
}

// The forms of GCC 4.9 and 5; `table` as in GOMP_target.

GANTRY_EXPORT void GOMP_target_data(int device, const void* table, std::size_t count,
                                    void** addresses, std::size_t* sizes, std::uint8_t* kinds) {
  const WideKinds wide(kinds, count);
  begin_data(use_openmp_target(table) ? device : kHostFallback,
             {count, addresses, sizes, wide.data()}, __builtin_return_address(0));
}

GANTRY_EXPORT void GOMP_target_update(int device, const void* table, std::size_t count,
                                      void** addresses, std::size_t* sizes, std::uint8_t* kinds) {
  const WideKinds wide(kinds, count);
  run(kUpdate, use_openmp_target(table) ? device : kHostFallback,
      {count, addresses, sizes, wide.data()}, __builtin_return_address(0));
}
