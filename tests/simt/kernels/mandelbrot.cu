// flags: -fmad=false
// The Mandelbrot set: lanes leave the loop at very different times.

extern "C" __global__ void mandelbrot(unsigned* steps, int width, int height, int limit, float left,
                                      float top, float step) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) {
    return;
  }
  const float x = left + column * step;
  const float y = top + row * step;
  float a = 0;
  float b = 0;
  unsigned count = 0;
  while (count < limit) {
    const float aa = a * a;
    const float bb = b * b;
    if (aa + bb > 4.0f) {
      break;
    }
    b = 2 * a * b + y;
    a = aa - bb + x;
    ++count;
  }
  steps[row * width + column] = count;
}

// Lanes that take other paths in each turn, with a result that depends on all of them.
extern "C" __global__ void collatz(const unsigned* starts, unsigned* lengths, unsigned* peaks,
                                   unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  unsigned value = starts[i];
  unsigned peak = value;
  unsigned length = 0;
  while (value != 1) {
    if (value % 2 == 0) {
      value /= 2;
    } else {
      value = 3 * value + 1;
      if (value > peak) {
        peak = value;
      }
    }
    if (++length == 500) {
      break;
    }
  }
  lengths[i] = length;
  peaks[i] = peak;
}
