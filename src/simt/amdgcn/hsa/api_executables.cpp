// Code objects and executables.
#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/executables.h"
#include "simt/amdgcn/hsa/process.h"

using gantry::Bytes;
using namespace gantry::simt::hsa; // NOLINT(google-build-using-namespace)

namespace {

std::shared_ptr<CodeObjectBytes> bytes_of(const void* begin, std::size_t size) {
  return std::make_shared<CodeObjectBytes>(
      CodeObjectBytes{Bytes(static_cast<const std::byte*>(begin), size)});
}

hsa_status_t create(hsa_profile_t profile, bool is_frozen, hsa_executable_t* executable) {
  if (executable == nullptr || (profile != HSA_PROFILE_BASE && profile != HSA_PROFILE_FULL)) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  auto made = std::make_shared<Executable>();
  if (is_frozen) {
    (void)made->freeze();
  }
  executable->handle = Executables::instance().executables.insert(std::move(made));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t load(hsa_executable_t executable, hsa_agent_t agent, const CodeObjectBytes* object,
                  hsa_status_t no_object) {
  const auto found = Executables::instance().executables.find(executable.handle);
  if (found == nullptr) {
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  }
  const Agent* const on = Agents::instance().find(agent);
  if (on == nullptr) {
    return HSA_STATUS_ERROR_INVALID_AGENT;
  }
  return object == nullptr ? no_object : found->load(*on, object->bytes);
}

} // namespace

extern "C" {

hsa_status_t HSA_API hsa_code_object_reader_create_from_memory(
    const void* code_object, size_t size, hsa_code_object_reader_t* code_object_reader) {
  return call([&] {
    if (code_object == nullptr || size == 0 || code_object_reader == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    code_object_reader->handle =
        Executables::instance().readers.insert(bytes_of(code_object, size));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_code_object_reader_destroy(hsa_code_object_reader_t code_object_reader) {
  return call([&] {
    return Executables::instance().readers.erase(code_object_reader.handle) == nullptr
               ? HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER
               : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_code_object_deserialize(void* serialized_code_object,
                                                 size_t serialized_code_object_size,
                                                 const char* /*options*/,
                                                 hsa_code_object_t* code_object) {
  return call([&] {
    if (serialized_code_object == nullptr || serialized_code_object_size == 0 ||
        code_object == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    code_object->handle = Executables::instance().code_objects.insert(
        bytes_of(serialized_code_object, serialized_code_object_size));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_code_object_destroy(hsa_code_object_t code_object) {
  return call([&] {
    return Executables::instance().code_objects.erase(code_object.handle) == nullptr
               ? HSA_STATUS_ERROR_INVALID_CODE_OBJECT
               : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_executable_create(hsa_profile_t profile,
                                           hsa_executable_state_t executable_state,
                                           const char* /*options*/, hsa_executable_t* executable) {
  return call([&] {
    return executable_state != HSA_EXECUTABLE_STATE_UNFROZEN &&
                   executable_state != HSA_EXECUTABLE_STATE_FROZEN
               ? HSA_STATUS_ERROR_INVALID_ARGUMENT
               : create(profile, executable_state == HSA_EXECUTABLE_STATE_FROZEN, executable);
  });
}

hsa_status_t HSA_API hsa_executable_create_alt(
    hsa_profile_t profile, hsa_default_float_rounding_mode_t default_float_rounding_mode,
    const char* /*options*/, hsa_executable_t* executable) {
  return call([&] {
    // Code says itself how it rounds, in its descriptors.
    return default_float_rounding_mode > HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR
               ? HSA_STATUS_ERROR_INVALID_ARGUMENT
               : create(profile, false, executable);
  });
}

hsa_status_t HSA_API hsa_executable_destroy(hsa_executable_t executable) {
  return call([&] {
    const auto ended = Executables::instance().executables.erase(executable.handle);
    if (ended == nullptr) {
      return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    }
    Executables::instance().withdraw(*ended);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_executable_load_agent_code_object(
    hsa_executable_t executable, hsa_agent_t agent, hsa_code_object_reader_t code_object_reader,
    const char* /*options*/, hsa_loaded_code_object_t* loaded_code_object) {
  return call([&] {
    const auto reader = Executables::instance().readers.find(code_object_reader.handle);
    const hsa_status_t status =
        load(executable, agent, reader.get(), HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
    if (status == HSA_STATUS_SUCCESS && loaded_code_object != nullptr) {
      loaded_code_object->handle = new_handle(); // nothing that is offered takes one
    }
    return status;
  });
}

hsa_status_t HSA_API hsa_executable_load_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                     hsa_code_object_t code_object,
                                                     const char* /*options*/) {
  return call([&] {
    const auto object = Executables::instance().code_objects.find(code_object.handle);
    return load(executable, agent, object.get(), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  });
}

hsa_status_t HSA_API hsa_executable_freeze(hsa_executable_t executable, const char* /*options*/) {
  return call([&] {
    const auto found = Executables::instance().executables.find(executable.handle);
    return found == nullptr ? HSA_STATUS_ERROR_INVALID_EXECUTABLE : found->freeze();
  });
}

hsa_status_t HSA_API hsa_executable_validate(hsa_executable_t executable, uint32_t* result) {
  return call([&] {
    if (Executables::instance().executables.find(executable.handle) == nullptr) {
      return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    }
    if (result == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    *result = 0; // what is not valid has not been loaded
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_executable_global_variable_define(hsa_executable_t executable,
                                                           const char* variable_name,
                                                           void* address) {
  return call([&] {
    const auto found = Executables::instance().executables.find(executable.handle);
    if (found == nullptr) {
      return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    }
    return variable_name == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                                    : found->define(variable_name, address);
  });
}

} // extern "C"
