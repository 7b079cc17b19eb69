// Purpose: a value that is too large for memory is made in chunks of rows, and
// so is all that is as large: logits, and what a loss and its gradient make of
// them. Before: a product carries `graph.chunks`. After: the part that
// RowChunks finds for it stands there once per chunk, on slices of what it
// reads; what has rows is joined again, and sums over rows are added in the
// order of the chunks, those of 16 bits in f32. Each chunk waits for the one
// before by `graph.optimization_barrier`. A part of more chunks than rows is
// cut along the next dim of each chunk.
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/Analysis/Memory/RowChunks.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Interfaces/DimsOpInterfaces.h"
#include "mpc/Interfaces/KernelOpInterfaces.h"

namespace mpc::graph {
#define GEN_PASS_DEF_CHUNKROWS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;
namespace remark = mlir::remark;

namespace {

constexpr StringRef kReason = "chunks of rows are summed in f32";

/// Writes one part in chunks.
class Chunker {
public:
  Chunker(const RowChunks &part, Operation *product, int64_t chunks)
      : part(part), product(product),
        rowsPerChunk(
            llvm::divideCeil(part.getRows(), std::min(chunks, part.getRows()))),
        left(llvm::divideCeil(chunks, std::min(chunks, part.getRows()))),
        builder(product->getLoc(), product->getContext()),
        pieces(part.getResults().size()) {
    builder.setInsertionPointAfter(part.getOps().back());
  }

  /// The products of the chunks.
  SmallVector<Operation *> run();

private:
  Operation *writeChunk(int64_t first, int64_t count);
  /// The part of `type` that begins at `begin` along `dim`.
  Value slice(Value whole, RankedTensorType type, int64_t begin, int64_t dim);
  Value wide(Value value);
  void add(size_t result, Value piece);
  void replaceResults();

  const RowChunks &part;
  Operation *product;
  int64_t rowsPerChunk;
  int64_t left; ///< Chunks that each chunk is to be cut into.
  mlir::ImplicitLocOpBuilder builder;
  /// For each result: of one with rows those of the chunks, of a sum the sum.
  SmallVector<SmallVector<Value>> pieces;
  Value last; ///< Of the chunk before.
};

} // namespace

Value Chunker::slice(Value whole, RankedTensorType type, int64_t begin,
                     int64_t dim) {
  SmallVector<int64_t> offsets(type.getRank(), 0);
  offsets[dim] = begin;
  return SliceOp::create(builder, whole, offsets, type.getShape(),
                         /*steps=*/mlir::DenseI64ArrayAttr());
}

/// In the type in which sums of it are made.
Value Chunker::wide(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type sum = getComputeType(type.getElementType());
  if (sum == type.getElementType() || !isa<FloatType>(sum))
    return value;
  return CastOp::create(builder, type.clone(sum), value,
                        builder.getStringAttr(kReason));
}

void Chunker::add(size_t result, Value piece) {
  SmallVector<Value> &known = pieces[result];
  if (part.hasRows(part.getResults()[result]))
    return known.push_back(piece);
  Value term = wide(piece);
  if (known.empty())
    return known.push_back(term);
  known.front() = AddOp::create(builder, known.front(), term);
  last = known.front();
}

/// The ops for `count` rows from `first` on; their product.
Operation *Chunker::writeChunk(int64_t first, int64_t count) {
  mlir::IRMapping map;
  for (Value input : part.getInputs()) {
    Value whole = input;
    if (last && input == part.getInputs().front())
      whole =
          OptimizationBarrierOp::create(builder, input.getType(), input, last);
    map.map(input,
            slice(whole, part.typeWith(input, count),
                  first * part.getSizePerRow(input), part.getDim(input)));
  }
  for (Operation *op : part.getOps()) {
    Operation *copy = builder.clone(*op, map);
    for (auto [before, after] :
         llvm::zip(op->getResults(), copy->getResults())) {
      RankedTensorType type = part.typeWith(before, count);
      if (auto resizable = dyn_cast<ResizableOpInterface>(copy))
        resizable.resize(type);
      else
        after.setType(type);
    }
  }
  for (auto [index, result] : llvm::enumerate(part.getResults())) {
    last = map.lookup(result);
    add(index, last);
  }
  return map.lookup(product->getResult(0)).getDefiningOp();
}

/// Whoever widens a sum reads it before it is rounded.
void Chunker::replaceResults() {
  for (auto [result, values] : llvm::zip(part.getResults(), pieces)) {
    Value whole = values.front();
    if (part.hasRows(result))
      whole = ConcatOp::create(builder, values, part.getDim(result));
    if (whole.getType() == result.getType()) {
      Value(result).replaceAllUsesWith(whole);
      continue;
    }
    for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
      if (auto cast = dyn_cast<CastOp>(user);
          cast && cast.getType() == whole.getType() && cast.getReason())
        cast->replaceAllUsesWith(mlir::ValueRange(whole));
    Value rounded = CastOp::create(builder, result.getType(), whole,
                                   builder.getStringAttr(kReason));
    Value(result).replaceAllUsesWith(rounded);
  }
}

SmallVector<Operation *> Chunker::run() {
  SmallVector<Operation *> products;
  for (int64_t first = 0; first < part.getRows(); first += rowsPerChunk) {
    products.push_back(
        writeChunk(first, std::min(rowsPerChunk, part.getRows() - first)));
    if (left > 1)
      products.back()->setAttr(kChunksAttr, builder.getI64IntegerAttr(left));
    else
      products.back()->removeAttr(kChunksAttr);
  }
  replaceResults();
  return products;
}

namespace {
struct ChunkRows final : graph::impl::ChunkRowsBase<ChunkRows> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> marked;
    getOperation().walk([&](Operation *op) {
      if (op->hasAttr(kChunksAttr))
        marked.push_back(op);
    });
    while (!marked.empty()) {
      Operation *product = marked.pop_back_val();
      int64_t chunks =
          product->getAttrOfType<mlir::IntegerAttr>(kChunksAttr).getInt();
      product->removeAttr(kChunksAttr);
      if (chunks > 1)
        llvm::append_range(marked, chunk(product, chunks));
    }
  }

private:
  /// Products of chunks that are to be cut further.
  static SmallVector<Operation *> chunk(Operation *product, int64_t chunks) {
    std::string reason;
    std::optional<RowChunks> part;
    if (roundsStrictly(product->getParentOfType<FuncOp>()))
      reason = "rounding is strict, and sums over rows would be others";
    else if (!product->hasTrait<SumsProducts>())
      reason = "it is no product";
    else
      part = RowChunks::find(product, reason);
    auto options =
        remark::RemarkOpts::name("chunked").category("mpc-chunk-rows");
    if (!part) {
      remark::missed(product->getLoc(), options)
          << remark::reason("{0}", reason);
      return {};
    }
    remark::passed(product->getLoc(), options)
        << remark::metric("rows", part->getRows())
        << remark::metric("chunks", chunks);
    SmallVector<Operation *> products = Chunker(*part, product, chunks).run();
    Block *block = product->getBlock();
    for (Operation *op : llvm::reverse(part->getOps()))
      if (op->use_empty())
        op->erase();
    mlir::sortTopologically(block);
    llvm::erase_if(products,
                   [](Operation *op) { return !op->hasAttr(kChunksAttr); });
    return products;
  }
};
} // namespace
