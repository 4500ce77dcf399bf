// The entry points of Clang 14 and older: the same constructs with fewer arguments. Each hands over
// to the entry point that Clang 15 and later use.
#include "runtime/abi/clang/decode.h"
#include "runtime/abi/clang/target.h"
#include "runtime/abi/export.h"

using namespace gantry::abi::clang;

namespace {

constexpr std::int32_t kNoTeams = -1;

/// The trip count that the compiler announces before a launch of the same thread.
thread_local std::uint64_t announced_trip_count = 0;

int launch(const Ident* location, std::int64_t device, const void* host_address,
           const MapArrays& arrays, std::int32_t num_teams, std::int32_t thread_limit,
           const void* caller = __builtin_return_address(0)) { // that of the entry point
  KernelArguments arguments{};
  arguments.version = 1;
  arguments.item_count = arrays.count;
  arguments.bases = arrays.bases;
  arguments.begins = arrays.begins;
  arguments.sizes = arrays.sizes;
  arguments.types = arrays.types;
  arguments.names = arrays.names;
  arguments.mappers = arrays.mappers;
  arguments.trip_count = std::exchange(announced_trip_count, 0);
  return run_target(location, device, num_teams, thread_limit, host_address, &arguments, caller);
}

} // namespace

GANTRY_EXPORT void __kmpc_push_target_tripcount_mapper(const Ident*, std::int64_t,
                                                       std::uint64_t trip_count) {
  announced_trip_count = trip_count;
}

GANTRY_EXPORT void __kmpc_push_target_tripcount(std::int64_t, std::uint64_t trip_count) {
  announced_trip_count = trip_count;
}

// The task around a call with nowait carries its dependences, so the arguments that follow those
// which all forms share are not read. The forms without _mapper are those of before Clang 14: no
// position, names or mappers.
#define GANTRY_TARGET_ENTRY_POINTS(nowait)                                                         \
  GANTRY_EXPORT int __tgt_target##nowait##_mapper(                                                 \
      const Ident* location, std::int64_t device, const void* host_address, std::int32_t count,    \
      void** bases, void** begins, std::int64_t* sizes, std::int64_t* types, void** names,         \
      void** mappers) {                                                                            \
    return launch(                                                                                 \
        location, device, host_address,                                                            \
        {static_cast<std::uint32_t>(count), bases, begins, sizes, types, names, mappers},          \
        kNoTeams, 0);                                                                              \
  }                                                                                                \
  GANTRY_EXPORT int __tgt_target_teams##nowait##_mapper(                                           \
      const Ident* location, std::int64_t device, const void* host_address, std::int32_t count,    \
      void** bases, void** begins, std::int64_t* sizes, std::int64_t* types, void** names,         \
      void** mappers, std::int32_t num_teams, std::int32_t thread_limit) {                         \
    return launch(                                                                                 \
        location, device, host_address,                                                            \
        {static_cast<std::uint32_t>(count), bases, begins, sizes, types, names, mappers},          \
        num_teams, thread_limit);                                                                  \
  }                                                                                                \
  GANTRY_EXPORT int __tgt_target##nowait(std::int64_t device, const void* host_address,            \
                                         std::int32_t count, void** bases, void** begins,          \
                                         std::int64_t* sizes, std::int64_t* types) {               \
    return launch(nullptr, device, host_address,                                                   \
                  {static_cast<std::uint32_t>(count), bases, begins, sizes, types}, kNoTeams, 0);  \
  }                                                                                                \
  GANTRY_EXPORT int __tgt_target_teams##nowait(                                                    \
      std::int64_t device, const void* host_address, std::int32_t count, void** bases,             \
      void** begins, std::int64_t* sizes, std::int64_t* types, std::int32_t num_teams,             \
      std::int32_t thread_limit) {                                                                 \
    return launch(nullptr, device, host_address,                                                   \
                  {static_cast<std::uint32_t>(count), bases, begins, sizes, types}, num_teams,     \
                  thread_limit);                                                                   \
  }

GANTRY_TARGET_ENTRY_POINTS()
GANTRY_TARGET_ENTRY_POINTS(_nowait)
