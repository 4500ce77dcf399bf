#include "runtime/core/runtime/function_check.h"

#include "runtime/core/host/module_path.h"
#include "runtime/core/host/symbols.h"
#include "runtime/core/reports/text.h"
#include "runtime/core/runtime/runtime.h"

namespace gantry::core {

void check_function(std::int32_t device, const gantry_unknown_function* unknown) {
  Runtime& runtime = Runtime::instance();
  const Module module = module_of(unknown->pointer);
  if (!runtime.has_program_in(module)) {
    return;
  }
  const ModuleAddress function[] = {{module.path, address(unknown->pointer) - module.begin}};
  std::string name = symbolize(function).front().name;
  name = name.empty() ? fmt::format("{:#x} in '{}'", function->address, function->file)
                      : fmt::format("'{}'", name);
  // `call` is where the call returns to; the instruction before it has the call's position.
  const std::string where =
      symbolize_image({static_cast<const std::byte*>(unknown->image), unknown->image_size},
                      unknown->call - 1)
          .position;
  const Device* on = runtime.device(device);
  fatal(Error{fmt::format("{}{} is the host's, and the device has no version of it; declare it "
                          "target with the indirect clause",
                          on == nullptr ? "" : on->label() + ": ", name)},
        Construct{"call by pointer", where.empty() ? nullptr : where.c_str()});
}

} // namespace gantry::core
