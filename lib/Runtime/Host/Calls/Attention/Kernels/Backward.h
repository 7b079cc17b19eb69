// Gradients of a head of keys and of the heads of queries that share it.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_BACKWARD_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_BACKWARD_H

#include "Scores.h"

namespace {
/// What is made once of a head of queries.
struct Queries {
  int64_t width, valueWidth; ///< of rows, whole vectors
  float *lanes, *cotangentLanes, *rows, *cotangentRows, *gradient;
  float *logSum, *delta;
};

int64_t paddedQueries(const Head &head) {
  return roundUp(head.queries, kBlock);
}

Queries takeQueries(const Head &head, Scratch &scratch) {
  int64_t count = paddedQueries(head);
  Queries own;
  own.width = roundUp(head.width, kBlock);
  own.valueWidth = roundUp(head.valueWidth, kBlock);
  own.lanes = scratch.take(count * head.width);
  own.cotangentLanes = scratch.take(count * head.valueWidth);
  own.rows = scratch.take(count * own.width);
  own.cotangentRows = scratch.take(count * own.valueWidth);
  own.gradient = scratch.take(count * head.width);
  own.logSum = scratch.take(count);
  own.delta = scratch.take(count);
  return own;
}

/// `row` has room for two rows.
void packQueries(const Head &head, const Queries &own, float *row) {
  int64_t count = paddedQueries(head);
  float *other = row + roundUp(larger(head.width, head.valueWidth), 16);
  for (int64_t i = 0; i < count; ++i) {
    float *q = own.rows + i * own.width;
    float *dO = own.cotangentRows + i * own.valueWidth;
    std::memset(q, 0, 4 * own.width);
    std::memset(dO, 0, 4 * own.valueWidth);
    own.delta[i] = 0;
    own.logSum[i] = kInfinity; // weights are 0
    if (i >= head.queries)
      continue;
    readRow(head.query, i, head.width, q);
    readRow(head.cotangent, i, head.valueWidth, dO);
    readRow(head.result, i, head.valueWidth, other);
    float delta = 0;
    for (int64_t c = 0; c < head.valueWidth; ++c)
      delta += dO[c] * other[c];
    own.delta[i] = delta;
    if (head.logSumExp[i] != -kInfinity)
      own.logSum[i] = head.logSumExp[i];
  }
  for (int64_t first = 0; first < count; first += kBlock) {
    packLanes(head.query, first, head.queries, head.width, row,
              own.lanes + first * head.width);
    packLanes(head.cotangent, first, head.queries, head.valueWidth, row,
              own.cotangentLanes + first * head.valueWidth);
  }
  std::memset(own.gradient, 0, 4 * count * head.width);
}

/// Weights into `s`, gradients of scores into `dP`.
void differentiate(const Head &head, const Queries &own, int64_t first,
                   int64_t begin, int64_t count, float *s, float *dP,
                   float *maskRow) {
  Scores scores(head, first);
  bool allSeen = scores.areAllSeen(begin, begin + count);
  for (int64_t j = 0; j < count; ++j) {
    if (!allSeen)
      scores.readMask(begin + j, maskRow);
    for (int64_t v = 0; v < kVectors; ++v) {
      int64_t at = j * kBlock + v * kLanes, i = first + v * kLanes;
      Floats bounded = scores.bound(load(s + at));
      Floats x =
          allSeen ? bounded : scores.mask(bounded, begin + j, v, maskRow);
      Floats weight = exp2((x - load(own.logSum + i)) * kLog2E);
      Floats slope = weight * (load(dP + at) - load(own.delta + i));
      if (head.softcap) {
        Floats ratio = bounded * (1 / head.softcap);
        slope *= 1.0f - ratio * ratio;
      }
      store(s + at, weight);
      store(dP + at, choose(weight == 0.0f, Floats{}, slope));
    }
  }
}

/// Sums over the queries of a block, for each key: rows of `width` lanes.
void addToKeys(int64_t count, const float *weights, const float *rows,
               int64_t width, float *total) {
  for (int64_t c = 0; c < width; c += kBlock)
    multiply<Mode::Add>(count, kBlock, {weights, kBlock, 1}, rows + c, width,
                        total + c, width);
}

/// Of keys and values: [keys, width] each.
struct KeyTotals {
  float *key, *value;
};

void differentiateHead(const Head &head, const Queries &own,
                       const KeyTotals &totals, Scratch scratch) {
  float *s = scratch.take(kBlock * kBackwardKeys);
  float *dP = scratch.take(kBlock * kBackwardKeys);
  float *k = scratch.take(kBackwardKeys * head.width);
  float *v = scratch.take(kBackwardKeys * head.valueWidth);
  float *maskRow = scratch.take(kBlock);
  for (int64_t begin = 0; begin < head.keys; begin += kBackwardKeys) {
    int64_t count = smaller(kBackwardKeys, head.keys - begin);
    Left key = viewRows(head.key, begin, count, head.width, k);
    Left value = viewRows(head.value, begin, count, head.valueWidth, v);
    Range queries = findQueries(head, begin, begin + count);
    for (int64_t first = queries.first / kBlock * kBlock; first < queries.last;
         first += kBlock) {
      multiply<Mode::Set>(count, head.width, key,
                          own.lanes + first * head.width, kBlock, s, kBlock);
      multiply<Mode::Set>(count, head.valueWidth, value,
                          own.cotangentLanes + first * head.valueWidth, kBlock,
                          dP, kBlock);
      differentiate(head, own, first, begin, count, s, dP, maskRow);
      addToKeys(count, s, own.cotangentRows + first * own.valueWidth,
                own.valueWidth, totals.value + begin * own.valueWidth);
      addToKeys(count, dP, own.rows + first * own.width, own.width,
                totals.key + begin * own.width);
      multiply<Mode::Add>(head.width, count, transposed(key), dP, kBlock,
                          own.gradient + first * head.width, kBlock);
    }
  }
}

int64_t backwardScratch(const Head &head) {
  int64_t width = roundUp(head.width, kBlock),
          valueWidth = roundUp(head.valueWidth, kBlock);
  return paddedQueries(head) *
             (2 * head.width + head.valueWidth + width + valueWidth + 2) +
         head.keys * (width + valueWidth) + kBlock * (2 * kBackwardKeys + 1) +
         kBackwardKeys * (head.width + head.valueWidth) +
         2 * larger(width, valueWidth) + int64_t(16) * 20;
}

/// Where everything lies, the same for all heads of a call.
struct Layout {
  Queries queries;
  KeyTotals totals;
  float *row; ///< two of them
  Scratch rest;
};

Layout layOut(const Head &head, float *memory) {
  Scratch scratch{memory};
  Queries queries = takeQueries(head, scratch);
  KeyTotals totals{scratch.take(head.keys * queries.width),
                   scratch.take(head.keys * queries.valueWidth)};
  float *row = scratch.take(2 * larger(queries.width, queries.valueWidth));
  return {queries, totals, row, scratch};
}

void beginKeys(const Head &head, float *memory) {
  Layout own = layOut(head, memory);
  std::memset(own.totals.key, 0, 4 * head.keys * own.queries.width);
  std::memset(own.totals.value, 0, 4 * head.keys * own.queries.valueWidth);
}

void backward(const Head &head, float *memory) {
  Layout own = layOut(head, memory);
  packQueries(head, own.queries, own.row);
  differentiateHead(head, own.queries, own.totals, own.rest);
  if (!head.queryGradient.data)
    return;
  for (int64_t first = 0; first < head.queries; first += kBlock)
    unpackLanes(own.queries.gradient + first * head.width, head.scale, first,
                head.queries, head.width, own.row, head.queryGradient);
}

void endKeys(const Head &head, const KeyGradients &gradients, float *memory) {
  Layout own = layOut(head, memory);
  for (int64_t j = 0; j < head.keys; ++j) {
    float *key = own.totals.key + j * own.queries.width;
    for (int64_t c = 0; c < head.width; ++c)
      key[c] *= head.scale;
    if (gradients.key.data)
      writeRow(gradients.key, j, head.width, key);
    if (gradients.value.data)
      writeRow(gradients.value, j, head.valueWidth,
               own.totals.value + j * own.queries.valueWidth);
  }
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_BACKWARD_H
