// | used without specifying 'requires reverse_offload'
void region(int x) {
#pragma omp target device(ancestor : 1) map(tofrom : x)
  x = 1;
}
