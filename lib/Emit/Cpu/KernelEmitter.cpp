#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "llvm/Support/MathExtras.h"
#include <bit>

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

/// Lanes of the widest floating type that the body computes in.
static int64_t chooseLanes(Block &body, unsigned vectorBytes) {
  bool hasNarrow = false, hasWide = false;
  body.walk([&](Operation *op) {
    for (Value value : op->getResults()) {
      auto type = cast<RankedTensorType>(value.getType());
      Type element = type.getElementType();
      if (type.getRank() == 0 || !isa<FloatType>(element))
        continue;
      (element.isF64() ? hasWide : hasNarrow) = true;
    }
  });
  return vectorBytes / (hasWide && !hasNarrow ? 8 : 4);
}

KernelEmitter::KernelEmitter(mlir::ImplicitLocOpBuilder &builder, Block &body,
                             const graph::KernelShape &shape,
                             const CpuEmitOptions &options)
    : b(builder), body(body), shape(shape),
      memory(builder, chooseLanes(body, options.vectorBytes)),
      points(builder, body, shape, memory,
             {.lanes = chooseLanes(body, options.vectorBytes),
              .indexType = builder.getIndexType(),
              .strictRounding = options.strictRounding,
              .marksSigns = true,
              .plainMaxima = true}),
      plan(body, shape), sweeps(points, plan) {}

void KernelEmitter::emit(mlir::func::FuncOp function) {
  Block &block = function.getBody().front();
  b.setInsertionPointToStart(&block);
  auto arguments = function.getArguments();
  points.start(ValueRange(arguments).drop_back(2));
  points.reserveBuffers();
  Scope entry;
  entry.block = &block;
  entry.index.resize(shape.dims.size());
  if (points.keepsAlongAxis())
    keepAlongAxis(entry);
  Value lo = arguments[arguments.size() - 2], hi = arguments.back();
  if (shape.rowsPerPart)
    emitParts(entry, lo, hi);
  else
    emitItems(entry, lo, hi);
  mlir::func::ReturnOp::create(b);
}

void KernelEmitter::keepAlongAxis(Scope &entry) {
  sweepAxis(entry, Value(), shape.dims[shape.axis].size, /*unroll=*/1, {}, {},
            [&](Scope &chunk, MutableArrayRef<Value>) {
              points.keepAlongAxis(chunk);
            });
}

void KernelEmitter::emitItems(Scope &entry, Value lo, Value hi) {
  auto items = scf::ForOp::create(b, lo, hi, points.index(1));
  entry.loop = items;
  Scope item = entry.makeInner(items.getBody());
  item.loop = nullptr;
  points.enter(item);
  Value segment;
  divideItem(items.getInductionVar(), item, segment);
  emitSegments(item, segment);
  entry.loop = nullptr;
  b.setInsertionPointAfter(items);
}

/// A work item is the rows of a part, one after the other.
void KernelEmitter::emitParts(Scope &entry, Value lo, Value hi) {
  auto parts = scf::ForOp::create(b, lo, hi, points.index(1));
  entry.loop = parts;
  entry.part = parts.getInductionVar();
  Scope part = entry.makeInner(parts.getBody());
  points.enter(part);
  beginParts(part);
  points.enter(part);
  Value rowsPerPart = points.index(shape.rowsPerPart);
  Value first = arith::MulIOp::create(b, entry.part, rowsPerPart);
  Value end =
      arith::MinUIOp::create(b, arith::AddIOp::create(b, first, rowsPerPart),
                             points.index(shape.numItems()));
  auto rows = scf::ForOp::create(b, first, end, points.index(1));
  Scope item = entry.makeInner(rows.getBody());
  points.enter(item);
  Value segment;
  divideItem(rows.getInductionVar(), item, segment);
  emitItem(item, Value(), /*size=*/0);
  entry.loop = nullptr;
  b.setInsertionPointAfter(parts);
}

void KernelEmitter::beginParts(Scope &part) {
  auto begin = [&](Scope &chunk, MutableArrayRef<Value>) {
    for (unsigned sweep = 1; sweep <= plan.count(); ++sweep)
      for (unsigned number : plan.getPartials(sweep))
        points.beginPart(number, chunk);
  };
  loop(getReducedDims(shape, /*withAxis=*/false), /*terms=*/1, {}, part, {},
       [&](Scope &scope, Accumulators own) {
         return sweepAxis(scope, Value(), shape.dims[shape.axis].size,
                          /*unroll=*/1, {}, std::move(own), begin);
       });
}

/// Item number -> segment of the axis (fastest) and indices of the item dims.
void KernelEmitter::divideItem(Value item, Scope &scope, Value &segment) {
  SmallVector<int64_t> sizes;
  SmallVector<int> dims;
  for (int dim = 0; dim < int(shape.numItemDims); ++dim)
    if (dim != shape.axis) {
      dims.push_back(dim);
      sizes.push_back(shape.dims[dim].size);
    }
  bool isCut = shape.numSegments() > 1;
  if (isCut)
    sizes.push_back(shape.numSegments());
  SmallVector<Value> indices = divideNumber(points, b, item, sizes);
  if (isCut)
    segment = indices.pop_back_val();
  for (auto [dim, index] : llvm::zip(dims, indices))
    scope.setIndex(dim, index);
}

/// The last segment may be shorter; its size is known, so it has loops of its
/// own instead of masks that are computed.
void KernelEmitter::emitSegments(Scope &item, Value segment) {
  if (!segment) {
    int64_t size = shape.segment ? shape.dims[shape.axis].size : 0;
    return emitItem(item, Value(), size);
  }
  Value base = arith::MulIOp::create(b, segment, points.index(shape.segment));
  int64_t rest = shape.dims[shape.axis].size % shape.segment;
  if (rest == 0)
    return emitItem(item, base, shape.segment);
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, segment,
                                       points.index(shape.numSegments() - 1));
  auto choice = scf::IfOp::create(b, isLast, /*withElseRegion=*/true);
  for (bool last : {true, false}) {
    Scope branch = item;
    branch.block = last ? choice.thenBlock() : choice.elseBlock();
    points.enter(branch);
    emitItem(branch, base, last ? rest : shape.segment);
  }
  b.setInsertionPointAfter(choice);
}

void KernelEmitter::emitItem(Scope &item, Value base, int64_t size) {
  bool hasReduced = shape.numItemDims < shape.dims.size();
  if (shape.axis < 0)
    sweeps.storeResults(item, 0);
  else if (!hasReduced)
    emitPointwiseItem(item, base, size);
  else if (shape.isReducedAxis())
    emitRowItem(item);
  else
    emitColumnItem(item, base, size);
}

Cascade KernelEmitter::chooseCascade(int64_t iterations, int64_t terms,
                                     Reductions reductions) {
  return llvm::any_of(reductions, dependsOnOrder)
             ? Cascade::choose(iterations, terms)
             : Cascade::makePlain(iterations, terms);
}

int64_t KernelEmitter::getDepth(ArrayRef<unsigned> dims, int64_t terms,
                                Reductions reductions) {
  for (unsigned dim : llvm::reverse(dims))
    terms = chooseCascade(shape.dims[dim].size, terms, reductions).depth;
  return terms;
}

KernelEmitter::Accumulators KernelEmitter::loopInCascade(
    const Cascade &cascade, int64_t end, int64_t step, Reductions reductions,
    Scope &outer, const Accumulators &accumulators, IterationFiller fill) {
  auto begin = [&] {
    Accumulators neutrals;
    while (neutrals.size() < accumulators.size())
      neutrals.append(points.getNeutrals(reductions, /*isVector=*/true));
    return neutrals;
  };
  auto add = [&](Accumulators &totals, ValueRange block) {
    size_t perSet = points.countAccumulators(reductions);
    for (size_t set = 0; set < totals.size(); set += perSet)
      points.combine(reductions,
                     MutableArrayRef<Value>(totals).slice(set, perSet),
                     block.slice(set, perSet));
  };
  auto fillBody = [&](scf::ForOp outermost, scf::ForOp loop, Accumulators own) {
    outer.loop = outermost;
    return fill(loop, std::move(own));
  };
  Accumulators totals =
      buildCascade(b, cascade, points.index(0), points.index(end), step,
                   accumulators, {begin, add, fillBody});
  outer.loop = nullptr;
  return totals;
}

KernelEmitter::Accumulators
KernelEmitter::loop(ArrayRef<unsigned> dims, int64_t terms,
                    Reductions reductions, Scope &outer,
                    const Accumulators &accumulators, Filler fill) {
  if (dims.empty())
    return fill(outer, accumulators);
  unsigned dim = dims.front();
  ArrayRef<unsigned> rest = dims.drop_front();
  int64_t size = shape.dims[dim].size;
  Cascade cascade =
      chooseCascade(size, getDepth(rest, terms, reductions), reductions);
  return loopInCascade(cascade, size, /*step=*/1, reductions, outer,
                       accumulators,
                       [&](scf::ForOp nest, const Accumulators &own) {
                         Scope inner = outer.makeInner(nest.getBody());
                         inner.setIndex(dim, nest.getInductionVar());
                         points.enter(inner);
                         return loop(rest, terms, reductions, inner, own, fill);
                       });
}

/// A vector scope at `base` + `offset`, its lanes masked if too few are left.
Scope KernelEmitter::makeChunk(Scope &outer, Value base, int64_t offset,
                               int64_t lanesLeft) {
  Scope chunk = outer.makeInner(outer.block);
  chunk.isVector = true;
  Value column = base;
  if (!base)
    column = points.index(offset);
  else if (offset)
    column = arith::AddIOp::create(b, base, points.index(offset));
  chunk.setIndex(shape.axis, column);
  if (lanesLeft < points.lanes()) {
    auto type = mlir::VectorType::get({points.lanes()}, b.getI1Type());
    chunk.liveLanes = lanesLeft;
    chunk.mask = mlir::vector::ConstantMaskOp::create(
        b, type, ArrayRef<int64_t>{lanesLeft});
  }
  return chunk;
}

KernelEmitter::Accumulators
KernelEmitter::sweepAxis(Scope &outer, Value base, int64_t size, int64_t unroll,
                         Reductions reductions, Accumulators accumulators,
                         ChunkFiller fill) {
  int64_t lanes = points.lanes(), step = lanes * unroll;
  int64_t perSet = accumulators.size() / unroll;
  auto visit = [&](Scope &scope, Value from, int64_t offset, int64_t left,
                   int64_t set, Accumulators &all) {
    Scope chunk = makeChunk(scope, from, offset, left);
    fill(chunk, MutableArrayRef<Value>(all).slice(set * perSet, perSet));
  };
  int64_t main = size / step * step;
  if (main)
    accumulators =
        loopInCascade(chooseCascade(main / step, /*terms=*/1, reductions), main,
                      step, reductions, outer, accumulators,
                      [&](scf::ForOp chunks, Accumulators own) {
                        Scope body = outer.makeInner(chunks.getBody());
                        points.enter(body);
                        Value from = chunks.getInductionVar();
                        if (base)
                          from = arith::AddIOp::create(b, base, from);
                        for (int64_t set = 0; set < unroll; ++set)
                          visit(body, from, set * lanes, lanes, set, own);
                        return own;
                      });
  int64_t set = 0;
  for (int64_t offset = main; offset < size; offset += lanes)
    visit(outer, base, offset, size - offset, set++, accumulators);
  return accumulators;
}

/// Several accumulators hide the latency of an addition; large bodies have
/// enough independent work as it is, and beside accumulators one vector of
/// costly values fills the registers. A power of two, so that sets fold in
/// pairs.
int64_t KernelEmitter::getUnroll(int64_t size, unsigned sweep) {
  bool folds = sweep && !plan.getReductions(sweep).empty();
  if (folds && points.computesCostly(sweep))
    return 1;
  size_t ops = body.getOperations().size();
  int64_t wanted = folds ? (ops <= 16 ? 4 : 2) : (ops <= 16 ? 2 : 1);
  int64_t chunks = std::max<int64_t>(size / points.lanes(), 1);
  return std::min(wanted, int64_t(std::bit_floor(uint64_t(chunks))));
}

void KernelEmitter::emitPointwiseItem(Scope &item, Value base, int64_t size) {
  sweepAxis(item, base, size, getUnroll(size, /*sweep=*/0), {}, {},
            [&](Scope &chunk, MutableArrayRef<Value>) {
              sweeps.storeResults(chunk, 0);
            });
}

void KernelEmitter::emitRowItem(Scope &item) {
  for (unsigned sweep = 1; sweep <= plan.count(); ++sweep)
    sweepRow(item, sweep);
  sweeps.storeResults(item, 0);
}

void KernelEmitter::sweepRow(Scope &item, unsigned sweep) {
  auto reductions = plan.getReductions(sweep);
  int64_t size = shape.dims[shape.axis].size;
  int64_t unroll = getUnroll(size, sweep);
  Accumulators accumulators;
  for (int64_t set = 0; set < unroll; ++set)
    accumulators.append(points.getNeutrals(reductions, /*isVector=*/true));
  auto fillChunk = [&](Scope &chunk, MutableArrayRef<Value> own) {
    sweeps.visitPoint(chunk, sweep, own);
  };
  // An accumulator gets every `unroll`th chunk of the axis.
  int64_t chunks = llvm::divideCeil(size, unroll * points.lanes());
  int64_t depth = chooseCascade(chunks, /*terms=*/1, reductions).depth;
  accumulators =
      loop(getReducedDims(shape, /*withAxis=*/false), depth, reductions, item,
           accumulators, [&](Scope &scope, Accumulators own) {
             return sweepAxis(scope, Value(), size, unroll, reductions,
                              std::move(own), fillChunk);
           });
  foldSets(reductions, accumulators, unroll);
  points.foldLanes(reductions, accumulators);
  points.setResults(reductions, accumulators, item);
}

/// In pairs.
void KernelEmitter::foldSets(Reductions reductions, Accumulators &sets,
                             int64_t count) {
  size_t perSet = points.countAccumulators(reductions);
  for (; count > 1; count /= 2) {
    Accumulators upper(ArrayRef(sets).drop_front(count / 2 * perSet));
    sets.resize(count / 2 * perSet);
    for (size_t set = 0; set < sets.size(); set += perSet)
      points.combine(reductions,
                     MutableArrayRef<Value>(sets).slice(set, perSet),
                     ValueRange(upper).slice(set, perSet));
  }
}
