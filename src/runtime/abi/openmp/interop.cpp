// The interop construct (OpenMP 5.2, section 14.1) and the interoperability routines
// (section 18.12) where no device has a foreign runtime: every interop object is omp_interop_none.
//
// What remains of the construct is the empty task that it generates with targetsync: its
// dependences order it among other tasks. Clang passes the same number for `target` and for
// `target,targetsync`, so the task is there in either case; without dependences it cannot be
// noticed.
#include "runtime/abi/clang/layouts.h"
#include "runtime/abi/export.h"
#include "runtime/abi/openmp/select.h"
#include "runtime/abi/openmp/tasks.h"
#include "runtime/core/reports/diagnostics.h"
#include "runtime/core/runtime/runtime.h"

#include <iterator>

using namespace gantry;
using abi::clang::Ident;
using abi::openmp::Dependence;

/// An omp_interop_t points to one; none exists.
struct InteropObject;

/// Arguments of the entry points of OpenMP 6.0, laid out as LLVM 22 does.
struct InteropContext {
  std::uint32_t version;
  std::uint32_t flags; ///< bit 0 implicit, bit 1 nowait
  std::int32_t thread;
};
struct InteropDependences {
  std::int32_t count;
  const Dependence* dependences;
  std::int32_t noalias_count;
  const Dependence* noalias;
};

namespace {

constexpr std::uint32_t kNowait = 2;

core::Construct construct(const Ident* location) {
  return {"interop", location == nullptr ? nullptr : location->psource};
}

void run_empty_task(std::span<const Dependence> dependences, bool nowait) {
  if (!nowait) {
    abi::openmp::wait_for(dependences);
  } else if (!dependences.empty()) {
    abi::openmp::run_deferred(dependences, [] {});
  }
}

void run_empty_task(const InteropContext* context, const InteropDependences* given) {
  std::vector<Dependence> all;
  if (given != nullptr) {
    all.assign(given->dependences, given->dependences + given->count);
    all.insert(all.end(), given->noalias, given->noalias + given->noalias_count);
  }
  run_empty_task(all, context != nullptr && (context->flags & kNowait) != 0);
}

/// `use` and `destroy` want what `init` gave, which is omp_interop_none.
void check_object(const InteropObject* object, const Ident* location) {
  if (object != nullptr) {
    core::fatal(Error{fmt::format("the interop object {} was not initialised by an interop "
                                  "construct, which gives omp_interop_none: no device has a "
                                  "foreign runtime",
                                  fmt::ptr(object))},
                construct(location));
  }
}

std::span<const Dependence> dependences(std::int32_t count, const Dependence* first) {
  return {first, static_cast<std::size_t>(count)};
}

/// Table 18.1: properties are numbered -1, -2, …, and no implementation-defined ones from 0 on.
constexpr const char* kProperties[] = {"fr_id",       "fr_name",        "vendor",
                                       "vendor_name", "device_num",     "platform",
                                       "device",      "device_context", "targetsync"};

/// Values of omp_interop_rc_t.
constexpr int kEmpty = -1;
constexpr int kOutOfRange = -2;
constexpr int kOther = -6;

/// The name of a property, or null if there is none of that number.
const char* property_name(int property) {
  const std::int64_t row = -1 - std::int64_t{property};
  return row >= 0 && row < std::ssize(kProperties) ? kProperties[row] : nullptr;
}

/// The answer of every query: there is no value, and why.
template <typename T>
T no_value(const InteropObject* object, int property, int* code) {
  if (code != nullptr) {
    *code = property_name(property) == nullptr ? kOutOfRange : object == nullptr ? kEmpty : kOther;
  }
  return T{};
}

} // namespace

GANTRY_EXPORT void __tgt_interop_init(const Ident* location, std::int32_t /*thread*/,
                                      InteropObject** object, std::int32_t /*type*/,
                                      std::int32_t device, std::int32_t count,
                                      const Dependence* first, std::int32_t nowait) {
  (void)abi::openmp::select_device(device, construct(location));
  run_empty_task(dependences(count, first), nowait != 0);
  *object = nullptr;
}

GANTRY_EXPORT void __tgt_interop_use(const Ident* location, std::int32_t /*thread*/,
                                     InteropObject** object, std::int32_t /*device*/,
                                     std::int32_t count, const Dependence* first,
                                     std::int32_t nowait) {
  check_object(*object, location);
  run_empty_task(dependences(count, first), nowait != 0);
}

GANTRY_EXPORT void __tgt_interop_destroy(const Ident* location, std::int32_t thread,
                                         InteropObject** object, std::int32_t device,
                                         std::int32_t count, const Dependence* first,
                                         std::int32_t nowait) {
  __tgt_interop_use(location, thread, object, device, count, first, nowait);
}

/// OpenMP 6.0: the object that a dispatch construct appends to the arguments of a variant.
GANTRY_EXPORT InteropObject* __tgt_interop_get(const Ident* location, std::int32_t /*type*/,
                                               std::int64_t device, std::int32_t /*preferences*/,
                                               const void* /*preferred*/,
                                               const InteropContext* context,
                                               const InteropDependences* given) {
  (void)abi::openmp::select_device(device, construct(location));
  run_empty_task(context, given);
  return nullptr;
}

GANTRY_EXPORT int __tgt_interop_use60(const Ident* location, InteropObject* object,
                                      const InteropContext* context,
                                      const InteropDependences* given) {
  check_object(object, location);
  run_empty_task(context, given);
  return 0;
}

GANTRY_EXPORT int __tgt_interop_release(const Ident* location, InteropObject* object,
                                        const InteropContext* context,
                                        const InteropDependences* given) {
  return __tgt_interop_use60(location, object, context, given);
}

/// Completes what variants left unfinished in the objects that dispatch constructs gave them; with
/// omp_interop_none they have nowhere to leave it.
GANTRY_EXPORT void __tgt_target_sync(const Ident*, int /*thread*/, void* /*task*/,
                                     void* /*event*/) {}

/// Section 18.12.2. Programs reach these through libomp, which forwards to the next library.
GANTRY_EXPORT std::intptr_t omp_get_interop_int(const InteropObject* object, int property,
                                                int* code) {
  return no_value<std::intptr_t>(object, property, code);
}

/// Section 18.12.3.
GANTRY_EXPORT void* omp_get_interop_ptr(const InteropObject* object, int property, int* code) {
  return no_value<void*>(object, property, code);
}

/// Section 18.12.4.
GANTRY_EXPORT const char* omp_get_interop_str(const InteropObject* object, int property,
                                              int* code) {
  return no_value<const char*>(object, property, code);
}

/// Section 18.12.5. The name of a property is the same for every object.
GANTRY_EXPORT const char* omp_get_interop_name(const InteropObject*, int property) {
  return property_name(property);
}

/// Section 18.12.6. The properties of omp_interop_none have no type.
GANTRY_EXPORT const char* omp_get_interop_type_desc(const InteropObject*, int /*property*/) {
  return nullptr;
}

/// LLVM's extension: calls `callback` when what the object synchronises is complete.
GANTRY_EXPORT int ompx_interop_add_completion_callback(InteropObject* object,
                                                       void (* /*callback*/)(InteropObject*, void*),
                                                       void* /*data*/) {
  return object == nullptr ? kEmpty : kOther;
}
