// A queue: a stream, and the memory that what is put into it uses.
#pragma once

#include "plugins/cuda/launch.h"
#include "plugins/cuda/launch_data.h"
#include "plugins/cuda/times.h"

struct gantry_queue {
  gantry::cuda::Device& device;
  CUstream stream = nullptr;
  gantry::cuda::LaunchMemory memory = {};
  gantry::cuda::LaunchData data{device};
  gantry::cuda::StreamCopies copies{stream};
  gantry::gpu::Staging staging{device.pinned, copies};
  gantry::cuda::QueueTimes times = {};
};
