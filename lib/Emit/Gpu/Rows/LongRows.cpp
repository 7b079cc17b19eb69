// Rows that are too long for the registers of a block. What two sweeps read
// lies in shared memory from the first on, if there is room.
//
// All threads run the same rounds of a few chunks; the rest of the row follows
// in one round with predicates.
#include "../../Common/Cascade.h"
#include "RowEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <vector>

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

// Shared memory that a block may have on every GPU from sm_80 on: an old cubin
// or its PTX must run on newer, smaller ones.
constexpr int64_t kSharedBytes = int64_t(99) * 1024;
constexpr int64_t kCopyAlignment = 256;

/// Shared memory in which the threads' sums meet, at most.
static int64_t countSumBytes(Block &body, const RowGeometry &geometry) {
  int64_t count = 0;
  for (Operation &op : body)
    if (isa<ReductionOpInterface>(op))
      count += op.getNumResults();
  return count * llvm::alignTo(geometry.threads / kWarp * 8, 32);
}

/// Whether `sweep` neither folds nor stores, since its sums are online ones.
bool GpuRowEmitter::isIdle(unsigned sweep) {
  return plan.getResults(sweep).empty() && getOnlineSums(sweep).empty() &&
         llvm::all_of(plan.getReductions(sweep),
                      [&](ReductionOpInterface op) { return isOnline(op); });
}

/// Whether `value` is loaded with 16 bytes at a time, anew in each row, by two
/// sweeps.
bool GpuRowEmitter::isReadTwice(Value value) {
  auto access = shape.accesses.find(value);
  if (access == shape.accesses.end() || access->second.index ||
      access->second.strides[shape.axis] != 1 ||
      !isa<FloatType>(mlir::getElementTypeOrSelf(value)) ||
      shape.varies.lookup(value) != shape.allMask())
    return false;
  unsigned count = 0;
  for (unsigned sweep = 1; sweep <= plan.count(); ++sweep)
    count += shape.sweeps.lookup(value) >> sweep & 1 && !isIdle(sweep);
  return count >= 2;
}

/// Each thread reads what it has written, so none waits for another. Two blocks
/// share a multiprocessor, as they do without.
void GpuRowEmitter::keepCopies() {
  if (shape.axis != int(shape.numItemDims))
    return;
  int64_t length = shape.dims[shape.axis].size;
  // A block takes 1024 bytes beside what it asks for.
  int64_t half = task.options.gpu->sharedBytesPerMultiprocessor / 2 - 1024;
  int64_t room =
      std::min(kSharedBytes, half) - countSumBytes(task.body, geometry);
  for (Value argument : task.body.getArguments()) {
    Type element = mlir::getElementTypeOrSelf(argument);
    int64_t end = sharedBytes + length * getElementBytes(element);
    if (!isReadTwice(argument) || end > room)
      continue;
    points.keepCopy(argument,
                    function.viewDynamicShared(sharedBytes, length, element));
    sharedBytes = llvm::alignTo(end, kCopyAlignment);
  }
}

GpuRowEmitter::Accumulators GpuRowEmitter::beginSums(const RowSums &sums) {
  Accumulators accumulators =
      points.getNeutrals(sums.reductions, /*isVector=*/true);
  for (OnlineSum pair : sums.online) {
    accumulators.append(points.getNeutrals(pair.max, /*isVector=*/false));
    accumulators.append(points.getNeutrals(pair.sum, /*isVector=*/true));
  }
  return accumulators;
}

void GpuRowEmitter::addSums(const RowSums &sums, Accumulators &totals,
                            ValueRange more) {
  size_t numOthers = points.countAccumulators(sums.reductions);
  points.combine(sums.reductions, MutableArrayRef(totals).take_front(numOthers),
                 more.take_front(numOthers));
  addOnline(sums.online, MutableArrayRef(totals).drop_front(numOthers),
            more.drop_front(numOthers));
}

void GpuRowEmitter::visitRound(Scope &body, Value first, bool isGuarded,
                               Accumulators &accumulators, Visitor visit) {
  std::vector<Scope> chunks;
  for (int64_t k = 0; k < geometry.round(); ++k) {
    Value number =
        k ? function.add(first, function.index(k * geometry.threads)) : first;
    Value inside;
    if (isGuarded)
      inside = function.isBelow(number, geometry.chunksPerRow);
    chunks.push_back(makeChunk(body, number, inside));
  }
  visit(chunks, accumulators);
}

/// The chunks of a round are added in pairs, so each adds one number.
GpuRowEmitter::Accumulators
GpuRowEmitter::visitRounds(Value begin, int64_t rounds, bool isGuarded,
                           const RowSums &sums, Visitor visit) {
  bool isExact = llvm::none_of(sums.reductions, dependsOnOrder);
  Cascade cascade = isExact && sums.online.empty()
                        ? Cascade::makePlain(rounds, /*terms=*/1)
                        : Cascade::choose(rounds, /*terms=*/1);
  Operation *outer = entry.loop;
  auto beginBlock = [&] { return beginSums(sums); };
  auto add = [&](Accumulators &totals, ValueRange block) {
    addSums(sums, totals, block);
  };
  auto fill = [&](scf::ForOp outermost, scf::ForOp loop, Accumulators own) {
    item.loop = outermost;
    if (!outer)
      entry.loop = outermost;
    Scope body = item.makeInner(loop.getBody());
    points.enter(body);
    Value round =
        function.multiply(loop.getInductionVar(), geometry.chunksPerRound());
    visitRound(body, function.add(begin, round), isGuarded, own, visit);
    return own;
  };
  Accumulators totals = buildCascade(function.b, cascade, function.index(0),
                                     function.index(rounds), /*step=*/1,
                                     beginSums(sums), {beginBlock, add, fill});
  entry.loop = outer;
  item.loop = nullptr;
  return totals;
}

GpuRowEmitter::Accumulators GpuRowEmitter::visitRow(const RowSums &sums,
                                                    Visitor visit) {
  int64_t perRound = geometry.chunksPerRound();
  int64_t rounds = geometry.chunksPerRow / perRound;
  Accumulators accumulators =
      rounds ? visitRounds(thread, rounds, /*isGuarded=*/false, sums, visit)
             : beginSums(sums);
  std::vector<Scope> chunks;
  for (int64_t done = rounds * perRound; done < geometry.chunksPerRow;
       done += geometry.threads) {
    Value number = function.add(thread, function.index(done));
    Value inside;
    if (done + geometry.threads > geometry.chunksPerRow)
      inside = function.isBelow(number, geometry.chunksPerRow);
    chunks.push_back(makeChunk(item, number, inside));
  }
  if (!chunks.empty())
    visit(chunks, accumulators);
  points.enter(item);
  return accumulators;
}

bool GpuRowEmitter::isOnline(ReductionOpInterface op) {
  return llvm::any_of(onlineSums, [&](const OnlineSum &pair) {
    return pair.sum == op || pair.max == op;
  });
}

SmallVector<OnlineSum> GpuRowEmitter::getOnlineSums(unsigned sweep) {
  SmallVector<OnlineSum> sums;
  for (OnlineSum pair : onlineSums)
    if (shape.depths.lookup(pair.max->getResult(0)) == sweep)
      sums.push_back(pair);
  return sums;
}

/// What a sum that refers to `from` is to be multiplied by to refer to `to`. As
/// long as all elements are -inf, so are both, and nothing is to be done.
Value GpuRowEmitter::buildScale(OnlineSum sum, Value from, Value to) {
  auto &b = function.b;
  Value power = sum.buildElement(b, from, to);
  Value one = arith::ConstantOp::create(b, b.getFloatAttr(power.getType(), 1));
  Value same = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, from, to);
  return arith::SelectOp::create(b, same, one, power);
}

/// `scalar` in `type`, its own or a vector of it.
Value GpuRowEmitter::spread(Value scalar, Type type) {
  if (scalar.getType() == type)
    return scalar;
  return mlir::vector::BroadcastOp::create(function.b, type, scalar);
}

/// `state` is, per online sum, the largest element so far, one number per
/// thread, and the vector of sums that refer to it.
void GpuRowEmitter::foldOnline(ArrayRef<OnlineSum> sums,
                               MutableArrayRef<Scope> chunks,
                               MutableArrayRef<Value> state) {
  auto &b = function.b;
  for (auto [number, pair] : llvm::enumerate(sums)) {
    Value &largest = state[2 * number], &total = state[2 * number + 1];
    SmallVector<Accumulators> elements;
    for (Scope &chunk : chunks)
      elements.push_back(points.getFolded(pair.max, chunk));
    Accumulators round = foldPairs(pair.max, elements);
    points.foldLanes(pair.max, round);
    Value reference = largest;
    points.combine(pair.max, reference, round);
    Type type = reference.getType(), wide = total.getType();
    total = arith::MulFOp::create(
        b, total, spread(buildScale(pair, largest, reference), wide));
    // inf - inf is no number: differences refer to 0 where all is -inf, and
    // finishOnline has the last word on what is infinite.
    auto real = cast<FloatType>(type);
    Value infinite = arith::CmpFOp::create(
        b, arith::CmpFPredicate::OEQ, mlir::math::AbsFOp::create(b, reference),
        arith::ConstantOp::create(
            b, b.getFloatAttr(
                   real, llvm::APFloat::getInf(real.getFloatSemantics()))));
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    Value finite = arith::SelectOp::create(b, infinite, zero, reference);
    OnlineSum sum = pair;
    for (auto [chunk, own] : llvm::zip(chunks, elements)) {
      Value &element = own.front();
      element = sum.buildElement(b, element, spread(finite, wide));
      if (chunk.predicate)
        element = arith::SelectOp::create(
            b, chunk.predicate, element,
            points.getNeutrals(pair.sum, /*isVector=*/true).front());
    }
    points.combine(pair.sum, total, foldPairs(pair.sum, std::move(elements)));
    largest = reference;
  }
}

void GpuRowEmitter::addOnline(ArrayRef<OnlineSum> sums,
                              MutableArrayRef<Value> state, ValueRange more) {
  auto &b = function.b;
  for (auto [number, pair] : llvm::enumerate(sums)) {
    Value &largest = state[2 * number], &total = state[2 * number + 1];
    Value reference = largest;
    points.combine(pair.max, reference, more[2 * number]);
    auto refer = [&](Value sum, Value from) -> Value {
      Value scale = buildScale(pair, from, reference);
      return arith::MulFOp::create(b, sum, spread(scale, sum.getType()));
    };
    total = refer(total, largest);
    points.combine(pair.sum, total,
                   refer(more[2 * number + 1], more[2 * number]));
    largest = reference;
  }
}

/// Each thread's sum refers to its own largest element; now to that of the row.
void GpuRowEmitter::finishOnline(ArrayRef<OnlineSum> sums,
                                 ArrayRef<Value> state) {
  auto &b = function.b;
  SmallVector<ReductionOpInterface> reductions;
  SmallVector<Value> partials;
  for (auto [number, pair] : llvm::enumerate(sums)) {
    Value largest = item.values.lookup(pair.max->getResult(0));
    Value partial = state[2 * number + 1];
    points.foldLanes(pair.sum, partial);
    reductions.push_back(pair.sum);
    partials.push_back(arith::MulFOp::create(
        b, partial, buildScale(pair, state[2 * number], largest)));
  }
  partials =
      foldThreads(function, points, reductions, partials, geometry.threads);
  for (auto [pair, total] : llvm::zip(sums, partials)) {
    // 1, or NaN where the largest element is not finite, as exp(x - max) is.
    Value largest = item.values.lookup(pair.max->getResult(0));
    OnlineSum sum = pair;
    Value scaled =
        arith::MulFOp::create(b, total, sum.buildElement(b, largest, largest));
    points.setResults(pair.sum, scaled, item);
  }
}

/// In pairs first: additions need not wait for each other, and a long sum has a
/// fourth of the terms one after the other.
GpuRowEmitter::Accumulators
GpuRowEmitter::foldPairs(ReductionOpInterface op,
                         SmallVector<Accumulators> values) {
  while (values.size() > 1) {
    size_t half = llvm::divideCeil(values.size(), 2);
    for (size_t low = 0; low + half < values.size(); ++low)
      points.combine(op, values[low], values[low + half]);
    values.resize(half);
  }
  return values.front();
}

void GpuRowEmitter::foldChunks(MutableArrayRef<Scope> chunks, unsigned sweep,
                               ArrayRef<ReductionOpInterface> reductions,
                               MutableArrayRef<Value> accumulators) {
  for (Scope &chunk : chunks)
    chunk.sweep = sweep;
  points.forEach(reductions, accumulators,
                 [&](ReductionOpInterface op, MutableArrayRef<Value> own) {
                   SmallVector<Accumulators> elements;
                   for (Scope &chunk : chunks)
                     elements.push_back(points.getFolded(op, chunk));
                   points.combine(op, own, foldPairs(op, std::move(elements)));
                 });
}

void GpuRowEmitter::visitChunks(MutableArrayRef<Scope> chunks, unsigned sweep,
                                ArrayRef<ReductionOpInterface> reductions,
                                MutableArrayRef<Value> accumulators) {
  foldChunks(chunks, sweep, reductions, accumulators);
  for (Scope &chunk : chunks)
    sweeps.storeResults(chunk, sweep);
}

/// The accumulators are those of the sweep's other reductions, then the state
/// of its online sums.
void GpuRowEmitter::loopOverRow(unsigned sweep) {
  points.enter(item);
  RowSums sums{{}, getOnlineSums(sweep)};
  auto &[reductions, online] = sums;
  for (ReductionOpInterface op : plan.getReductions(sweep))
    if (!isOnline(op))
      reductions.push_back(op);
  if (isIdle(sweep))
    return;
  size_t numOthers = points.countAccumulators(reductions);
  Accumulators accumulators = visitRow(sums, [&](auto chunks, auto &all) {
    MutableArrayRef<Value> values(all);
    visitChunks(chunks, sweep, sums.reductions, values.take_front(numOthers));
    foldOnline(sums.online, chunks, values.drop_front(numOthers));
  });
  Accumulators partials(ArrayRef<Value>(accumulators).take_front(numOthers));
  points.foldLanes(reductions, partials);
  auto state = ArrayRef<Value>(accumulators).drop_front(numOthers);
  for (auto [number, pair] : llvm::enumerate(online)) {
    reductions.push_back(pair.max);
    partials.push_back(state[2 * number]);
  }
  partials =
      foldThreads(function, points, reductions, partials, geometry.threads);
  points.setResults(reductions, partials, item);
  if (!online.empty())
    finishOnline(online, state);
}
