/* Kernels as the compiler would make them, for hand-made programs. */
#include <stdint.h>

#define KERNEL __attribute__((visibility("default")))

/* y[i] = 2 x[i] + 1 */
KERNEL void k_affine(void *const *args, int64_t lo, int64_t hi) {
  const float *x = args[0];
  float *y = args[1];
  for (int64_t i = lo; i < hi; ++i)
    y[i] = 2 * x[i] + 1;
}

/* w[i] -= lr g[i] */
KERNEL void k_sgd(void *const *args, int64_t lo, int64_t hi) {
  const float *lr = args[0], *g = args[1];
  float *w = args[2];
  for (int64_t i = lo; i < hi; ++i)
    w[i] -= lr[0] * g[i];
}

/* Line fit of 32 points, one work item: (x, t, w, b) -> (loss, dw, db) */
KERNEL void k_line(void *const *args, int64_t lo, int64_t hi) {
  const float *x = args[0], *t = args[1], *w = args[2], *b = args[3];
  float *loss = args[4], *dw = args[5], *db = args[6];
  if (lo >= hi)
    return;
  float sum = 0, sumW = 0, sumB = 0;
  for (int i = 0; i < 32; ++i) {
    float error = w[0] * x[i] + b[0] - t[i];
    sum += error * error;
    sumW += 2 * error * x[i];
    sumB += 2 * error;
  }
  *loss = sum / 32;
  *dw = sumW / 32;
  *db = sumB / 32;
}

KERNEL void k_empty(void *const *args, int64_t lo, int64_t hi) {
  (void)args;
  (void)lo;
  (void)hi;
}
