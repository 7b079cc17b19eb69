// Gradients of a head of keys and of the heads of queries that share it.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_BACKWARD_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_BACKWARD_H

#include "Scores.h"

namespace {
/// What a task has in memory. Queries are whole blocks, with zeros past the
/// last one.
struct BackwardMemory {
  /// `columnWords`: of a block of keys, as the unit has them.
  BackwardMemory(const Head &head, int64_t columnWords, Scratch scratch);

  int64_t count;             ///< of queries
  int64_t width, valueWidth; ///< of rows, whole blocks of lanes
  // Of all queries of a head: with a query in each lane, block by block, and as
  // rows of words along time.
  Word *lanes, *cotangentLanes, *rows, *cotangentRows;
  float *gradient; ///< with a query in each lane
  float *logSum, *delta;
  /// Of all keys and values: [keys, width].
  float *keyTotals, *valueTotals;
  // Of a block of keys, where they do not serve as they lie.
  Word *keyRows, *keyColumns, *valueRows;
  // Of a block of keys with a block of queries.
  float *scores, *cotangents;
  /// Weights and slopes as words along the queries, slopes along the keys too.
  Word *weightRows, *slopeRows, *slopeColumns;
  float *mask, *staging;
  float *factors; ///< of weights; null without dropout
  int64_t floats; ///< all in all
};
} // namespace

inline BackwardMemory::BackwardMemory(const Head &head, int64_t columnWords,
                                      Scratch scratch) {
  count = roundUp(head.queries, kBlock);
  width = roundUp(head.width, kBlock);
  valueWidth = roundUp(head.valueWidth, kBlock);
  lanes = scratch.takeWords(count * countPaddedWords(head.width));
  cotangentLanes = scratch.takeWords(count * countPaddedWords(head.valueWidth));
  rows = scratch.takeWords(count / kPair * width);
  cotangentRows = scratch.takeWords(count / kPair * valueWidth);
  gradient = scratch.take(count * roundUp(head.width, kLanes));
  logSum = scratch.take(count);
  delta = scratch.take(count);
  keyTotals = scratch.take(head.keys * width);
  valueTotals = scratch.take(head.keys * valueWidth);
  keyRows =
      scratch.takeWords(kBackwardKeys * countRowWords(head.key, head.width));
  keyColumns = scratch.takeWords(columnWords);
  valueRows = scratch.takeWords(kBackwardKeys *
                                countRowWords(head.value, head.valueWidth));
  scores = scratch.take(kBlock * kBackwardKeys);
  cotangents = scratch.take(kBlock * kBackwardKeys);
  weightRows = reinterpret_cast<Word *>(scores);
  slopeRows = slopeColumns = reinterpret_cast<Word *>(cotangents);
  if (kPair > 1)
    for (Word **words : {&weightRows, &slopeRows, &slopeColumns})
      *words = scratch.takeWords(kBlock * kBackwardKeys / kPair);
  factors = head.dropout.draws ? scratch.take(kBlock * kBackwardKeys) : nullptr;
  mask = scratch.take(head.isMasked ? kBlock * kBackwardKeys : 0);
  staging = scratch.take(kBlock * larger(width, valueWidth));
  floats = scratch.count();
}

namespace {
/// All rows of `from` as rows of words along time, `padded` wide.
inline void packTime(const Head &head, const Rows &from, int64_t width,
                     int64_t padded, int64_t count, Word *to) {
  for (int64_t i = 0; i < count; i += kPair) {
    Word *row = to + i / kPair * padded;
    if (width < padded || i >= head.queries)
      std::memset(row, 0, 4 * padded);
    if (i < head.queries)
      packPair(from, i, head.queries, width, row);
  }
}

/// Of the cotangent and the result of each query, the dot product.
inline void packDeltas(const Head &head, const BackwardMemory &own) {
  float *cotangent = own.staging, *result = own.staging + own.valueWidth;
  for (int64_t first = 0; first < own.count; first += kLanes) {
    Ints parts[kLanes] = {};
    for (int64_t r = 0; r < kLanes && first + r < head.queries; ++r) {
      readRow(head.cotangent, first + r, head.valueWidth, cotangent);
      readRow(head.result, first + r, head.valueWidth, result);
      parts[r] = toBits(multiplyRowPair(cotangent, result, head.valueWidth));
    }
    store(own.delta + first, sumRows(parts));
  }
}

inline void packQueries(const Head &head, const BackwardMemory &own) {
  packTime(head, head.query, head.width, own.width, own.count, own.rows);
  packTime(head, head.cotangent, head.valueWidth, own.valueWidth, own.count,
           own.cotangentRows);
  Word *staging = reinterpret_cast<Word *>(own.staging);
  for (int64_t first = 0; first < own.count; first += kBlock) {
    packLanes(head.query, first, head.queries, head.width, staging,
              own.lanes + first * countPaddedWords(head.width));
    packLanes(head.cotangent, first, head.queries, head.valueWidth, staging,
              own.cotangentLanes + first * countPaddedWords(head.valueWidth));
  }
  for (int64_t i = 0; i < own.count; ++i) {
    bool sees = i < head.queries && head.logSumExp[i] != -kInfinity;
    own.logSum[i] = sees ? head.logSumExp[i] : kInfinity; // or weights are 0
  }
  packDeltas(head, own);
  std::memset(own.gradient, 0, 4 * own.count * roundUp(head.width, kLanes));
}

/// Weights and slopes of kBlock queries from `first` on for the keys
/// [begin, begin + count).
template <Seen seen>
[[gnu::noinline]] void differentiate(Scores scores, const BackwardMemory &own,
                                     int64_t first, int64_t begin,
                                     int64_t count) {
  Floats logSums[kVectors], deltas[kVectors];
  for (int64_t v = 0; v < kVectors; ++v) {
    logSums[v] = load(own.logSum + first + v * kLanes);
    deltas[v] = load(own.delta + first + v * kLanes);
  }
  if (seen == Seen::ByMask)
    scores.readMask(begin, count, own.mask);
  for (int64_t j = 0; j < count; j += kPair)
    for (int64_t v = 0; v < kVectors; ++v) {
      int64_t at = j * kBlock + v * kLanes;
      Floats weights[kPair] = {}, slopes[kPair] = {};
      for (int64_t p = 0; p < kPair; ++p) {
        if (j + p >= count)
          continue;
        Floats bounded = scores.bound(load(own.scores + at + p * kBlock));
        Floats x = scores.mask<seen>(bounded, begin + j + p, v,
                                     own.mask + (j + p) * kBlock);
        weights[p] = Scores::weigh(x - logSums[v]);
        Floats cotangent = load(own.cotangents + at + p * kBlock);
        Floats weight = weights[p];
        if (own.factors) {
          Floats factor = load(own.factors + at + p * kBlock);
          cotangent *= factor;
          weights[p] *= factor;
        }
        Floats slope = weight * (cotangent - deltas[v]);
        slope = scores.differentiateBound(bounded, slope);
        slopes[p] =
            seen == Seen::All ? slope : choose(weight == 0.0f, Floats{}, slope);
      }
      constexpr int64_t stride = kBlock / kPair;
      int64_t row = j * stride + v * kLanes / kPair;
      storeRows(weights, own.weightRows + row, stride);
      storeBoth(slopes, own.slopeRows + row, stride,
                own.slopeColumns + j / kPair * kBlock + v * kLanes);
    }
}

inline void differentiate(const Head &head, const BackwardMemory &own,
                          int64_t first, int64_t begin, int64_t count) {
  Scores scores(head, first);
  Seen seen = scores.see(begin, begin + count);
  if (seen == Seen::All)
    differentiate<Seen::All>(scores, own, first, begin, count);
  else if (seen == Seen::ByPosition)
    differentiate<Seen::ByPosition>(scores, own, first, begin, count);
  else
    differentiate<Seen::ByMask>(scores, own, first, begin, count);
}

/// Sums over the queries of a block, for each key: rows of `width` lanes.
template <typename Unit>
void addToKeys(const Unit &on, int64_t count, const Word *weights,
               const Word *rows, int64_t width, float *total) {
  constexpr int64_t words = kBlock / kPair;
  Left left{reinterpret_cast<const char *>(weights), 4 * words, 4};
  for (int64_t c = 0; c < width; c += kBlock)
    on.template multiply<Mode::Add>(count, words, left, rows + c, width,
                                    total + c, width);
}

template <typename Unit>
void differentiateHead(const Unit &on, const Head &head,
                       const BackwardMemory &own) {
  int64_t words = countPaddedWords(head.width),
          valueWords = countPaddedWords(head.valueWidth);
  for (int64_t begin = 0; begin < head.keys; begin += kBackwardKeys) {
    int64_t all = smaller(kBackwardKeys, head.keys - begin);
    Range queries = findQueries(head, begin, begin + all);
    if (queries.first == queries.last)
      continue;
    Left keys = viewRows(head.key, begin, all, head.width, own.keyRows);
    Left columns = Unit::viewColumns(keys, all, head.width, own.keyColumns);
    Left values =
        viewRows(head.value, begin, all, head.valueWidth, own.valueRows);
    for (int64_t first = queries.first / kBlock * kBlock; first < queries.last;
         first += kBlock) {
      Range seen = findKeys(head, first, first + kBlock);
      int64_t skip = larger(0, seen.first - begin) / kPair * kPair;
      int64_t count = smaller(all, seen.last - begin) - skip;
      if (count <= 0)
        continue;
      on.template multiply<Mode::Set>(
          count, countWords(head.width), skipRows(keys, skip),
          own.lanes + first * words, kBlock, own.scores, kBlock);
      on.template multiply<Mode::Set>(count, countWords(head.valueWidth),
                                      skipRows(values, skip),
                                      own.cotangentLanes + first * valueWords,
                                      kBlock, own.cotangents, kBlock);
      int64_t key = begin + skip;
      if (own.factors)
        drawFactors(head, first, key, count, own.factors);
      differentiate(head, own, first, key, count);
      addToKeys(on, count, own.weightRows,
                own.cotangentRows + first / kPair * own.valueWidth,
                own.valueWidth, own.valueTotals + key * own.valueWidth);
      addToKeys(on, count, own.slopeRows, own.rows + first / kPair * own.width,
                own.width, own.keyTotals + key * own.width);
      on.template multiply<Mode::Add>(
          head.width, countWords(count), skipColumns(columns, skip / kPair),
          own.slopeColumns, kBlock,
          own.gradient + first * roundUp(head.width, kLanes), kBlock);
    }
  }
}

template <typename Unit>
BackwardMemory layBackward(const Head &head, float *memory) {
  return {head, Unit::countColumnWords(kBackwardKeys, head.width),
          Scratch(memory)};
}

template <typename Unit> int64_t backwardScratch(const Head &head) {
  return layBackward<Unit>(head, nullptr).floats;
}

template <typename Unit> void beginKeys(const Head &head, float *memory) {
  BackwardMemory own = layBackward<Unit>(head, memory);
  std::memset(own.keyTotals, 0, 4 * head.keys * own.width);
  std::memset(own.valueTotals, 0, 4 * head.keys * own.valueWidth);
}

template <typename Unit> void backward(const Head &head, float *memory) {
  Unit on;
  BackwardMemory own = layBackward<Unit>(head, memory);
  packQueries(head, own);
  differentiateHead(on, head, own);
  if (!head.queryGradient.data)
    return;
  Floats scales[kVectors];
  for (Floats &scale : scales)
    scale = spread(head.scale);
  for (int64_t first = 0; first < head.queries; first += kBlock)
    unpackLanes(own.gradient + first * roundUp(head.width, kLanes), scales,
                first, head.queries, head.width, head.queryGradient);
}

template <typename Unit>
void endKeys(const Head &head, const KeyGradients &gradients, float *memory) {
  BackwardMemory own = layBackward<Unit>(head, memory);
  for (int64_t j = 0; j < head.keys; ++j) {
    if (gradients.key.data)
      writeRow(gradients.key, j, head.width, head.scale,
               own.keyTotals + j * own.width);
    if (gradients.value.data)
      writeRow(gradients.value, j, head.valueWidth, 1,
               own.valueTotals + j * own.valueWidth);
  }
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_BACKWARD_H
