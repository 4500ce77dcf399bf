// Calls: recursion, pointers to functions, virtual functions, structs by value and as results.

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) {
    return n + 1;
  }
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

// Lanes recurse to different depths.
extern "C" __global__ void recursion(int* results) {
  const int t = threadIdx.x;
  results[t] = fibonacci(t % 13);
  results[blockDim.x + t] = ackermann(t % 3, t % 5);
}

typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int combine(int a, int b) { return fibonacci(a % 7) * b; }
__device__ Operation operations[4] = {add, subtract, multiply, combine};
__device__ Operation chosen = multiply;

extern "C" __global__ void function_pointers(const int* which, int* results) {
  const int t = threadIdx.x;
  results[t] = operations[which[t]](t, 7);
  results[blockDim.x + t] = chosen(t, t);
  results[2 * blockDim.x + t] = operations[2] == chosen;
}

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
  __device__ virtual int corners() const { return 0; }
};
struct Square : Shape {
  __device__ explicit Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
  __device__ int corners() const override { return 4; }
  int side;
};
struct Strip : Shape {
  __device__ Strip(int length, int width) : length(length), width(width) {}
  __device__ int area() const override { return length * width; }
  int length;
  int width;
};

__device__ __noinline__ int describe(const Shape& shape) {
  return shape.area() * 10 + shape.corners();
}

extern "C" __global__ void virtual_calls(int* results) {
  const int t = threadIdx.x;
  const Square square(t);
  const Strip strip(t, 3);
  const Shape* shapes[2] = {&square, &strip};
  results[t] = describe(*shapes[t % 2]) + describe(*shapes[(t / 2) % 2]);
}

struct Box {
  double low[3];
  int id;
  short tag;
};

__device__ __noinline__ Box grow(Box box, double by) {
  for (int i = 0; i < 3; ++i) {
    box.low[i] -= by * (i + 1);
  }
  box.id += box.tag;
  return box;
}

extern "C" __global__ void struct_values(Box box, double* lows, int* ids) {
  const int t = threadIdx.x;
  box.tag = (short)(box.tag + t);
  const Box grown = grow(grow(box, 0.5), t);
  for (int i = 0; i < 3; ++i) {
    lows[3 * t + i] = grown.low[i];
  }
  ids[t] = grown.id;
}
