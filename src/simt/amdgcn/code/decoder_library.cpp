#include "simt/amdgcn/code/decoder_library.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>

namespace gantry::simt::amdgcn {

namespace {

std::atomic<bool> is_closed = false;

// The decoder lies beside the library that this code is in, lib/simt-amd/libhsa-runtime64.so.1.
// Unit tests link this code and lie in a folder beside lib/.
tl::expected<DecoderFunctions, std::string> open_decoder() {
  Dl_info here = {};
  if (dladdr(reinterpret_cast<const void*>(&is_closed), &here) == 0 || here.dli_fname == nullptr) {
    return tl::unexpected(std::string("the executor does not know where it lies"));
  }
  const std::string path = here.dli_fname;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  void* library = nullptr;
  std::string error;
  for (const char* const beside : {"", "../lib/simt-amd/"}) {
    library = dlopen((folder + beside + DecoderFunctions::kLibrary).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) {
      break;
    }
    error += (error.empty() ? "" : "; ") + std::string(dlerror());
  }
  if (library == nullptr) {
    return tl::unexpected("the decoder cannot be loaded: " + error);
  }
  DecoderFunctions functions;
  functions.make =
      reinterpret_cast<decltype(functions.make)>(dlsym(library, DecoderFunctions::kMakeName));
  functions.decode =
      reinterpret_cast<decltype(functions.decode)>(dlsym(library, DecoderFunctions::kDecodeName));
  functions.print =
      reinterpret_cast<decltype(functions.print)>(dlsym(library, DecoderFunctions::kPrintName));
  if (functions.make == nullptr || functions.decode == nullptr || functions.print == nullptr) {
    return tl::unexpected(std::string(DecoderFunctions::kLibrary) + " is of another version");
  }
  // Behind LLVM's own handlers, and so run before them.
  (void)std::atexit([] { is_closed.store(true); });
  return functions;
}

} // namespace

const tl::expected<DecoderFunctions, std::string>& decoder_functions() {
  static const auto* const functions =
      new tl::expected<DecoderFunctions, std::string>(open_decoder());
  return *functions;
}

bool decoder_may_be_called() {
  return !is_closed.load();
}

} // namespace gantry::simt::amdgcn
