// -fopenmp-version=60 | no end of the compilation
#pragma omp requires device_safesync
void function() {}
