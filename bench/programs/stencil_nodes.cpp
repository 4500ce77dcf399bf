// stencil_nodes MICROSECONDS: a stencil of tasks, as Task Bench has it: in each step each of WIDTH
// tasks on every device takes so long, and needs what its neighbours have made in the step before,
// 64 numbers each. Tasks are target regions with nowait and depend; what neighbours on other
// devices need is copied between the devices. Prints the efficiency: the time that the tasks take
// by themselves, one after the other on each device, by the time that it took.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <omp.h>

static constexpr int kSteps = 200;
static constexpr int kNumbers = 64;

#pragma omp begin declare target
#include "sleeping_task.h"
static double next(double own, double left, double right) {
  return own / 2 + left / 4 - right / 4 + 1;
}
#pragma omp end declare target

int main(int count, char** arguments) {
  const long microseconds = count > 1 ? std::atol(arguments[1]) : 200;
  const int devices = omp_get_num_devices();
  const std::size_t bytes = kNumbers * sizeof(double);
  // Of each device: what its task has made, and what those of its two neighbours had, in even and
  // odd steps.
  struct Side {
    double* own[2];
    double* left[2];
    double* right[2];
  };
  std::vector<Side> sides(static_cast<std::size_t>(devices));
  for (int d = 0; d < devices; ++d) {
    for (int s = 0; s < 2; ++s) {
      std::vector<double> zeros(kNumbers);
      for (double** const at : {&sides[d].own[s], &sides[d].left[s], &sides[d].right[s]}) {
        *at = static_cast<double*>(omp_target_alloc(bytes, d));
        omp_target_memcpy(*at, zeros.data(), bytes, 0, 0, d, omp_get_initial_device());
      }
    }
  }
  double seconds = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 2; ++round) { // the first warms up
    const auto begin = std::chrono::steady_clock::now();
    for (int step = 0; step < kSteps; ++step) {
      const int now = step % 2;
      const int before = 1 - now;
      for (int d = 0; d < devices; ++d) {
        Side* const side = &sides[static_cast<std::size_t>(d)];
        double* const own = side->own[now];
        double* const last = side->own[before];
        double* const left = side->left[before];
        double* const right = side->right[before];
        char* const made = reinterpret_cast<char*>(&side->own[now]);
        char* const made_before = reinterpret_cast<char*>(&side->own[before]);
        char* const from_left = reinterpret_cast<char*>(&side->left[before]);
        char* const from_right = reinterpret_cast<char*>(&side->right[before]);
#pragma omp target nowait device(d) is_device_ptr(own, last, left, right)                          \
    firstprivate(microseconds) depend(out : made[0])                                               \
    depend(in : made_before[0], from_left[0], from_right[0])
        {
          for (int i = 0; i < kNumbers; ++i) {
            own[i] = next(last[i], left[i], right[i]);
          }
          take(microseconds);
        }
        // To both neighbours, when they are done with what they had there.
        for (int way = 0; way < 2; ++way) {
          const int other = d + (way == 0 ? -1 : 1);
          if (other < 0 || other >= devices) {
            continue;
          }
          Side* const neighbour = &sides[static_cast<std::size_t>(other)];
          double** const there = way == 0 ? &neighbour->right[now] : &neighbour->left[now];
          omp_depend_t objects[2];
#pragma omp depobj(objects[0]) depend(in : made[0])
#pragma omp depobj(objects[1]) depend(out : *reinterpret_cast<char*>(there))
          omp_target_memcpy_async(*there, own, bytes, 0, 0, other, d, 2, objects);
#pragma omp depobj(objects[0]) destroy
#pragma omp depobj(objects[1]) destroy
        }
      }
    }
#pragma omp taskwait
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  // The same by the host, of one number each.
  std::vector<double> own(static_cast<std::size_t>(devices));
  for (int step = 0; step < 2 * kSteps; ++step) {
    std::vector<double> made(own.size());
    for (int d = 0; d < devices; ++d) {
      made[d] = next(own[d], d > 0 ? own[d - 1] : 0, d + 1 < devices ? own[d + 1] : 0);
    }
    own = made;
  }
  for (int d = 0; d < devices; ++d) {
    double number = 0;
    omp_target_memcpy(&number, sides[d].own[(kSteps - 1) % 2], sizeof number, 0, 0,
                      omp_get_initial_device(), d);
    if (number != own[d]) {
      std::fprintf(stderr, "device %d has %.17g, expected %.17g\n", d, number, own[d]);
      return 1;
    }
  }
  std::printf("efficiency %.4f\n", static_cast<double>(microseconds) * 1e-6 * kSteps / seconds);
}
