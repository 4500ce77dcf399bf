// -fopenmp-version=60 | PLEASE submit a bug report
void region() {
#pragma omp taskgraph
  {
  }
}
