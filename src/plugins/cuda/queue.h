// A queue: a stream, and the memory that what is put into it uses.
#pragma once

#include "plugins/cuda/launch.h"
#include "plugins/cuda/launch_data.h"
#include "plugins/cuda/staging.h"
#include "plugins/cuda/times.h"

struct gantry_queue {
  gantry::cuda::Device& device;
  CUstream stream = nullptr;
  gantry::cuda::LaunchMemory memory = {};
  gantry::cuda::LaunchData data{device};
  gantry::cuda::Staging staging{device.pinned};
  gantry::cuda::QueueTimes times = {};
};
