#include "Choices.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Interfaces/KernelOpInterfaces.h"
#include "mpc/Interfaces/TensorBytes.h"

using namespace mpc;
using namespace mpc::memory_limit;
using graph::RecomputeAnalysis;
using graph::RecomputeCandidate;
using mlir::func::FuncOp;

// Types of products that are tried: the logits, and what may be larger.
static constexpr size_t kMostProducts = 3;

Choices::Choices(ArrayRef<FuncOp> steps, FuncOp forward) {
  for (FuncOp step : steps) {
    analyses.emplace_back(step, forward);
    addProducts(step);
  }
  addProducts(forward);
  products.truncate(std::min(products.size(), kMostProducts));
}

/// The largest first, and of equals the first that was found.
void Choices::addProducts(FuncOp entry) {
  for (Operation &op : entry.getBody().front()) {
    if (!op.hasTrait<SumsProducts>())
      continue;
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    auto *place = llvm::find_if(
        products, [&](const Products &like) { return like.type == type; });
    if (place == products.end()) {
      place = llvm::find_if(products, [&](const Products &like) {
        return getStoredBytes(like.type) < getStoredBytes(type);
      });
      place = products.insert(place, {type, {}});
    }
    place->ops.push_back(&op);
  }
}

void Choices::mark(const Choice &choice) {
  for (auto [number, like] : llvm::enumerate(products))
    for (Operation *op : like.ops)
      if (choice.chunks > 1 && number == choice.products)
        op->setAttr(graph::kChunksAttr,
                    mlir::Builder(op).getI64IntegerAttr(choice.chunks));
      else
        op->removeAttr(graph::kChunksAttr);
  for (Operation *op : marked)
    op->removeAttr(graph::kRecomputeAttr);
  marked.clear();
  for (const RecomputeAnalysis &analysis : analyses)
    for (const RecomputeCandidate &candidate :
         analysis.getCandidates().take_front(choice.recomputed))
      for (Operation *op : candidate.ops)
        if (!op->hasAttr(graph::kRecomputeAttr))
          marked.insert(op);
  for (Operation *op : marked)
    op->setAttr(graph::kRecomputeAttr, mlir::UnitAttr::get(op->getContext()));
}
