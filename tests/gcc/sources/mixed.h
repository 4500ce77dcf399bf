// What one compiler's half of a program does with data of the other's.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct particle {
  double x;
  double* history;
  int count;
};

/// Maps a particle and its history until forget().
void keep(struct particle* particle, int length);
void forget(struct particle* particle, int length);
/// Adds 1 to every element of the history and to the count, on the device, of a particle that is
/// present. Returns whether that ran on a device.
int advance(struct particle* particle, int length);
/// Copies the count and the history back.
void fetch(struct particle* particle, int length);
/// Whether the host's memory has corresponding storage.
int is_there(const void* host);
/// Memory of the default device with `count` doubles, each `value`.
double* device_memory(int count, double value);
/// Their sum, by a region with is_device_ptr; frees them.
double sum_and_free(double* memory, int count);

/// Doubles values on the device, in a data region of its own.
void twice(double* values, int count);
/// How many iterations the teams of a league have run for `count`.
int iterations(int count);
/// Whether all teams of a league, and all threads of a parallel region, have numbers of their own.
int numbers_of_teams(void);
int numbers_of_threads(void);
/// The same of a parallel region on the host.
int numbers_on_host(void);
/// As iterations(), of a target region that the host runs.
int iterations_on_host(int count);

#ifdef __cplusplus
}
#endif
