// | PLEASE submit a bug report
struct Inner {
  int length;
  int* data;
};
#pragma omp declare mapper(Inner inner) map(tofrom : inner, inner.data[0 : inner.length])
struct Outer {
  int number;
  Inner inner;
};

void region(Outer outer) {
#pragma omp target
  outer.inner.data[0] = outer.number;
}
