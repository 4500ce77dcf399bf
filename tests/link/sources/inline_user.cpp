// Two of these share an inline kernel, compiled with different optimisation.
#include "inline_kernel.h"
int NAME() {
  return inline_kernel(5);
}
