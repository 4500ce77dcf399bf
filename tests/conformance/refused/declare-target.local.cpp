// -fopenmp-version=60 | unexpected 'local' clause
int variable;
#pragma omp declare target local(variable)
