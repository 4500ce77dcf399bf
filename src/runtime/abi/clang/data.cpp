// target data, target enter data, target exit data and target update as Clang calls them.
#include "runtime/abi/clang/decode.h"
#include "runtime/abi/export.h"
#include "runtime/abi/openmp/select.h"
#include "runtime/core/constructs/data_construct.h"

using namespace gantry;
using namespace gantry::abi::clang;

namespace {

struct DataConstruct {
  std::string_view name;
  core::ConstructKind kind;
  core::DataStep step;
};
using Kind = core::ConstructKind;
using core::DataEnvironment;
constexpr DataConstruct kBegin{"target data", Kind::kEnterData, &DataEnvironment::enter};
constexpr DataConstruct kEnd{"end of target data", Kind::kExitData, &DataEnvironment::exit};
constexpr DataConstruct kUpdate{"target update", Kind::kUpdate, &DataEnvironment::update};

/// Finds the device, decodes, and does a step.
void run(const Ident* location, std::int64_t number, const DataConstruct& what,
         const MapArrays& arrays, const void* caller, bool nowait) {
  core::Construct at = construct(what.name, location, caller);
  at.kind = what.kind;
  at.nowait = nowait;
  if (core::is_of_the_end(at)) {
    return;
  }
  core::Device* const device = abi::openmp::select_device(number, at);
  if (device == nullptr) {
    return; // the host's data environment needs no mapping
  }
  MapItems items;
  if (Status status = decode_maps(arrays, items); !status) {
    device->fail_construct(status.error(), at);
  }
  core::run_data_construct(*device, at, items, what.step);
}

} // namespace

// The forms with nowait run inside a task that libomp made for the construct and that carries its
// dependences, so the four arguments that Clang 19 and later pass for these are not read; earlier
// versions do not pass them. The forms without _mapper are those of before Clang 14.
#define GANTRY_DATA_FORMS(action, what, nowait)                                                    \
  GANTRY_EXPORT void __tgt_target_data_##action##_mapper(                                          \
      const Ident* location, std::int64_t device, std::int32_t count, void** bases, void** begins, \
      std::int64_t* sizes, std::int64_t* types, void** names, void** mappers) {                    \
    run(location, device, what,                                                                    \
        {static_cast<std::uint32_t>(count), bases, begins, sizes, types, names, mappers},          \
        __builtin_return_address(0), nowait);                                                      \
  }                                                                                                \
  GANTRY_EXPORT void __tgt_target_data_##action(std::int64_t device, std::int32_t count,           \
                                                void** bases, void** begins, std::int64_t* sizes,  \
                                                std::int64_t* types) {                             \
    run(nullptr, device, what, {static_cast<std::uint32_t>(count), bases, begins, sizes, types},   \
        __builtin_return_address(0), nowait);                                                      \
  }

#define GANTRY_DATA_ENTRY_POINTS(action, what)                                                     \
  GANTRY_DATA_FORMS(action, what, false)                                                           \
  GANTRY_DATA_FORMS(action##_nowait, what, true)

GANTRY_DATA_ENTRY_POINTS(begin, kBegin)
GANTRY_DATA_ENTRY_POINTS(end, kEnd)
GANTRY_DATA_ENTRY_POINTS(update, kUpdate)
