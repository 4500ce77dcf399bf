// Registration: called by constructors and exit handlers of executables and shared libraries.
#include "runtime/abi/clang/layouts.h"
#include "runtime/abi/clang/names.h"
#include "runtime/abi/clang/program.h"
#include "runtime/abi/export.h"
#include "runtime/abi/ompt/connection.h"
#include "runtime/abi/openmp/process_end.h"
#include "runtime/core/host/module_path.h"
#include "runtime/core/runtime/runtime.h"

using namespace gantry::abi::clang;
using gantry::core::Module;
using gantry::core::Runtime;

namespace {

/// Programs without an image have messages too.
[[gnu::constructor]] void know_names() {
  gantry::core::know_compiler(kNames);
}

} // namespace

GANTRY_EXPORT void __tgt_register_lib(const Descriptor* descriptor) {
  gantry::abi::openmp::prepare_for_exit();
  gantry::abi::ompt::prepare();
  Runtime::instance().register_program(descriptor, descriptor, decode_program);
}

GANTRY_EXPORT void __tgt_unregister_lib(const Descriptor* descriptor) {
  const Module module = gantry::core::module_of(descriptor);
  if (!gantry::abi::openmp::images_stay(module)) {
    Runtime::instance().unregister_program(descriptor, module.begin, module.end);
  }
}

/// Clang 16 and older say here, before they register, what a translation unit requires; later ones
/// do with an entry.
GANTRY_EXPORT void __tgt_register_requires(std::int64_t flags) {
  if ((static_cast<std::uint64_t>(flags) & kUnifiedSharedMemory) != 0) {
    Runtime::instance().require_unified_shared_memory();
  }
}

GANTRY_EXPORT void __tgt_init_all_rtls() {
  Runtime::instance().open_all_devices({"__tgt_init_all_rtls"});
}

/// Stock programs of LLVM's count their users of the library here; this library needs no count.
GANTRY_EXPORT void __tgt_rtl_init() {}
GANTRY_EXPORT void __tgt_rtl_deinit() {}
