// A thin layer over the CUDA driver API of whatever libcuda.so.1 is at hand, ours or NVIDIA's, for
// the tests. A call that fails throws CudaError.
#pragma once

#include "gantry/cuda_driver.h"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace gantry::simt::testing {

class CudaError : public std::runtime_error {
public:
  CudaError(const std::string& what, CUresult result) : std::runtime_error(what), code(result) {}
  CUresult code;
};

/// The library and its first device, with the device's primary context current in the thread that
/// makes it. Not movable: the other classes refer to it.
class Driver {
public:
  /// Entry points by their names; null where the library has none.
  struct Entries {
#define GANTRY_CUDA_POINTER(result, name, parameters) decltype(&::name) name = nullptr;
    GANTRY_CUDA_ENTRIES(GANTRY_CUDA_POINTER)
#undef GANTRY_CUDA_POINTER
  };

  /// Loads the library at `path`; empty: GANTRY_SIMT_LIBCUDA, or else libcuda.so.1 by the default
  /// search. Throws if there is none, no device, or an error.
  explicit Driver(const std::string& path = {});
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  [[nodiscard]] const Entries& entries() const { return entries_; }
  void check(CUresult result, const char* call) const;
  void synchronize() const;
  [[nodiscard]] std::string device_name() const;
  [[nodiscard]] int attribute(CUdevice_attribute attribute) const;

private:
  Entries entries_;
  CUdevice device_ = 0;
};

/// Calls an entry point of a Driver and checks what it returns.
#define GANTRY_CUDA_CALL(driver, name, ...)                                                        \
  (driver).check((driver).entries().name(__VA_ARGS__), #name)

/// Device memory for `count` elements.
template <typename T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  DeviceBuffer(Driver& driver, std::size_t count) : driver_(driver), count_(count) {
    GANTRY_CUDA_CALL(driver_, cuMemAlloc_v2, &address_, count * sizeof(T));
  }
  DeviceBuffer(Driver& driver, const std::vector<T>& values) : DeviceBuffer(driver, values.size()) {
    upload(values);
  }
  ~DeviceBuffer() { driver_.entries().cuMemFree_v2(address_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  void upload(const std::vector<T>& values) {
    GANTRY_CUDA_CALL(driver_, cuMemcpyHtoD_v2, address_, values.data(), values.size() * sizeof(T));
  }
  [[nodiscard]] std::vector<T> download() const {
    std::vector<T> values(count_);
    GANTRY_CUDA_CALL(driver_, cuMemcpyDtoH_v2, values.data(), address_, count_ * sizeof(T));
    return values;
  }
  [[nodiscard]] CUdeviceptr address() const { return address_; }

private:
  Driver& driver_;
  std::size_t count_;
  CUdeviceptr address_ = 0;
};

struct Dimensions {
  unsigned x = 1, y = 1, z = 1;
};

struct Shape {
  Dimensions grid;
  Dimensions block;
  unsigned dynamic_shared = 0;    ///< bytes
  bool cooperative = false;       ///< blocks may wait for all others
  Dimensions cluster = {0, 0, 0}; ///< x = 0: the launch does not say
};

/// A kernel of a Module, which must outlive it.
class Kernel {
public:
  Kernel(Driver& driver, CUfunction function) : driver_(driver), function_(function) {}

  /// Launches and waits for the end. Arguments are passed as their own types: buffers as addresses.
  template <typename... Arguments>
  void launch(const Shape& shape, const Arguments&... arguments) {
    auto values = std::make_tuple(argument_of(arguments)...);
    std::apply(
        [&](auto&... value) {
          std::array<void*, sizeof...(value) + 1> pointers = {static_cast<void*>(&value)...,
                                                              nullptr};
          launch_with(shape, pointers.data());
        },
        values);
  }

  [[nodiscard]] CUfunction function() const { return function_; }

private:
  template <typename T>
  static CUdeviceptr argument_of(const DeviceBuffer<T>& buffer) {
    return buffer.address();
  }
  template <typename T>
  static T argument_of(const T& value) {
    return value;
  }
  void launch_with(const Shape& shape, void** arguments);

  Driver& driver_;
  CUfunction function_;
};

/// PTX that is loaded; the error of one that is refused has the log's text.
class Module {
public:
  Module(Driver& driver, const std::string& ptx);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  [[nodiscard]] Kernel kernel(const char* name);
  /// Reads or writes a variable of the module, of which the type must have the size.
  template <typename T>
  [[nodiscard]] T read(const char* variable) {
    T value;
    GANTRY_CUDA_CALL(driver_, cuMemcpyDtoH_v2, &value, find(variable, sizeof(T)), sizeof(T));
    return value;
  }
  template <typename T>
  void write(const char* variable, const T& value) {
    GANTRY_CUDA_CALL(driver_, cuMemcpyHtoD_v2, find(variable, sizeof(T)), &value, sizeof(T));
  }
  /// The address of a variable that must have `size` bytes.
  [[nodiscard]] CUdeviceptr find(const char* variable, std::size_t size);

private:
  Driver& driver_;
  CUmodule module_ = nullptr;
};

} // namespace gantry::simt::testing
