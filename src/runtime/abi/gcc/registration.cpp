// Registration: called by constructors and destructors that the link adds to executables and shared
// libraries, once for each kind of device that there is an image for.
#include "runtime/abi/export.h"
#include "runtime/abi/gcc/openmp_target.h"
#include "runtime/abi/gcc/program.h"
#include "runtime/abi/ompt/connection.h"
#include "runtime/abi/openmp/process_end.h"
#include "runtime/core/host/module_path.h"
#include "runtime/core/runtime/runtime.h"

#include <algorithm>
#include <memory>
#include <mutex>

using namespace gantry::abi::gcc;
using gantry::core::Module;
using gantry::core::Runtime;

namespace {

/// What is registered. Never destroyed: libraries unregister when the process ends.
struct Registrations {
  std::mutex mutex;
  std::vector<std::unique_ptr<Registration>> all;
};

[[gnu::constructor]] void know_names() {
  gantry::core::know_compiler(kNames);
}

Registrations& registrations() {
  static auto* const instance = new Registrations;
  return *instance;
}

} // namespace

GANTRY_EXPORT void GOMP_offload_register_ver(unsigned version, const void* table, int target,
                                             const void* data) {
  gantry::abi::openmp::prepare_for_exit();
  gantry::abi::ompt::prepare();
  auto registration = std::make_unique<Registration>();
  registration->version = version;
  registration->table = static_cast<const HostTable*>(table);
  registration->target = target;
  registration->data = data;
  const Registration* const added = registration.get();
  {
    Registrations& known = registrations();
    const std::lock_guard lock(known.mutex);
    known.all.push_back(std::move(registration));
  }
  Runtime::instance().register_program(added, table, decode_program);
}

GANTRY_EXPORT void GOMP_offload_unregister_ver(unsigned /*version*/, const void* table, int target,
                                               const void* data) {
  const Module module = gantry::core::module_of(table);
  if (gantry::abi::openmp::images_stay(module)) {
    return;
  }
  if (target == kOpenmpTarget) {
    forget_openmp_target(table);
    return;
  }
  std::unique_ptr<Registration> removed;
  {
    Registrations& known = registrations();
    const std::lock_guard lock(known.mutex);
    const auto found = std::ranges::find_if(known.all, [&](const auto& registration) {
      return registration->table == table && registration->target == target &&
             registration->data == data;
    });
    if (found == known.all.end()) {
      return;
    }
    removed = std::move(*found);
    known.all.erase(found);
  }
  Runtime::instance().unregister_program(removed.get(), module.begin, module.end);
}

GANTRY_EXPORT void GOMP_offload_register(const void* table, int target, const void* data) {
  GOMP_offload_register_ver(0, table, target, data);
}

GANTRY_EXPORT void GOMP_offload_unregister(const void* table, int target, const void* data) {
  GOMP_offload_unregister_ver(0, table, target, data);
}
