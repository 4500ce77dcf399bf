#define HALF of_gcc_
#include "mixed.inc"
