// Results and log-sum-exp of the queries of a head.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_FORWARD_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_FORWARD_H

#include "Scores.h"

namespace {
/// Maximum and sum so far of each query of a block, and its weighted sum of
/// values.
struct Totals {
  float *most, *sum, *alpha, *values;
};

/// Makes weights of scores; what came before refers to a smaller maximum and is
/// scaled by `alpha`.
void weigh(const Scores &scores, bool allSeen, int64_t begin, int64_t count,
           float *s, float *maskRow, const Totals &totals) {
  Floats most[kVectors], sum[kVectors];
  for (int64_t v = 0; v < kVectors; ++v)
    most[v] = load(totals.most + v * kLanes);
  for (int64_t j = 0; j < count; ++j) {
    if (!allSeen)
      scores.readMask(begin + j, maskRow);
    for (int64_t v = 0; v < kVectors; ++v) {
      float *at = s + j * kBlock + v * kLanes;
      Floats x = scores.bound(load(at));
      x = allSeen ? x : scores.mask(x, begin + j, v, maskRow);
      store(at, x);
      most[v] = choose(x > most[v], x, most[v]);
    }
  }
  for (int64_t v = 0; v < kVectors; ++v) {
    Floats before = load(totals.most + v * kLanes);
    // All is -inf so far: whatever is subtracted, weights are 0.
    Floats reference = choose(most[v] == -kInfinity, Floats{}, most[v]);
    Floats alpha = exp2((before - reference) * kLog2E);
    sum[v] = load(totals.sum + v * kLanes) * alpha;
    store(totals.alpha + v * kLanes, alpha);
    store(totals.most + v * kLanes, most[v]);
    Floats block = {};
    for (int64_t j = 0; j < count; ++j) {
      float *at = s + j * kBlock + v * kLanes;
      Floats weight = exp2((load(at) - reference) * kLog2E);
      store(at, weight);
      block += weight;
    }
    store(totals.sum + v * kLanes, sum[v] + block);
  }
}

void finish(const Head &head, int64_t first, const Totals &totals, float *row) {
  int64_t last = smaller(first + kBlock, head.queries);
  for (int64_t i = 0; i < last - first; ++i) {
    float sum = totals.sum[i];
    float inverse = sum == 0 ? 0 : 1 / sum;
    for (int64_t c = 0; c < head.valueWidth; ++c)
      row[c] = totals.values[c * kBlock + i] * inverse;
    writeRow(head.result, first + i, head.valueWidth, row);
    if (head.logSumExp)
      head.logSumExp[first + i] =
          sum == 0 ? -kInfinity : totals.most[i] + __builtin_logf(sum);
  }
}

int64_t forwardScratch(const Head &head) {
  int64_t widest = larger(head.width, head.valueWidth);
  return kBlock * (head.width + head.valueWidth + kForwardKeys + 4) +
         kForwardKeys * (head.width + head.valueWidth) + widest +
         int64_t(16) * 10;
}

void forward(const Head &head, int64_t firstQuery, int64_t lastQuery,
             float *memory) {
  Scratch scratch{memory};
  float *q = scratch.take(kBlock * head.width);
  float *s = scratch.take(kBlock * kForwardKeys);
  float *k = scratch.take(kForwardKeys * head.width);
  float *v = scratch.take(kForwardKeys * head.valueWidth);
  float *maskRow = scratch.take(kBlock);
  float *row = scratch.take(larger(head.width, head.valueWidth));
  Totals totals{scratch.take(kBlock), scratch.take(kBlock),
                scratch.take(kBlock), scratch.take(kBlock * head.valueWidth)};
  for (int64_t first = firstQuery; first < lastQuery; first += kBlock) {
    int64_t last = smaller(first + kBlock, head.queries);
    packLanes(head.query, first, last, head.width, row, q);
    for (int64_t i = 0; i < kBlock; ++i) {
      totals.most[i] = -kInfinity;
      totals.sum[i] = 0;
    }
    std::memset(totals.values, 0, 4 * kBlock * head.valueWidth);
    Scores scores(head, first);
    Range keys = findKeys(head, first, last);
    for (int64_t begin = keys.first; begin < keys.last; begin += kForwardKeys) {
      int64_t count = smaller(kForwardKeys, keys.last - begin);
      Left key = viewRows(head.key, begin, count, head.width, k);
      multiply<Mode::Set>(count, head.width, key, q, kBlock, s, kBlock);
      weigh(scores, scores.areAllSeen(begin, begin + count), begin, count, s,
            maskRow, totals);
      Left value = viewRows(head.value, begin, count, head.valueWidth, v);
      multiply<Mode::Scale>(head.valueWidth, count, transposed(value), s,
                            kBlock, totals.values, kBlock, totals.alpha);
    }
    finish(head, first, totals, row);
  }
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_FORWARD_H
