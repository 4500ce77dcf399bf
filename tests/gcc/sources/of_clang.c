#define HALF of_clang_
#include "mixed.inc"
