// Chooses the plugins for the running Clang's version. The configuration files make every Clang
// load this library, both as a Clang plugin and as a pass plugin; it loads those beside it that
// were built for that version.
//
// A Clang without such plugins compiles as before: its device code calls pointers untranslated.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <unistd.h>

extern "C" void LLVMGetVersion(unsigned* major, unsigned* minor, unsigned* patch)
    __attribute__((weak));

namespace {

unsigned llvm_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  if (LLVMGetVersion != nullptr) {
    LLVMGetVersion(&major, &minor, &patch);
  }
  return major;
}

void* load(const char* plugin) {
  Dl_info here;
  if (dladdr(reinterpret_cast<void*>(&load), &here) == 0) {
    return nullptr;
  }
  std::string path(here.dli_fname);
  path.erase(path.find_last_of('/') + 1);
  path += "libgantry-" + std::string(plugin) + "-" + std::to_string(llvm_version()) + ".so";
  if (access(path.c_str(), F_OK) != 0) {
    return nullptr;
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "gantry: warning: %s; functions cannot be called by pointer on devices\n",
                 dlerror());
  }
  return library;
}

/// The plugin's constructors register it with Clang.
void* const kClangPlugin = load("clang");

/// What a pass plugin returns. Up to LLVM 21 the last member is absent; LLVM 22 calls it if it is
/// set.
struct PassPlugin {
  unsigned api_version;
  const char* name;
  const char* version;
  void (*add_passes)(void* builder);
  void* before_code_generation;
};
constexpr unsigned kFirstWithCodeGeneration = 22;

} // namespace

/// Returns a structure whose size depends on LLVM's version. By the calling convention its address
/// is the first argument, and is returned.
extern "C" __attribute__((visibility("default"))) void* llvmGetPassPluginInfo(void* result) {
  void* passes = load("passes");
  void* entry = passes == nullptr ? nullptr : dlsym(passes, "llvmGetPassPluginInfo");
  if (entry != nullptr) {
    return reinterpret_cast<void* (*)(void*)>(entry)(result);
  }
  const bool current = llvm_version() >= kFirstWithCodeGeneration;
  const PassPlugin nothing{current ? 2u : 1u, "gantry", "", [](void*) {}, nullptr};
  std::memcpy(result, &nothing,
              current ? sizeof nothing : offsetof(PassPlugin, before_code_generation));
  return result;
}
