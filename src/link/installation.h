// Where Gantry's own files are: relative to this program, in the build tree and after installation.
#pragma once

#include "base/foreign_cpu.h"
#include "base/result.h"

#include <array>
#include <filesystem>
#include <string>

namespace gantry::link {

/// An error if the system does not say where this program is. The functions below need it to
/// succeed.
[[nodiscard]] Status check_installation();

/// The folder that holds bin/, lib/ and libexec/.
[[nodiscard]] const std::filesystem::path& installation_root();

/// Where programs find libgantry.so and libomp.so when they run.
[[nodiscard]] std::array<std::string, 2> runtime_folders();

/// The host's libomp, which Clang's code for the CPU calls; missing where none was installed.
[[nodiscard]] std::filesystem::path openmp_library();

/// The archive that every image of a CPU target holds: the OpenMP routines whose answer differs
/// inside a device.
[[nodiscard]] std::filesystem::path cpu_device_library();

/// The same for a CPU that is not the host's; missing where Gantry was built without its packages.
[[nodiscard]] std::filesystem::path foreign_device_library(const ForeignCpu& cpu);

/// Where a user may put libraries for a foreign CPU that its images and its worker are to find.
[[nodiscard]] std::filesystem::path foreign_folder(const ForeignCpu& cpu);

/// The bitcode that every image for a GPU of NVIDIA's is linked with.
[[nodiscard]] std::filesystem::path nvptx_device_library();

/// The bitcode of the mathematical functions that Clang calls in such an image.
[[nodiscard]] std::filesystem::path nvptx_mathematics_library();

/// The same two for GPUs of AMD's.
[[nodiscard]] std::filesystem::path amdgcn_device_library();
[[nodiscard]] std::filesystem::path amdgcn_mathematics_library();

/// The passes over device code that LLVM's optimiser loads: calls by pointer.
[[nodiscard]] std::filesystem::path pass_plugin();

/// The linker for CPU device code that was found when Gantry was configured; empty if it has been
/// removed, and the host's linker has to serve.
[[nodiscard]] std::filesystem::path preferred_device_linker();

} // namespace gantry::link
