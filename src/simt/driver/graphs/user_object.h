// User objects: objects of the program that live as long as it, or a graph, refers to them. One
// count is of the references of both.
#pragma once

#include "gantry/cuda_driver.h"

#include <cstdint>
#include <memory>

namespace gantry::simt::driver {

class UserObject : public std::enable_shared_from_this<UserObject> {
public:
  /// With its handle, and `count` references of the program's.
  [[nodiscard]] static std::shared_ptr<UserObject> create(void* data, CUhostFn destroy,
                                                          std::uint64_t count);
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;

  [[nodiscard]] CUuserObject handle() const { return handle_; }
  void retain(std::uint64_t count);
  /// False if there are not so many references. The last one ends the handle, and the object's
  /// function is due.
  [[nodiscard]] bool release(std::uint64_t count);

  /// Calls the functions that are due. Not where a lock is held: they are the program's.
  static void call_due();

private:
  UserObject(void* data, CUhostFn destroy, std::uint64_t count)
      : data_(data), destroy_(destroy), count_(count) {}

  void* const data_;
  const CUhostFn destroy_;
  std::uint64_t count_;           ///< under the mutex of all
  CUuserObject handle_ = nullptr; ///< set before anybody else knows the object
};

} // namespace gantry::simt::driver
