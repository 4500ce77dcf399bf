// What a task of the stencil does: nothing, for its time. For a region (stencil_nodes.cpp) and for
// a process of MPI alone (mpi_alone.cpp).
#pragma once

#include <sys/prctl.h>
#include <time.h>

/// Takes its time without a processor, as if the device had one of its own: there may be fewer here
/// than devices.
static void take(long microseconds) {
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); // else it lasts 50 us longer
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += microseconds * 1000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}
