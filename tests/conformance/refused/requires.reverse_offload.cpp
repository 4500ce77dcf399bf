// -fopenmp-version=60 | unexpected OpenMP clause 'reverse_offload'
#pragma omp requires reverse_offload
