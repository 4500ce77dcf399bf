// A program that uses MPI itself: ranks LEVEL. Each rank has its part of a sum on its own device,
// and they exchange numbers while regions run. LEVEL is that of MPI's threads, 0 to 3; -1: the rank
// uses no device.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <mpi.h>
#include <omp.h>

int main(int count, char** words) {
  const int level = count > 1 ? std::atoi(words[1]) : 0;
  constexpr int kLevels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                             MPI_THREAD_MULTIPLE};
  int provided, rank, size;
  MPI_Init_thread(&count, &words, kLevels[level < 0 ? 0 : level], &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  constexpr int kNumbers = 1 << 17; // they are a transfer of their own
  std::vector<double> numbers(kNumbers);
  double* const part = numbers.data();
  for (int i = 0; i < kNumbers; ++i) {
    part[i] = rank * kNumbers + i;
  }
  int on_device = 0;
  if (level >= 0) {
#pragma omp target map(tofrom : part[0 : kNumbers]) map(from : on_device)
    {
      on_device = !omp_is_initial_device();
      for (int i = 0; i < kNumbers; ++i) {
        part[i] *= 2;
      }
    }
    double mine = rank, theirs = -1;
#pragma omp target data map(tofrom : part[0 : kNumbers])
    for (int round = 0; round < 20; ++round) {
#pragma omp target nowait
      for (int i = 0; i < kNumbers; ++i) {
        part[i] += 1;
      }
      MPI_Sendrecv(&mine, 1, MPI_DOUBLE, (rank + 1) % size, 0, &theirs, 1, MPI_DOUBLE,
                   (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      mine = theirs;
#pragma omp taskwait
    }
  }
  double sum = 0, all = 0;
  for (int i = 0; i < kNumbers; ++i) {
    sum += part[i];
  }
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  int devices = 0;
  MPI_Reduce(&on_device, &devices, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    const double total = static_cast<double>(size) * kNumbers;
    const double expected = level < 0 ? total * (total - 1) / 2 : total * (total - 1) + 20 * total;
    std::printf("%d ranks, %d on devices, sum %s\n", size, devices,
                all == expected ? "right" : "wrong");
  }
  if (count > 2) {
    std::abort(); // a rank that does not come to MPI_Finalize
  }
  MPI_Finalize();
}
