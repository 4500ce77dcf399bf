// What a program and the processes of its worker devices notice of each other; a case for each
// name.
#include "check.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

/// The process that runs the region.
static int worker_process() {
  int process = 0;
#pragma omp target map(from : process)
  process = getpid();
  return process;
}

static std::atomic<int> signals{0};

/// The program is not told of the worker, as of a child or otherwise.
static void unnoticed() {
  signal(SIGCHLD, [](int) { ++signals; });
  CHECK(worker_process() != getpid());
  CHECK_EQUAL(waitpid(-1, nullptr, WNOHANG), -1);
  CHECK_EQUAL(errno, ECHILD);
  CHECK_EQUAL(waitpid(-1, nullptr, WNOHANG | __WALL), -1);
  CHECK_EQUAL(errno, ECHILD);
  kill(worker_process(), SIGKILL);
  usleep(50'000);
  CHECK_EQUAL(signals.load(), 0);
}

static void ordered() {
  for (int i = 0; i < 100; ++i) {
    printf("host %d\n", i);
#pragma omp target firstprivate(i)
    printf("device %d, ", i);
    printf("host %d\n", i);
  }
}

static void forks() {
  worker_process();
  const pid_t child = fork();
  if (child == 0) {
    worker_process();
    _exit(0); // not reached: it ends with a message
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK_EQUAL(WEXITSTATUS(status), 1);
  CHECK(worker_process() != 0);
}

static void forks_first() {
  const pid_t child = fork();
  CHECK(worker_process() != getpid());
  if (child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    CHECK_EQUAL(status, 0);
  }
}

/// As programs do that become daemons.
static void closes() {
  const int before = worker_process();
  closefrom(3);
  usleep(100'000);
  CHECK_EQUAL(worker_process(), before);
}

/// Tells the processes and runs regions until something ends it.
static void runs() {
  printf("%d %d\n", getpid(), worker_process());
  fflush(stdout);
  for (;;) {
    worker_process();
  }
}

static void begins_another() {
  printf("%d %d\n", getpid(), worker_process());
  fflush(stdout);
  execl("/bin/sleep", "sleep", "20", nullptr);
}

/// Chains of target tasks on every device at once, in leagues.
static void works_in_tasks() {
  constexpr int kChains = 6;
  constexpr int kSteps = 20;
  constexpr int kSize = 5'000;
  const int devices = omp_get_num_devices();
  std::vector<int> memory(kChains * kSize);
  for (int step = 0; step < kSteps; ++step) {
    for (int chain = 0; chain < kChains; ++chain) {
      int* const values = &memory[chain * kSize];
#pragma omp target teams distribute parallel for nowait depend(inout : values[0])                  \
    map(tofrom : values[0 : kSize]) device((chain + step) % devices) num_teams(2)
      for (int j = 0; j < kSize; ++j) {
        values[j] =
            static_cast<int>(3 * static_cast<unsigned>(values[j]) + static_cast<unsigned>(chain));
      }
    }
  }
#pragma omp taskwait
  for (int chain = 0; chain < kChains; ++chain) {
    unsigned expected = 0;
    for (int step = 0; step < kSteps; ++step) {
      expected = 3 * expected + static_cast<unsigned>(chain);
    }
    for (int j = 0; j < kSize; ++j) {
      CHECK_EQUAL(static_cast<unsigned>(memory[chain * kSize + j]), expected);
    }
  }
}

/// Several threads and devices, with copies of which the results can be told.
static void works() {
  constexpr int kThreads = 4;
  constexpr int kRounds = 200;
  const int devices = omp_get_num_devices();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([=] {
      std::vector<int> memory(10'000);
      int* const values = memory.data();
      const int size = static_cast<int>(memory.size());
      for (int i = 0; i < kRounds; ++i) {
#pragma omp target map(tofrom : values[0 : size]) device((t + i) % devices)
        for (int j = 0; j < size; ++j) {
          values[j] += j;
        }
      }
      for (int j = 0; j < size; ++j) {
        CHECK_EQUAL(values[j], j * kRounds);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  works_in_tasks();
  // From one device to the next, around.
  std::vector<int> first(100'000, 7);
  const std::size_t bytes = first.size() * sizeof(int);
  std::vector<void*> places;
  for (int d = 0; d < devices; ++d) {
    places.push_back(omp_target_alloc(bytes, d));
  }
  const int host = omp_get_initial_device();
  omp_target_memcpy(places[0], first.data(), bytes, 0, 0, 0, host);
  for (int d = 1; d < devices; ++d) {
    omp_target_memcpy(places[d], places[d - 1], bytes, 0, 0, d, d - 1);
  }
  std::vector<int> last(first.size());
  omp_target_memcpy(last.data(), places.back(), bytes, 0, 0, host, devices - 1);
  CHECK(first == last);
  for (int d = 0; d < devices; ++d) {
    omp_target_free(places[d], d);
  }
}

static void counts_threads() {
  int threads = 0;
#pragma omp target map(from : threads)
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  printf("%d threads\n", threads);
}

/// Whatever processor the thread is bound to that uses the device first.
static void uses_all_processors() {
  cpu_set_t all;
  cpu_set_t one;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
    if (CPU_ISSET(i, &all)) {
      CPU_SET(i, &one);
    }
  }
  sched_setaffinity(0, sizeof one, &one);
  int processors = 0;
#pragma omp target map(from : processors)
  processors = omp_get_num_procs();
  CHECK_EQUAL(processors, CPU_COUNT(&all));
}

int main(int count, char** words) {
  const std::string name = count > 1 ? words[1] : "";
  struct Case {
    const char* name;
    void (*run)();
  };
  for (const Case& one :
       {Case{"unnoticed", unnoticed}, Case{"ordered", ordered}, Case{"forks", forks},
        Case{"forks_first", forks_first}, Case{"closes", closes}, Case{"runs", runs},
        Case{"begins_another", begins_another}, Case{"works", works},
        Case{"counts_threads", counts_threads}, Case{"uses_all_processors", uses_all_processors}}) {
    if (name == one.name) {
      one.run();
      return 0;
    }
  }
  fprintf(stderr, "no such case: '%s'\n", name.c_str());
  return 2;
}
