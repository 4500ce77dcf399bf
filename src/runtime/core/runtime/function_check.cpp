#include "runtime/core/runtime/function_check.h"

#include "runtime/core/reports/text.h"
#include "runtime/core/host/module_path.h"
#include "runtime/core/runtime/runtime.h"
#include "runtime/core/host/symbols.h"

#include <sys/mman.h>
#include <unistd.h>

namespace gantry::core {

namespace {

/// The image as a file that another process can read, or an empty name.
std::string file_of_image(const gantry_unknown_function& unknown) {
  const int descriptor = unknown.image == nullptr ? -1 : memfd_create("gantry-image", 0);
  if (descriptor < 0 || write(descriptor, unknown.image, unknown.image_size) !=
                            static_cast<ssize_t>(unknown.image_size)) {
    return {};
  }
  return fmt::format("/proc/self/fd/{}", descriptor);
}

} // namespace

void check_function(std::int32_t device, const gantry_unknown_function* unknown) {
  Runtime& runtime = Runtime::instance();
  const Module module = module_of(unknown->pointer);
  if (!runtime.has_program_in(module)) {
    return;
  }
  // The process ends here: descriptors may stay open.
  const ModuleAddress addresses[] = {
      {module.path, address(unknown->pointer) - module.begin},
      // The call is behind the translation; the position of what comes before the next instruction
      // is that of the translation.
      {file_of_image(*unknown), unknown->call - 1},
  };
  const std::vector<Symbol> symbols = symbolize(addresses);
  const std::string name =
      symbols[0].name.empty()
          ? fmt::format("{:#x} in '{}'", addresses[0].address, addresses[0].file)
          : fmt::format("'{}'", symbols[0].name);
  const std::size_t colon = symbols[1].position.rfind(':');
  const std::string psource = colon == std::string::npos
                                  ? std::string()
                                  : fmt::format(";{};;{};0;;", symbols[1].position.substr(0, colon),
                                                symbols[1].position.substr(colon + 1));
  const Device* on = runtime.device(device);
  fatal(Error{fmt::format("{}{} is the host's, and the device has no version of it; declare it "
                          "target with the indirect clause",
                          on == nullptr ? "" : on->label() + ": ", name)},
        Construct{"call by pointer", psource.empty() ? nullptr : psource.c_str()});
}

} // namespace gantry::core
