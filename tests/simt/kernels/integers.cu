// Integer arithmetic: division, switches, bit operations, wide products, video instructions.

extern "C" __global__ void divisions(const int* a, const int* b, int* results, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int x = a[i];
  const int y = b[i];
  results[i] = y == 0 ? -1 : x / y;
  results[count + i] = y == 0 ? -2 : x % y;
  results[2 * count + i] = y == 0 ? -3 : (int)((unsigned)x / (unsigned)y);
  results[3 * count + i] = y == 0 ? -4 : (int)((unsigned)x % (unsigned)y);
  results[4 * count + i] = x / 7 + x % 10 + (int)((unsigned)x / 1000003u);
  const long long wide = (long long)x * 2147483659LL;
  results[5 * count + i] = y == 0 ? -5 : (int)(wide / y);
  results[6 * count + i] = y == 0 ? -6 : (int)((unsigned long long)wide % (unsigned long long)y);
  results[7 * count + i] = (short)x / (short)(y | 1);
}

extern "C" __global__ void bit_operations(const unsigned* a, const unsigned long long* b,
                                          unsigned long long* results, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const unsigned x = a[i];
  const unsigned long long y = b[i];
  unsigned long long* row = results + i * 16;
  row[0] = __clz(x) * 100 + __clzll(y);
  row[1] = __popc(x) * 100 + __popcll(y);
  row[2] = __brev(x) ^ __brevll(y);
  row[3] = __ffs(x) * 100 + __ffsll(y);
  row[4] = __byte_perm(x, (unsigned)y, x & 0x7777);
  row[5] = __funnelshift_l(x, (unsigned)y, i);
  row[6] = __funnelshift_r(x, (unsigned)y, i) + __funnelshift_lc(x, (unsigned)y, i);
  row[7] = __umulhi(x, (unsigned)y);
  row[8] = __umul64hi(y, y * 3);
  row[9] = (unsigned long long)__mulhi((int)x, (int)y) + __mul64hi((long long)y, -5);
  row[10] = __sad((int)x, (int)y, 7u) + __usad(x, (unsigned)y, 9u);
  row[11] = __hadd((int)x, (int)y) ^ __rhadd((int)x, (int)y) ^ __uhadd(x, (unsigned)y);
  row[12] = __mul24((int)x, (int)y) ^ __umul24(x, (unsigned)y);
  unsigned field;
  unsigned inserted;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(x), "r"(i % 40), "r"(i % 11));
  asm("bfi.b32 %0, %1, %2, %3, %4;"
      : "=r"(inserted)
      : "r"(x), "r"((unsigned)y), "r"(i % 37), "r"(i % 13));
  row[13] = field;
  row[14] = inserted;
  row[15] = (x << (i & 31)) + (y >> (i & 63)) + (unsigned long long)((long long)y >> (i & 63)) +
            (unsigned)((int)x >> (i & 31));
}

extern "C" __global__ void wide_arithmetic(const unsigned long long* a, const unsigned long long* b,
                                           unsigned long long* low, unsigned long long* high,
                                           unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  typedef unsigned __int128 Wide;
  const Wide x = (Wide)a[i] << 64 | b[i];
  const Wide product = (Wide)a[i] * b[i];
  const Wide results[4] = {product, x + product, x - product, x * product};
  for (int k = 0; k < 4; ++k) {
    low[i * 4 + k] = (unsigned long long)results[k];
    high[i * 4 + k] = (unsigned long long)(results[k] >> 64);
  }
}

extern "C" __global__ void packed_arithmetic(const unsigned* a, const unsigned* b, unsigned* results,
                                             unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const unsigned x = a[i];
  const unsigned y = b[i];
  results[i * 5] = __dp4a((int)x, (int)y, 100);
  results[i * 5 + 1] = __dp4a(x, y, 7u);
  results[i * 5 + 2] = (unsigned)__dp2a_lo((int)x, (int)y, 3);
  results[i * 5 + 3] = __vabsdiffu4(x, y);
  results[i * 5 + 4] = __vadd2(x, y);
}

// A switch without a pattern, of which lanes take different cases.
extern "C" __global__ void switches(const int* values, int* results, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  int value = values[i];
  int result = 0;
  for (int step = 0; step < 6; ++step) {
    switch (value % 9) {
    case 0:
      result += 7;
      value /= 2;
      break;
    case 1:
      result ^= value;
      value = value * 3 + 1;
      break;
    case 2:
      result *= 5;
      // Falls into the next case.
    case 3:
      value -= 11;
      break;
    case 4:
      result = result << 3 | result >> 29;
      value += step;
      break;
    case 5:
      if (value > 100) {
        goto done;
      }
      value += 77;
      break;
    case 6:
      value = -value;
      break;
    case 7:
      result -= value;
      continue;
    default:
      value ^= 0x55;
    }
    result += value;
  }
done:
  results[i] = result;
}
