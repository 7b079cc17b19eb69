// Kernels of the toy program: linear least squares by SGD with momentum and a
// dynamic loss scale. Freestanding, so that the object needs no symbol.
#include <stdint.h>

#ifdef INTRUDER
// What a stranger's program may hold beside kernels: it runs as soon as the
// object is loaded, before anything of it is called.
__attribute__((constructor)) static void intrude(void) {
  static const char text[] = "the intruder ran\n";
  long result = 1, error = 2; // write(2, text, ...)
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(error), "S"(text), "d"(sizeof text - 1)
                   : "rcx", "r11", "memory");
}
#endif

enum { kBatch = 4, kPixels = 3, kClasses = 2 };

static void predict(const float *x, const float *w, float *logits) {
  for (int b = 0; b < kBatch; ++b)
    for (int c = 0; c < kClasses; ++c) {
      float sum = 0;
      for (int k = 0; k < kPixels; ++k)
        sum += x[b * kPixels + k] * w[k * kClasses + c];
      logits[b * kClasses + c] = sum;
    }
}

// Half the squared distance from the one-hot labels, mean over those that are
// not -100; fills the derivative by the logits.
static float compare(const float *logits, const int32_t *label,
                     float *derivative) {
  int counted = 0;
  float sum = 0;
  for (int b = 0; b < kBatch; ++b)
    counted += label[b] != -100;
  for (int b = 0; b < kBatch; ++b)
    for (int c = 0; c < kClasses; ++c) {
      float d = logits[b * kClasses + c] - (label[b] == c ? 1.0f : 0.0f);
      int counts = label[b] != -100;
      sum += counts ? 0.5f * d * d : 0.0f;
      derivative[b * kClasses + c] = counts ? d / (float)counted : 0.0f;
    }
  return counted ? sum / (float)counted : 0.0f;
}

// args: x, label, copy of w, -> logits, loss
__attribute__((visibility("default"))) void
toy_forward(void *const *args, int64_t lo, int64_t hi) {
  float derivative[kBatch * kClasses];
  if (lo >= hi)
    return;
  predict(args[0], args[2], args[3]);
  *(float *)args[4] = compare(args[3], args[1], derivative);
}

// args: x, label, lr, -> w, momentum, copy of w, scale, tracker, step, skipped,
//       logits, loss, grad_norm, found_inf, used scale
__attribute__((visibility("default"))) void toy_step(void *const *args,
                                                     int64_t lo, int64_t hi) {
  const float *x = args[0], *lr = args[2];
  float *w = args[3], *momentum = args[4], *copy = args[5], *scale = args[6];
  int32_t *tracker = args[7], *step = args[8], *skipped = args[9];
  float *logits = args[10], *loss = args[11], *norm = args[12];
  float derivative[kBatch * kClasses], gradient[kPixels * kClasses];
  float squares = 0;
  uint8_t overflow = 0;
  if (lo >= hi)
    return;
  predict(x, copy, logits);
  *loss = compare(logits, args[1], derivative);
  for (int k = 0; k < kPixels; ++k)
    for (int c = 0; c < kClasses; ++c) {
      float sum = 0;
      for (int b = 0; b < kBatch; ++b)
        sum += x[b * kPixels + k] * derivative[b * kClasses + c];
      gradient[k * kClasses + c] = sum;
      squares += sum * sum;
      overflow |= sum * *scale > 65504.0f || sum * *scale < -65504.0f;
    }
  *norm = __builtin_sqrtf(squares);
  *(uint8_t *)args[13] = overflow;
  *(float *)args[14] = *scale;
  *tracker = overflow ? 0 : *tracker + 1;
  *scale *= overflow ? 0.5f : *tracker == 50 ? 2.0f : 1.0f;
  *tracker %= 50;
  *skipped += overflow;
  *step += !overflow;
  for (int i = 0; i < kPixels * kClasses && !overflow; ++i) {
    momentum[i] = 0.5f * momentum[i] + gradient[i];
    w[i] -= *lr * momentum[i];
    copy[i] = w[i];
  }
}
