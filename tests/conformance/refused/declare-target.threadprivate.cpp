// | threadprivate variables cannot be used in target constructs
#pragma omp begin declare target
static int variable;
#pragma omp threadprivate(variable)
void function() {
  variable = 1;
}
#pragma omp end declare target
