// One construct or routine of each kind, in one thread, with a line before each: what a tool writes
// comes between these, so that logs can be compared by what a step of the program led to.
#include <cstdio>

#include <omp.h>

constexpr int N = 100;

int scale = 3;
#pragma omp declare target to(scale)

static void step(const char* name) {
  std::printf("step %s\n", name);
  std::fflush(stdout);
}

int main() {
  int a[N];
  int b[N];
  int c[N];
  const int device = omp_get_default_device();
  const int host = omp_get_initial_device();
  for (int i = 0; i < N; ++i) {
    a[i] = 0;
    b[i] = i;
    c[i] = 2 * i;
  }

  step("empty target");
#pragma omp target
  {
  }

  step("target of two arrays");
#pragma omp target map(to : b) map(from : a)
  for (int i = 0; i < N; ++i) {
    a[i] = scale * b[i];
  }

  step("target teams with three arrays");
#pragma omp target teams distribute parallel for num_teams(2) map(to : b, c) map(tofrom : a)
  for (int i = 0; i < N; ++i) {
    a[i] += b[i] + c[i];
  }

  step("begin of target data");
#pragma omp target data map(to : b) map(alloc : c)
  {
    step("target of what is present");
#pragma omp target map(tofrom : a) map(to : b)
    a[1] = b[1];
    step("target always");
#pragma omp target map(always, tofrom : b) map(from : c)
    c[0] = b[0];
    step("target update to");
#pragma omp target update to(b[0 : 10])
    step("target update from");
#pragma omp target update from(c[10 : 20], b)
    step("end of target data");
  }

  step("target enter data");
#pragma omp target enter data map(to : a) map(alloc : b)
  step("target exit data");
#pragma omp target exit data map(from : a) map(delete : b)
  step("target update of what is absent");
#pragma omp target update to(a)

  step("target nowait");
#pragma omp target nowait map(tofrom : a)
  a[0] = 1;
#pragma omp taskwait
  step("target enter data nowait");
#pragma omp target enter data nowait map(to : a) depend(out : a)
#pragma omp taskwait
  step("target update nowait");
#pragma omp target update nowait to(a) depend(inout : a)
#pragma omp taskwait
  step("target exit data nowait");
#pragma omp target exit data nowait map(from : a) depend(inout : a)
#pragma omp taskwait

  step("target that is not offloaded");
#pragma omp target if (0)
  a[0] = 2;

  step("declare target variable");
  scale = 4;
#pragma omp target update to(scale)

  step("omp_target_alloc");
  int* const p = static_cast<int*>(omp_target_alloc(sizeof a, device));
  int* const q = static_cast<int*>(omp_target_alloc(2 * sizeof a, device));
  step("omp_target_memcpy to");
  if (omp_target_memcpy(p, a, sizeof a, 0, 0, device, host) != 0) {
    return 1;
  }
  step("omp_target_memcpy within");
  if (omp_target_memcpy(q, p, sizeof a, 8, 0, device, device) != 0) {
    return 1;
  }
  step("omp_target_memcpy from");
  if (omp_target_memcpy(b, q, sizeof a, 0, 8, host, device) != 0) {
    return 1;
  }
  step("omp_target_memcpy on the host");
  if (omp_target_memcpy(c, b, sizeof a, 0, 0, host, host) != 0) {
    return 1;
  }
  step("omp_target_memcpy_async");
#ifdef __clang__ // which GCC 12 does not have
  if (omp_target_memcpy_async(p, a, sizeof a, 0, 0, device, host, 0, nullptr) != 0) {
    return 1;
  }
#pragma omp taskwait
#endif
  step("omp_target_memcpy_rect");
  const size_t volume[2] = {2, 3};
  const size_t offsets[2] = {0, 0};
  const size_t extents[2] = {10, 10};
  if (omp_target_memcpy_rect(p, a, sizeof(int), 2, volume, offsets, offsets, extents, extents,
                             device, host) != 0) {
    return 1;
  }
  step("omp_target_associate_ptr");
  if (omp_target_associate_ptr(a, p, sizeof a, 0, device) != 0) {
    return 1;
  }
  step("target of what is associated");
#pragma omp target map(tofrom : a)
  a[0] = 5;
  step("omp_target_disassociate_ptr");
  if (omp_target_disassociate_ptr(a, device) != 0) {
    return 1;
  }
  step("omp_target_free");
  omp_target_free(p, device);
  omp_target_free(q, device);
  step("end");
  return b[1] == a[1] ? 0 : 1;
}
