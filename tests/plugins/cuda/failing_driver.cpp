// A driver's library for tests, that of the PTX executor but for what FAILING_DRIVER says:
// "cuModuleLoadDataEx=222", a call and what it returns. It is called libcuda.so.1, so that the
// plugin `cuda` opens it where LD_LIBRARY_PATH leads there.
#include "plugins/cuda/driver.h"

#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

namespace {

int failure = 0;

int fail() {
  return failure;
}

} // namespace

// Whatever the parameters of a call are, it goes on with them where the table says.
#define TARGET(name)                                                                               \
  extern "C" __attribute__((visibility("hidden"))) void* target_of_##name = nullptr;
GANTRY_PLUGIN_ENTRIES(TARGET)
#define JUMP(name)                                                                                 \
  asm(".text\n"                                                                                    \
      ".globl " #name "\n"                                                                         \
      ".type " #name ", @function\n" #name ": jmp *target_of_" #name "(%rip)\n");
GANTRY_PLUGIN_ENTRIES(JUMP)

namespace {

__attribute__((constructor)) void open_executor() {
  void* const executor = dlopen(EXECUTOR, RTLD_NOW | RTLD_LOCAL);
  const char* const wanted = std::getenv("FAILING_DRIVER");
  const char* const value = wanted == nullptr ? nullptr : std::strchr(wanted, '=');
  const auto target = [&](const char* name) {
    const bool fails = value != nullptr && std::strlen(name) == std::size_t(value - wanted) &&
                       std::strncmp(name, wanted, std::strlen(name)) == 0;
    return fails ? reinterpret_cast<void*>(&fail) : dlsym(executor, name);
  };
  failure = value == nullptr ? 0 : static_cast<int>(std::strtol(value + 1, nullptr, 10));
#define LOOK_UP(name) target_of_##name = target(#name);
  GANTRY_PLUGIN_ENTRIES(LOOK_UP)
}

} // namespace
