// A host thread's place for work-groups, in which it runs one after the other.
#pragma once

#include "simt/amdgcn/checks/group_checks.h"
#include "simt/amdgcn/exec/launch.h"
#include "simt/amdgcn/exec/wave.h"

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace gantry::simt::amdgcn {

class GroupRun {
public:
  /// For any launch; memory grows as launches need it. Of one thread at a time.
  GroupRun();
  ~GroupRun();
  GroupRun(const GroupRun&) = delete;
  GroupRun& operator=(const GroupRun&) = delete;

  /// Gets ready for groups of the launch, with checks if there are any; false if there is no
  /// memory.
  [[nodiscard]] bool begin(const Launch& launch, const DispatchChecks* checks);
  /// Runs one work-group to its end, or until `stop`. Nothing if all went well.
  [[nodiscard]] std::optional<Fault> run(const Launch& launch, std::uint64_t number,
                                         const std::atomic<bool>& stop);

private:
  void set_up(const Launch& launch, std::uint64_t number);
  void set_registers(const Launch& launch, Wave& wave);

  Place place_;
  GroupChecks checks_;
  const DispatchChecks* dispatch_checks_ = nullptr;
  std::uint64_t shared_ = 0;  ///< LDS, in device memory
  std::uint64_t private_ = 0; ///< of all waves
  std::uint64_t private_bytes_ = 0;
  std::unique_ptr<Wave[]> waves_;
  unsigned wave_count_ = 0; ///< that there is room for
  // Numbers of waves, while a work-group runs: those that can, and those at the barrier.
  std::vector<unsigned> ready_, waiting_;
};

} // namespace gantry::simt::amdgcn
