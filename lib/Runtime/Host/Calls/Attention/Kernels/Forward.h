// Results and log-sum-exp of the queries of a head.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_FORWARD_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_FORWARD_H

#include "Scores.h"

namespace {
inline int64_t countBytes(const Rows &rows) {
  return rows.type == Element::F32 ? 4 : 2;
}

/// Rows of one head of many lie in another page each. Where they are more than
/// the processor finds pages of at a time (4 MB of them), a task, which comes
/// by all rows again and again, gathers them first.
inline bool areFar(const Rows &rows, int64_t count, int64_t width) {
  return rows.rowStride >= 4 * width &&
         (count - 1) * rows.rowStride * countBytes(rows) >= int64_t(4) << 20;
}
/// Floats that gatherRows needs.
inline int64_t countGathered(const Rows &rows, int64_t count, int64_t width) {
  return areFar(rows, count, width) ? (count * width * countBytes(rows) + 3) / 4
                                    : 0;
}
/// Rows [first, first + count), from row 0 on; in `buffer`, if there is one.
inline Rows gatherRows(const Rows &rows, int64_t first, int64_t count,
                       int64_t width, float *buffer) {
  const char *from = static_cast<const char *>(rows.data) +
                     first * rows.rowStride * countBytes(rows);
  if (!buffer)
    return {rows.type, from, rows.rowStride};
  int64_t bytes = width * countBytes(rows);
  for (int64_t t = 0; t < count; ++t)
    std::memcpy(reinterpret_cast<char *>(buffer) + t * bytes,
                from + t * rows.rowStride * countBytes(rows), bytes);
  return {rows.type, buffer, width};
}

/// What a task has in memory.
struct ForwardMemory {
  /// `columnWords`: of the values, as the unit has them.
  ForwardMemory(const Head &head, int64_t columnWords, Scratch scratch) {
    int64_t width = roundUp(head.valueWidth, kLanes);
    keys = scratch.takeWords(head.keys * countRowWords(head.key, head.width));
    valueRows = scratch.takeWords(head.keys *
                                  countRowWords(head.value, head.valueWidth));
    values = scratch.takeWords(columnWords);
    int64_t floats = countGathered(head.key, head.keys, head.width);
    farKeys = floats ? scratch.take(floats) : nullptr;
    floats = countGathered(head.value, head.keys, head.valueWidth);
    farValues = floats ? scratch.take(floats) : nullptr;
    lanes = scratch.takeWords(kBlock * countPaddedWords(head.width));
    rows = scratch.takeWords(kBlock * countPaddedWords(head.width));
    scores = scratch.take(kBlock * kForwardKeys);
    weights = kPair == 1 ? reinterpret_cast<Word *>(scores)
                         : scratch.takeWords(kBlock * kForwardKeys / kPair);
    mask = scratch.take(head.isMasked ? kBlock * kForwardKeys : 0);
    factors =
        head.dropout.draws ? scratch.take(kBlock * kForwardKeys) : nullptr;
    for (float **row : {&most, &sum, &alpha})
      *row = scratch.take(kBlock);
    totals = scratch.take(kBlock * width);
    count = scratch.count();
  }

  /// Of all keys that the task sees, where they do not serve as they lie.
  Word *keys, *valueRows, *values;
  float *farKeys, *farValues; ///< see areFar; else null
  // Of a block of queries.
  Word *lanes, *rows;
  float *scores;
  Word *weights;
  float *mask;
  float *factors; ///< of weights; null without dropout
  /// Maximum and sum so far of each query, and its weighted sum of values.
  float *most, *sum, *alpha, *totals;
  int64_t count; ///< of floats, all in all
};

/// Makes scores of products, with their maximum in `most`. Where they differ by
/// a factor alone it is left for later, and returned.
template <Seen seen>
float score(Scores scores, int64_t begin, int64_t count,
            const ForwardMemory &own, Floats (&most)[kVectors]) {
  bool areProducts = scores.areProducts();
  float factor = areProducts ? scores.getScale() : 1;
  Floats largest[kVectors];
  for (Floats &x : largest)
    x = spread(-kInfinity);
  if (seen == Seen::ByMask)
    scores.readMask(begin, count, own.mask);
  for (int64_t j = 0; j < count; ++j)
    for (int64_t v = 0; v < kVectors; ++v) {
      float *at = own.scores + j * kBlock + v * kLanes;
      Floats x = areProducts ? load(at) : scores.bound(load(at));
      x = scores.mask<seen>(x, begin + j, v, own.mask + j * kBlock);
      if (seen != Seen::All || !areProducts)
        store(at, x);
      largest[v] = choose(x > largest[v], x, largest[v]);
    }
  // The last word's other keys are none.
  for (int64_t i = count * kBlock; i < roundUp(count, kPair) * kBlock; ++i)
    own.scores[i] = -kInfinity;
  for (int64_t v = 0; v < kVectors; ++v) {
    Floats before = load(own.most + v * kLanes), now = largest[v] * factor;
    most[v] = choose(now > before, now, before);
  }
  return factor;
}

/// Makes weights of `count` scores; what came before refers to a smaller
/// maximum and is scaled by `alpha`.
[[gnu::noinline]] void weigh(int64_t count, float factor,
                             const ForwardMemory &own,
                             const Floats (&most)[kVectors]) {
  for (int64_t v = 0; v < kVectors; ++v) {
    int64_t lane = v * kLanes;
    // All is -inf so far: whatever is subtracted, weights are 0.
    Floats reference = choose(most[v] == -kInfinity, Floats{}, most[v]);
    Floats alpha = Scores::exponentiate(load(own.most + lane) - reference);
    store(own.alpha + lane, alpha);
    store(own.most + lane, most[v]);
    Floats sums[kPair] = {};
    for (int64_t j = 0; j < count; j += kPair) {
      Floats weights[kPair];
      for (int64_t p = 0; p < kPair; ++p) {
        Floats x = rounded(load(own.scores + (j + p) * kBlock + lane) * factor);
        weights[p] = Scores::weigh(x - reference);
        sums[p] += weights[p];
        if (own.factors)
          weights[p] *= load(own.factors + (j + p) * kBlock + lane);
      }
      storeWords(own.weights + j / kPair * kBlock + lane, joinRows(weights));
    }
    Floats sum = load(own.sum + lane) * alpha;
    for (Floats block : sums)
      sum += block;
    store(own.sum + lane, sum);
  }
}

template <Seen seen>
[[gnu::noinline]] void weigh(const Scores &scores, int64_t begin, int64_t count,
                             const ForwardMemory &own) {
  Floats most[kVectors];
  float factor = score<seen>(scores, begin, count, own, most);
  weigh(count, factor, own, most);
}

/// Products become weights.
inline void weigh(const Scores &scores, int64_t begin, int64_t count,
                  const ForwardMemory &own) {
  Seen seen = scores.see(begin, begin + count);
  if (seen == Seen::All)
    weigh<Seen::All>(scores, begin, count, own);
  else if (seen == Seen::ByPosition)
    weigh<Seen::ByPosition>(scores, begin, count, own);
  else
    weigh<Seen::ByMask>(scores, begin, count, own);
}

inline void beginQueries(const Head &head, const ForwardMemory &own) {
  for (int64_t i = 0; i < kBlock; ++i) {
    own.most[i] = -kInfinity;
    own.sum[i] = 0;
  }
  std::memset(own.totals, 0, 4 * kBlock * head.valueWidth);
}

inline void endQueries(const Head &head, int64_t first,
                       const ForwardMemory &own) {
  Floats inverse[kVectors];
  for (int64_t v = 0; v < kVectors; ++v) {
    Floats sum = load(own.sum + v * kLanes);
    inverse[v] = choose(sum == 0.0f, Floats{}, 1.0f / sum);
  }
  unpackLanes(own.totals, inverse, first, head.queries, head.valueWidth,
              head.result);
  for (int64_t i = 0; head.logSumExp && i < kBlock && first + i < head.queries;
       ++i)
    head.logSumExp[first + i] =
        own.sum[i] == 0 ? -kInfinity : own.most[i] + __builtin_logf(own.sum[i]);
}

template <typename Unit>
ForwardMemory layForward(const Head &head, float *memory) {
  return {head, Unit::countColumnWords(head.keys, head.valueWidth),
          Scratch(memory)};
}

template <typename Unit> int64_t forwardScratch(const Head &head) {
  return layForward<Unit>(head, nullptr).count;
}

template <typename Unit>
void forward(const Head &head, int64_t firstQuery, int64_t lastQuery,
             float *memory) {
  Unit on;
  ForwardMemory own = layForward<Unit>(head, memory);
  // Packed once, for all queries of the task.
  Range all = findKeys(head, firstQuery, lastQuery);
  int64_t allCount = all.last - all.first;
  Rows key = gatherRows(head.key, all.first, allCount, head.width, own.farKeys);
  Rows value = gatherRows(head.value, all.first, allCount, head.valueWidth,
                          own.farValues);
  Left allKeys = viewRows(key, 0, allCount, head.width, own.keys);
  Left allValues = Unit::viewColumns(
      viewRows(value, 0, allCount, head.valueWidth, own.valueRows), allCount,
      head.valueWidth, own.values);
  for (int64_t first = firstQuery; first < lastQuery; first += kBlock) {
    packLanes(head.query, first, head.queries, head.width, own.rows, own.lanes);
    beginQueries(head, own);
    Scores scores(head, first);
    Range keys = findKeys(head, first, smaller(first + kBlock, head.queries));
    if (keys.first < keys.last) // words begin with an even key of the task
      keys.first -= (keys.first - all.first) % kPair;
    for (int64_t begin = keys.first; begin < keys.last; begin += kForwardKeys) {
      int64_t count = smaller(kForwardKeys, keys.last - begin);
      on.template multiply<Mode::Set>(count, countWords(head.width),
                                      skipRows(allKeys, begin - all.first),
                                      own.lanes, kBlock, own.scores, kBlock);
      if (own.factors)
        drawFactors(head, first, begin, roundUp(count, kPair), own.factors);
      weigh(scores, begin, count, own);
      on.template multiply<Mode::Scale>(
          head.valueWidth, countWords(count),
          skipColumns(allValues, (begin - all.first) / kPair), own.weights,
          kBlock, own.totals, kBlock, own.alpha);
    }
    endQueries(head, first, own);
  }
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_FORWARD_H
