// Symbols of executables.
#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/answer.h"
#include "simt/amdgcn/hsa/executables.h"
#include "simt/amdgcn/hsa/process.h"

#include <algorithm>
#include <bit>

using namespace gantry::simt::hsa; // NOLINT(google-build-using-namespace)

namespace {

hsa_status_t get_symbol(hsa_executable_t executable, const char* name, const hsa_agent_t* agent,
                        hsa_executable_symbol_t* symbol) {
  const auto found = Executables::instance().executables.find(executable.handle);
  if (found == nullptr) {
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  }
  if (name == nullptr || symbol == nullptr) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  const Agent* const of = agent == nullptr ? nullptr : Agents::instance().find(*agent);
  if (agent != nullptr && of == nullptr) {
    return HSA_STATUS_ERROR_INVALID_AGENT;
  }
  const auto named = found->find(name, of);
  if (named == nullptr) {
    return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  }
  symbol->handle = named->handle;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t variable_info(const ExecutableSymbol& symbol, int attribute, void* value) {
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS:
    return answer<std::uint64_t>(value, symbol.is_frozen->load() ? symbol.address : 0);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
    return answer(value, HSA_VARIABLE_ALLOCATION_AGENT);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT:
    return answer(value,
                  symbol.is_constant ? HSA_VARIABLE_SEGMENT_READONLY : HSA_VARIABLE_SEGMENT_GLOBAL);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT:
    return answer<std::uint32_t>(value, static_cast<std::uint32_t>(1)
                                            << std::min(std::countr_zero(symbol.address), 31));
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
    return answer<std::uint32_t>(value, static_cast<std::uint32_t>(symbol.size));
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST:
    return answer(value, symbol.is_constant);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t kernel_info(const ExecutableSymbol& symbol, int attribute, void* value) {
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
    return answer<std::uint64_t>(value, symbol.is_frozen->load() ? symbol.address : 0);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
    return answer(value, symbol.kernarg_bytes);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
    return answer(value, symbol.kernarg_alignment);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
    return answer(value, symbol.group_bytes);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
    return answer(value, symbol.private_bytes);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
    return answer(value, symbol.uses_dynamic_stack);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION:
    return answer<std::uint32_t>(value, 0);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t symbol_info(const ExecutableSymbol& symbol, int attribute, void* value) {
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
    return answer(value, symbol.is_kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE);
  case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
    return answer<std::uint32_t>(value, static_cast<std::uint32_t>(symbol.name.size()));
  case HSA_EXECUTABLE_SYMBOL_INFO_NAME: // without a NUL
    std::ranges::copy(symbol.name, static_cast<char*>(value));
    return HSA_STATUS_SUCCESS;
  case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH:
    return answer<std::uint32_t>(value, 0);
  case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME:
    return HSA_STATUS_SUCCESS;
  case HSA_EXECUTABLE_SYMBOL_INFO_AGENT:
    return answer(value, symbol.agent->handle);
  case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE:
    return answer(value, symbol.is_global ? HSA_SYMBOL_LINKAGE_PROGRAM : HSA_SYMBOL_LINKAGE_MODULE);
  case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION:
    return answer(value, true);
  default:
    return symbol.is_kernel ? kernel_info(symbol, attribute, value)
                            : variable_info(symbol, attribute, value);
  }
}

} // namespace

extern "C" {

hsa_status_t HSA_API hsa_executable_get_symbol_by_name(hsa_executable_t executable,
                                                       const char* symbol_name,
                                                       const hsa_agent_t* agent,
                                                       hsa_executable_symbol_t* symbol) {
  return call([&] { return get_symbol(executable, symbol_name, agent, symbol); });
}

hsa_status_t HSA_API hsa_executable_get_symbol(hsa_executable_t executable, const char* module_name,
                                               const char* symbol_name, hsa_agent_t agent,
                                               int32_t /*call_convention*/,
                                               hsa_executable_symbol_t* symbol) {
  return call([&] {
    // No symbol here has the linkage of a module.
    return module_name != nullptr && *module_name != '\0'
               ? HSA_STATUS_ERROR_INVALID_SYMBOL_NAME
               : get_symbol(executable, symbol_name, &agent, symbol);
  });
}

hsa_status_t HSA_API hsa_executable_symbol_get_info(hsa_executable_symbol_t executable_symbol,
                                                    hsa_executable_symbol_info_t attribute,
                                                    void* value) {
  return call([&] {
    const auto symbol = Executables::instance().symbols.find(executable_symbol.handle);
    if (symbol == nullptr) {
      return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
    }
    return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                            : symbol_info(*symbol, static_cast<int>(attribute), value);
  });
}

hsa_status_t HSA_API hsa_executable_iterate_symbols(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t exec, hsa_executable_symbol_t symbol, void* data),
    void* data) {
  return call([&] {
    const auto found = Executables::instance().executables.find(executable.handle);
    if (found == nullptr) {
      return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    }
    if (callback == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    for (const auto& symbol : found->symbols()) {
      const hsa_status_t status = callback(executable, {symbol->handle}, data);
      if (status != HSA_STATUS_SUCCESS) {
        return status;
      }
    }
    return HSA_STATUS_SUCCESS;
  });
}

} // extern "C"
