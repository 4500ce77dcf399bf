// What an MPI library itself takes, by the same calls as Gantry's. In a job of two processes: the
// time for 8 bytes and for 9 KiB there and back, and the bandwidth of one large transfer one way.
// In a job of three: the stencil of programs/stencil_nodes.cpp: one process tells two
// nodes when to begin a task and when to copy, and does nothing else.
#include "plugins/mpi/library.h"
#include "programs/sleeping_task.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <sched.h>

using namespace gantry;
using namespace gantry::mpi;

namespace {

template <typename T>
T checked(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
  }
  return std::move(*result);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void finish(Library& mpi, Request request) {
  while (!checked(mpi.test(request)).is_done) {
    sched_yield(); // more processes than processors may want to run
  }
}

/// The time of `count` transfers there and back, of one each.
double round_trip(Library& mpi, Communicator all, std::span<std::byte> bytes, int count) {
  const int self = mpi.rank(all);
  const double begin = now();
  for (int i = 0; i < count; ++i) {
    for (int sender = 0; sender < 2; ++sender) {
      finish(mpi, checked(self == sender ? mpi.send(all, 1 - self, 1, bytes)
                                         : mpi.receive(all, 1 - self, 1, bytes)));
    }
  }
  return (now() - begin) / count;
}

/// Rank 0 tells both nodes to begin a task, and hears of its end; then the same of their copies.
void step(Library& mpi, Communicator all, long microseconds) {
  std::vector<std::byte> order(128);
  std::vector<std::byte> own(512);
  std::vector<std::byte> neighbours(512);
  const int self = mpi.rank(all);
  const auto tell = [&](int to) { finish(mpi, checked(mpi.send(all, to, 1, order))); };
  const auto hear = [&](int from) { finish(mpi, checked(mpi.receive(all, from, 1, order))); };
  for (const bool is_task : {true, false}) {
    if (self == 0) {
      tell(1);
      tell(2);
      hear(1);
      hear(2);
      continue;
    }
    hear(0);
    if (is_task) {
      take(microseconds);
    } else {
      const Request sent = checked(mpi.send(all, 3 - self, 1, own));
      finish(mpi, checked(mpi.receive(all, 3 - self, 1, neighbours)));
      finish(mpi, sent);
    }
    tell(0);
  }
}

/// Prints the efficiency, measured as stencil_nodes.cpp measures it.
void measure_stencil(Library& mpi, Communicator all) {
  constexpr long kMicroseconds = 200;
  constexpr int kSteps = 200;
  double seconds = 0;
  for (int round = 0; round < 2; ++round) { // the first warms up
    const double begin = now();
    for (int i = 0; i < kSteps; ++i) {
      step(mpi, all, kMicroseconds);
    }
    seconds = now() - begin;
  }
  if (mpi.rank(all) == 0) {
    std::printf("efficiency %.4f\n", kMicroseconds * 1e-6 * kSteps / seconds);
  }
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Prints what goes between two processes.
void measure_ping_pong(Library& mpi, Communicator all) {
  std::vector<std::byte> bytes(256 << 20, std::byte{1});
  std::vector<double> small;
  std::vector<double> some;
  for (int i = 0; i < 31; ++i) {
    small.push_back(round_trip(mpi, all, std::span(bytes).first(8), 200));
    some.push_back(round_trip(mpi, all, std::span(bytes).first(9 << 10), 200));
  }
  std::vector<double> middle;
  std::vector<double> large;
  for (int i = 0; i < 9; ++i) {
    middle.push_back(round_trip(mpi, all, std::span(bytes).first(4 << 20), 8) / 2);
    large.push_back(round_trip(mpi, all, bytes, 1) / 2);
  }
  if (mpi.rank(all) == 0) {
    std::printf("round-trip %.9f\nround-trip-9K %.9f\nbandwidth-4M %.6g\nbandwidth-256M %.6g\n",
                median(small), median(some), (4 << 20) / median(middle),
                static_cast<double>(bytes.size()) / median(large));
  }
}

} // namespace

int main() {
  const auto mpi = checked(open_library(std::getenv("GANTRY_MPI")));
  checked(mpi->initialise());
  const Communicator all = checked(mpi->duplicate(mpi->world()));
  switch (mpi->size(all)) {
  case 2:
    measure_ping_pong(*mpi, all);
    break;
  case 3:
    measure_stencil(*mpi, all);
    break;
  default:
    std::fputs("this is for two processes, or for three\n", stderr);
    return 1;
  }
  (void)mpi->finalise();
}
