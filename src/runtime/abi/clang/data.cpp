// target data, target enter data, target exit data and target update as Clang calls them.
#include "runtime/abi/clang/decode.h"
#include "runtime/abi/export.h"
#include "runtime/core/runtime/runtime.h"

using namespace gantry;
using namespace gantry::abi::clang;
using core::Runtime;

namespace {

/// The step that all of these have in common: find the device, decode, do, or say what is wrong.
template <typename Action>
void with_items(const Ident* location, std::int64_t device_number, std::string_view name,
                const MapArrays& arrays, Action&& action) {
  const core::Construct at = construct(name, location);
  core::Device* device = Runtime::instance().select(device_number, at);
  if (device == nullptr) {
    return; // the host's data environment needs no mapping
  }
  MapItems items;
  Status status = decode_maps(arrays, items);
  if (status) {
    core::Queue queue(device->queues());
    status = action(device->data_environment(), items, at, queue);
  }
  if (!status) {
    device->fail_construct(status.error(), at);
  }
}

void begin(const Ident* location, std::int64_t device, const MapArrays& arrays) {
  with_items(location, device, "target data", arrays,
             [](core::DataEnvironment& environment, MapItems& items, const core::Construct& at,
                core::Queue& queue) { return environment.enter(items, at, queue); });
}

void end(const Ident* location, std::int64_t device, const MapArrays& arrays) {
  with_items(location, device, "end of target data", arrays,
             [](core::DataEnvironment& environment, MapItems& items, const core::Construct& at,
                core::Queue& queue) { return environment.exit(items, at, queue); });
}

void update(const Ident* location, std::int64_t device, const MapArrays& arrays) {
  with_items(location, device, "target update", arrays,
             [](core::DataEnvironment& environment, MapItems& items, const core::Construct& at,
                core::Queue& queue) { return environment.update(items, at, queue); });
}

} // namespace

// The forms with nowait run inside a task that libomp made for the construct and that carries its
// dependences, so the four arguments that Clang 19 and later pass for these are not read; earlier
// versions do not pass them. The forms without _mapper are those of before Clang 14.
#define GANTRY_DATA_ENTRY_POINTS(action)                                                           \
  GANTRY_EXPORT void __tgt_target_data_##action##_mapper(                                          \
      const Ident* location, std::int64_t device, std::int32_t count, void** bases, void** begins, \
      std::int64_t* sizes, std::int64_t* types, void** names, void** mappers) {                    \
    action(location, device,                                                                       \
           {static_cast<std::uint32_t>(count), bases, begins, sizes, types, names, mappers});      \
  }                                                                                                \
  GANTRY_EXPORT void __tgt_target_data_##action##_nowait_mapper(                                   \
      const Ident* location, std::int64_t device, std::int32_t count, void** bases, void** begins, \
      std::int64_t* sizes, std::int64_t* types, void** names, void** mappers) {                    \
    action(location, device,                                                                       \
           {static_cast<std::uint32_t>(count), bases, begins, sizes, types, names, mappers});      \
  }                                                                                                \
  GANTRY_EXPORT void __tgt_target_data_##action(std::int64_t device, std::int32_t count,           \
                                                void** bases, void** begins, std::int64_t* sizes,  \
                                                std::int64_t* types) {                             \
    action(nullptr, device, {static_cast<std::uint32_t>(count), bases, begins, sizes, types});     \
  }                                                                                                \
  GANTRY_EXPORT void __tgt_target_data_##action##_nowait(                                          \
      std::int64_t device, std::int32_t count, void** bases, void** begins, std::int64_t* sizes,   \
      std::int64_t* types) {                                                                       \
    action(nullptr, device, {static_cast<std::uint32_t>(count), bases, begins, sizes, types});     \
  }

GANTRY_DATA_ENTRY_POINTS(begin)
GANTRY_DATA_ENTRY_POINTS(end)
GANTRY_DATA_ENTRY_POINTS(update)
