// What clients that nobody here wrote do with the driver, as far as their sources and documents
// tell: a compiler of array programs that makes PTX by itself, and frameworks that capture streams.
#include "graph_test.h"

#include <array>
#include <cstring>

namespace {

/// Kernels in the manner of a generator that has one statement for each value, local arrays, and
/// their first elements for their addresses:
///   window(u64 out, u64 in, u32 n)  out[i] = in[i] + in[i - 1] + in[i - 2] + in[i - 3], of which
///                                   those that do not exist are 0
///   scale(u64 out, u64 in, u32 f)   out[i] = in[i] * table[i % 4] * f
constexpr const char* kGenerated = R"(.version 7.5
.target sm_80
.address_size 64
.const .align 4 .u32 table[4] = {1, 2, 3, 4};
.visible .entry window(.param .u64 data0, .param .u64 data1, .param .u32 n)
{
.reg .pred %p<2>;
.reg .u32 %r<8>;
.reg .u64 %rd<8>;
.local .align 16 .b8 acc0[16];
.shared .align 16 .b8 temp0[256];
ld.param.u64 %rd0, [data0+0];
ld.param.u64 %rd1, [data1+0];
ld.param.u32 %r0, [n+0];
mov.u64 %rd2, acc0[0];
mov.u64 %rd3, temp0[0];
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
mad.lo.u32 %r1, %r1, 64, %r2;
mul.wide.u32 %rd4, %r2, 4;
add.u64 %rd3, %rd3, %rd4;
st.shared.u32 [%rd3+0], %r1;
bar.sync 0;
mov.u32 %r3, 0;
LOOP_0:
sub.u32 %r4, %r1, %r3;
setp.lt.u32 %p0, %r4, %r0;
mov.u32 %r5, 0;
mul.wide.u32 %rd4, %r4, 4;
add.u64 %rd4, %rd1, %rd4;
@%p0 ld.global.u32 %r5, [%rd4+0];
mul.wide.u32 %rd5, %r3, 4;
add.u64 %rd5, %rd2, %rd5;
st.local.u32 [%rd5+0], %r5;
add.u32 %r3, %r3, 1;
setp.ne.u32 %p1, %r3, 4;
@%p1 bra LOOP_0;
ld.local.u32 %r5, [acc0];
ld.local.u32 %r6, [acc0+4];
add.u32 %r5, %r5, %r6;
ld.local.u32 %r6, [acc0+8];
add.u32 %r5, %r5, %r6;
ld.local.u32 %r6, [acc0+12];
add.u32 %r5, %r5, %r6;
ld.shared.u32 %r7, [%rd3+0];
mul.wide.u32 %rd6, %r7, 4;
add.u64 %rd6, %rd0, %rd6;
st.global.u32 [%rd6+0], %r5;
ret;
}
.visible .entry scale(.param .u64 data0, .param .u64 data1, .param .u32 factor)
{
.reg .u32 %r<8>;
.reg .u64 %rd<8>;
ld.param.u64 %rd0, [data0+0];
ld.param.u64 %rd1, [data1+0];
ld.param.u32 %r0, [factor+0];
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
mad.lo.u32 %r1, %r1, 64, %r2;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd3, %rd1, %rd2;
ld.global.u32 %r3, [%rd3];
and.b32 %r4, %r1, 3;
mul.wide.u32 %rd4, %r4, 4;
mov.u64 %rd5, table[0];
add.u64 %rd5, %rd5, %rd4;
ld.const.u32 %r5, [%rd5];
mul.lo.u32 %r3, %r3, %r5;
mul.lo.u32 %r3, %r3, %r0;
add.u64 %rd3, %rd0, %rd2;
st.global.u32 [%rd3], %r3;
ret;
}
)";

/// A graph of two kernels and two copies whose parameters change before each launch: memory of the
/// kernels is given as the words of one structure, by `extra`.
TEST_F(GraphTest, AGeneratorOfArrayProgramsReplaysItsKernels) {
  constexpr unsigned kCount = 256;
  constexpr unsigned kBytes = kCount * sizeof(std::uint32_t);
  CUmodule program = nullptr;
  char log[1024] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof(log))};
  ASSERT_OK(cuda().cuModuleLoadDataEx(&program, kGenerated, 2, options, values)) << log;
  CUfunction window = nullptr;
  CUfunction scale = nullptr;
  ASSERT_OK(cuda().cuModuleGetFunction(&window, program, "window"));
  ASSERT_OK(cuda().cuModuleGetFunction(&scale, program, "scale"));
  const CUdeviceptr in = allocate(kBytes);
  const CUdeviceptr middle = allocate(kBytes);
  const CUdeviceptr out = allocate(kBytes);
  std::vector<std::uint32_t> host(kCount);
  std::vector<std::uint32_t> result(kCount);

  struct Arguments {
    CUdeviceptr to, from;
    std::uint32_t number;
  };
  struct Launch {
    Arguments arguments;
    std::size_t size = 20; // without what pads the structure
    std::array<void*, 5> extra = {};
    CUDA_KERNEL_NODE_PARAMS_v1 parameters = {};
  };
  std::array<Launch, 2> launches;
  const auto set_up = [&](Launch& launch, CUfunction function, Arguments arguments) {
    launch.arguments = arguments;
    launch.extra = {CU_LAUNCH_PARAM_BUFFER_POINTER, &launch.arguments, CU_LAUNCH_PARAM_BUFFER_SIZE,
                    &launch.size, CU_LAUNCH_PARAM_END};
    launch.parameters = {function, kCount / 64, 1, 1, 64, 1, 1, 0, nullptr, launch.extra.data()};
  };
  set_up(launches[0], window, {middle, in, kCount});
  set_up(launches[1], scale, {out, middle, 1});
  const auto copy_of = [&](CUdeviceptr to, CUdeviceptr from) { return copy(to, from, kBytes); };

  const CUgraph g = graph();
  std::array<CUgraphNode, 4> nodes = {};
  CUDA_MEMCPY3D up = copy_of(in, reinterpret_cast<CUdeviceptr>(host.data()));
  ASSERT_OK(cuda().cuGraphAddMemcpyNode(&nodes[0], g, nullptr, 0, &up, context_));
  for (unsigned i = 0; i < 2; ++i) {
    ASSERT_OK(cuda().cuGraphAddKernelNode(&nodes[i + 1], g, &nodes[i], 1, &launches[i].parameters));
  }
  CUDA_MEMCPY3D down = copy_of(reinterpret_cast<CUdeviceptr>(result.data()), out);
  ASSERT_OK(cuda().cuGraphAddMemcpyNode(&nodes[3], g, &nodes[2], 1, &down, context_));
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuda().cuGraphInstantiate_v2(&exec, g, nullptr, nullptr, 0));

  for (unsigned round = 0; round < kManyLaunches; ++round) {
    for (unsigned i = 0; i < kCount; ++i) {
      host[i] = i * 3 + round;
    }
    launches[1].arguments.number = round % 7;
    if (round % 2 == 1) { // and into other memory
      launches[1].arguments.to = middle;
      launches[1].arguments.from = middle;
      down = copy_of(reinterpret_cast<CUdeviceptr>(result.data()), middle);
    } else {
      launches[1].arguments.to = out;
      down = copy_of(reinterpret_cast<CUdeviceptr>(result.data()), out);
    }
    ASSERT_OK(cuda().cuGraphExecKernelNodeSetParams(exec, nodes[2], &launches[1].parameters));
    ASSERT_OK(cuda().cuGraphExecMemcpyNodeSetParams(exec, nodes[3], &down, context_));
    ASSERT_OK(cuda().cuGraphLaunch(exec, nullptr));
    ASSERT_OK(cuda().cuCtxSynchronize());
    for (unsigned i = 0; i < kCount; ++i) {
      std::uint32_t sum = 0;
      for (unsigned k = 0; k < 4 && k <= i; ++k) {
        sum += host[i - k];
      }
      ASSERT_EQ(result[i], sum * (i % 4 + 1) * (round % 7)) << round << " " << i;
    }
  }
  EXPECT_OK(cuda().cuGraphExecDestroy(exec));
}

/// A step of a network is captured, its branches in streams of their own, made executable once and
/// launched a thousand times; it is captured anew and updated where its constants change.
TEST_F(GraphTest, AFrameworkCapturesItsSteps) {
  const CUstream main = stream();
  const std::array<CUstream, 3> branches = {stream(), stream(), stream()};
  std::array<CUdeviceptr, 4> memory = {};
  for (CUdeviceptr& address : memory) {
    address = allocate(1024);
  }
  const CUdeviceptr total = allocate(1024);
  CUevent fork = event();
  std::array<CUevent, 3> joins = {event(), event(), event()};
  // total += 1; three branches that add to memory of their own; then a copy of the last.
  const auto capture_step = [&](std::uint32_t constant) {
    EXPECT_OK(cuda().cuStreamBeginCapture_v2(main, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    EXPECT_OK(launch_fill(total, 1, 256, main, "add"));
    EXPECT_OK(cuda().cuEventRecord(fork, main));
    for (std::size_t i = 0; i < branches.size(); ++i) {
      EXPECT_OK(cuda().cuStreamWaitEvent(branches[i], fork, 0));
      EXPECT_OK(launch_fill(memory[i], constant, 256, branches[i], "add"));
      EXPECT_OK(launch_fill(memory[i], static_cast<std::uint32_t>(i), 256, branches[i], "add"));
      EXPECT_OK(cuda().cuEventRecord(joins[i], branches[i]));
    }
    for (const CUevent join : joins) {
      EXPECT_OK(cuda().cuStreamWaitEvent(main, join, 0));
    }
    EXPECT_OK(cuda().cuMemcpyDtoDAsync_v2(memory[3], memory[2], 1024, main));
    CUgraph captured = nullptr;
    EXPECT_OK(cuda().cuStreamEndCapture(main, &captured));
    return captured;
  };
  CUgraph step = capture_step(1);
  EXPECT_EQ(nodes_of(step).size(), 8U);
  const CUgraphExec exec = instantiate(step, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  EXPECT_OK(cuda().cuGraphDestroy(step));
  EXPECT_OK(cuda().cuGraphUpload(exec, main));
  constexpr unsigned kRounds = kManyLaunches;
  for (unsigned i = 0; i < kRounds; ++i) {
    ASSERT_OK(cuda().cuGraphLaunch(exec, main));
    if (i % 100 == 0) {
      ASSERT_OK(cuda().cuStreamSynchronize(main));
    }
  }
  EXPECT_OK(cuda().cuStreamSynchronize(main));
  EXPECT_EQ(words(total, 256), std::vector<std::uint32_t>(256, kRounds));
  EXPECT_EQ(words(memory[0], 256), std::vector<std::uint32_t>(256, kRounds));
  EXPECT_EQ(words(memory[3], 256), std::vector<std::uint32_t>(256, 3 * kRounds));
  step = capture_step(5);
  CUgraphExecUpdateResultInfo info = {};
  EXPECT_OK(cuda().cuGraphExecUpdate_v2(exec, step, &info));
  EXPECT_OK(cuda().cuGraphDestroy(step));
  EXPECT_OK(cuda().cuGraphLaunch(exec, main));
  EXPECT_OK(cuda().cuStreamSynchronize(main));
  EXPECT_EQ(words(memory[1], 256), std::vector<std::uint32_t>(256, 2 * kRounds + 6));
  EXPECT_OK(cuda().cuGraphExecDestroy(exec));
}

/// The attributes of launches that libraries of kernels give.
TEST_F(DriverTest, LaunchesHaveModernAttributes) {
  const CUdeviceptr a = allocate(256);
  std::uint32_t value = 0;
  std::uint32_t count = 64;
  void* parameters[] = {const_cast<CUdeviceptr*>(&a), &value, &count};
  const auto launch = [&](std::vector<CUlaunchAttribute> attributes) {
    ++value;
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 64;
    config.blockDimY = config.blockDimZ = 1;
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned>(attributes.size());
    const CUresult result = cuda().cuLaunchKernelEx(&config, function("fill"), parameters, nullptr);
    EXPECT_EQ(words(a, 1)[0] == value, result == CUDA_SUCCESS);
    return result;
  };
  const auto attribute = [](CUlaunchAttributeID id, auto set) {
    CUlaunchAttribute result = {};
    result.id = id;
    set(result.value);
    return result;
  };
  const CUlaunchAttribute serialised =
      attribute(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                [](auto& v) { v.programmaticStreamSerializationAllowed = 1; });
  const CUlaunchAttribute priority =
      attribute(CU_LAUNCH_ATTRIBUTE_PRIORITY, [](auto& v) { v.priority = -1; });
  const CUlaunchAttribute cooperative =
      attribute(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, [](auto& v) { v.cooperative = 1; });
  const CUlaunchAttribute single =
      attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, [](auto& v) { v.clusterDim = {1, 1, 1}; });
  const CUlaunchAttribute domain =
      attribute(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, [](auto& v) { v.pad[0] = 1; });
  EXPECT_OK(launch({}));
  for (const CUlaunchAttribute& each : {serialised, priority, cooperative, single, domain}) {
    EXPECT_OK(launch({each}));
  }
  EXPECT_OK(launch({serialised, priority, cooperative, single, domain}));
  EXPECT_EQ(launch({attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                              [](auto& v) { v.clusterDim = {2, 1, 1}; })}),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch({attribute(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
                              [](auto& v) { v.pad[0] = 1; })}),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(launch({attribute(static_cast<CUlaunchAttributeID>(99), [](auto&) {})}),
            CUDA_ERROR_INVALID_VALUE);
  CUevent done = nullptr;
  ASSERT_OK(cuda().cuEventCreate(&done, CU_EVENT_DISABLE_TIMING));
  EXPECT_OK(launch({attribute(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT,
                              [&](auto& v) { v.launchCompletionEvent = {done, 0}; })}));
  EXPECT_OK(cuda().cuEventSynchronize(done));
}

} // namespace
