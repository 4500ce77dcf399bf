// -fopenmp-version=60 | expected ',' or '\)' in 'num_teams' clause
void region() {
#pragma omp target teams num_teams(1 : 3)
  {
  }
}
