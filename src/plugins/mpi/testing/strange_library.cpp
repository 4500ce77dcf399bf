// An MPI library of a kind that nobody knows.
#include <cstring>

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): names of the standard's

int MPI_Get_library_version(char* text, int* /*length*/) {
  std::strcpy(text, "Strange MPI 1.0, of nobody's");
  return 0;
}
int MPI_Init_thread(int* /*count*/, char*** /*words*/, int /*wanted*/, int* /*given*/) {
  return 1;
}

// NOLINTEND(readability-identifier-naming)
}
