// A queue: a stream, and the memory that what is put into it uses.
#pragma once

#include "plugins/hsa/gcc.h"
#include "plugins/hsa/launch.h"
#include "plugins/hsa/launch_data.h"
#include "plugins/hsa/stream.h"
#include "plugins/hsa/times.h"

#include <array>

namespace gantry::hsa {

/// Copies of buffers in one stream.
class StreamCopies final : public gpu::StagedCopies {
public:
  StreamCopies(Device& device, Stream& stream) : device_(device), stream_(stream) {}

  std::int32_t copy_in(unsigned buffer, void* to, const std::byte* memory,
                       std::size_t size) override;
  std::int32_t copy_out(unsigned buffer, std::byte* memory, const void* from,
                        std::size_t size) override;
  std::int32_t wait_for(unsigned buffer) override { return stream_.wait(done_[buffer]); }

private:
  Device& device_;
  Stream& stream_;
  std::array<Stream::Ticket, kBuffers> done_ = {}; ///< with what each buffer was used for last
};

} // namespace gantry::hsa

struct gantry_queue {
  explicit gantry_queue(gantry::hsa::Device& of) : device(of) {}

  gantry::hsa::Device& device;
  gantry::hsa::Stream stream{device};
  gantry::hsa::LaunchMemory memory{device};
  gantry::hsa::GccLaunches gcc{device};
  gantry::hsa::LaunchData data{device};
  gantry::hsa::StreamCopies copies{device, stream};
  gantry::gpu::Staging staging{device.pinned, copies};
  gantry::hsa::QueueTimes times;
};
