// What an MPI library itself takes, in a job of two processes: the time for 8 bytes and for 9 KiB
// there and back, and the bandwidth of one large transfer one way, by the same calls as Gantry's.
#include "plugins/mpi/library.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

} // namespace

int main() {
  const auto mpi = checked(open_library(std::getenv("GANTRY_MPI")));
  checked(mpi->initialise());
  const Communicator all = checked(mpi->duplicate(mpi->world()));
  std::vector<std::byte> bytes(256 << 20, std::byte{1});
  std::vector<double> small;
  std::vector<double> some;
  for (int i = 0; i < 31; ++i) {
    small.push_back(round_trip(*mpi, all, std::span(bytes).first(8), 200));
    some.push_back(round_trip(*mpi, all, std::span(bytes).first(9 << 10), 200));
  }
  std::vector<double> middle;
  std::vector<double> large;
  for (int i = 0; i < 9; ++i) {
    middle.push_back(round_trip(*mpi, all, std::span(bytes).first(4 << 20), 8) / 2);
    large.push_back(round_trip(*mpi, all, bytes, 1) / 2);
  }
  if (mpi->rank(all) == 0) {
    std::printf("round-trip %.9f\nround-trip-9K %.9f\nbandwidth-4M %.6g\nbandwidth-256M %.6g\n",
                median(small), median(some), (4 << 20) / median(middle),
                static_cast<double>(bytes.size()) / median(large));
  }
  (void)mpi->finalise();
}
