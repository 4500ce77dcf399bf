#include "driver_test.h"

const char* const kKernels = R"(
.version 7.0
.target sm_70
.address_size 64

.visible .global .align 4 .u32 words[16] = {1, 2, 3};
.visible .global .align 8 .u64 pointer = generic(words);
.visible .const .align 4 .f32 constant[4];

.visible .entry empty()
{
  ret;
}

.visible .entry fill(.param .u64 out, .param .u32 value, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [value];
  ld.param.u32 %r2, [n];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r3, %r3, %r4, %r5;
  setp.ge.u32 %p, %r3, %r2;
  @%p bra DONE;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
DONE:
  ret;
}

.visible .entry add(.param .u64 out, .param .u32 value, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<7>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [value];
  ld.param.u32 %r2, [n];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r3, %r3, %r4, %r5;
  setp.ge.u32 %p, %r3, %r2;
  @%p bra DONE;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r6, [%rd3];
  add.u32 %r6, %r6, %r1;
  st.global.u32 [%rd3], %r6;
DONE:
  ret;
}

.visible .entry count(.param .u64 out)
{
  .reg .b32 %r;
  .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  atom.global.add.u32 %r, [%rd], 1;
  ret;
}

.visible .entry store(.param .u64 address)
{
  .reg .b64 %rd;
  ld.param.u64 %rd, [address];
  st.global.u32 [%rd], 7;
  ret;
}

.visible .entry trap()
{
  trap;
}

.visible .entry mixed(.param .u8 small, .param .u64 out, .param .align 4 .b8 bytes[12],
                      .param .u16 last)
{
  .reg .b16 %rs<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  ld.param.u8 %rs0, [small];
  cvt.u32.u16 %r0, %rs0;
  st.global.u32 [%rd], %r0;
  ld.param.u32 %r1, [bytes+8];
  st.global.u32 [%rd+4], %r1;
  ld.param.u16 %rs1, [last];
  cvt.u32.u16 %r2, %rs1;
  st.global.u32 [%rd+8], %r2;
  ret;
}

.visible .entry few()
.maxntid 64, 1, 1
{
  ret;
}

.visible .entry exact()
.reqntid 32, 1, 1
{
  ret;
}

.visible .entry shared(.param .u64 out)
{
  .shared .align 4 .b8 buffer[1024];
  .reg .b32 %r<2>;
  .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  mov.u32 %r1, 5;
  st.shared.u32 [buffer], %r1;
  ld.shared.u32 %r0, [buffer];
  st.global.u32 [%rd], %r0;
  ret;
}
)";

void DriverTest::SetUp() {
  ASSERT_OK(cuda().cuInit(0));
  ASSERT_OK(cuda().cuDeviceGet(&device_, 0));
  ASSERT_OK(cuda().cuCtxCreate_v2(&context_, 0, device_));
  ASSERT_OK(cuda().cuModuleLoadData(&module_, kKernels));
}

void DriverTest::TearDown() {
  if (context_ != nullptr) {
    EXPECT_OK(cuda().cuCtxDestroy_v2(context_));
  }
}

CUfunction DriverTest::function(const char* name) {
  CUfunction result = nullptr;
  EXPECT_OK(cuda().cuModuleGetFunction(&result, module_, name)) << name;
  return result;
}

CUdeviceptr DriverTest::allocate(std::size_t bytes) {
  CUdeviceptr address = 0;
  EXPECT_OK(cuda().cuMemAlloc_v2(&address, bytes));
  EXPECT_OK(cuda().cuMemsetD8_v2(address, 0, bytes));
  return address;
}

std::vector<std::uint32_t> DriverTest::words(CUdeviceptr address, std::size_t count) {
  std::vector<std::uint32_t> result(count);
  EXPECT_OK(cuda().cuMemcpyDtoH_v2(result.data(), address, count * sizeof(std::uint32_t)));
  return result;
}

CUresult DriverTest::launch_fill(CUdeviceptr out, std::uint32_t value, std::uint32_t count,
                                 CUstream stream, const char* kernel) {
  void* parameters[] = {&out, &value, &count};
  return cuda().cuLaunchKernel(function(kernel), (count + 63) / 64, 1, 1, 64, 1, 1, 0, stream,
                               parameters, nullptr);
}
