// Loads a shared library with device code, calls it, unloads it.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*helper)(int) = (int (*)(int))dlsym(library, "_Z6helperi");
  printf("helper %d\n", helper(4));
  fflush(stdout);
  return dlclose(library);
}
