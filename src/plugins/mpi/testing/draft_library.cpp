// Has the marks of MPICH 4.3's interface, which is an earlier form of MPI 5.0's with other numbers,
// under the same names; and lacks a function.
#include <cstring>

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): names of the standard's

int MPI_Abi_get_version(int* major, int* minor) {
  *major = 1;
  *minor = 0;
  return 0;
}
int MPI_Get_version(int* major, int* minor) {
  *major = 4;
  *minor = 1;
  return 0;
}
int MPI_Get_library_version(char* text, int* /*length*/) {
  std::strcpy(text, "MPICH Version:\t4.3.0");
  return 0;
}
int MPI_Init_thread(int* /*count*/, char*** /*words*/, int /*wanted*/, int* /*given*/) {
  return 1;
}
int MPI_Initialized(int* /*answer*/) {
  return 1;
}

// NOLINTEND(readability-identifier-naming)
}
