// What each buffer of an entry holds, for the memory map.
#include "EntryBuilder.h"

using namespace mpc;
using exec::AllocOp;
using exec::Category;

namespace {

AllocOp allocOf(Value buffer) {
  return exec::getRoot(buffer).getDefiningOp<AllocOp>();
}

/// Outputs win over gradients, gradients over activations.
void raise(Value buffer, Category category) {
  AllocOp alloc = allocOf(buffer);
  if (alloc && (!alloc.getCategory() || *alloc.getCategory() < category))
    alloc.setCategory(category);
}

bool isGradient(Value buffer) {
  AllocOp alloc = allocOf(buffer);
  return alloc && alloc.getCategory() == Category::Gradient;
}

int64_t sizeOf(Value buffer) {
  return cast<mlir::MemRefType>(buffer.getType()).getNumElements();
}

/// What makes the next value of a state reads, besides states, as many elements
/// as that has: its gradient. (With one rank nothing is all-reduced.)
void markUpdateOperands(exec::EntryOp entry) {
  DenseSet<Value> next;
  for (auto update : entry.getOps<exec::UpdateOp>())
    next.insert(exec::getRoot(update.getValue()));
  // By their sizes: lists have thousands of tensors.
  for (auto step : entry.getOps<exec::StepOpInterface>()) {
    DenseSet<int64_t> sizes;
    for (Value write : step.getWrites())
      if (next.contains(exec::getRoot(write)) && sizeOf(write) > 1)
        sizes.insert(sizeOf(write));
    for (Value read : step.getReads())
      if (sizes.contains(sizeOf(read)) && !next.contains(exec::getRoot(read)))
        raise(read, Category::Gradient);
  }
}

/// What is all-reduced, and what follows from it element by element.
void markGradients(exec::EntryOp entry) {
  for (auto step : entry.getOps<exec::StepOpInterface>()) {
    if (isa<exec::AllReduceOp>(step)) {
      for (Value buffer : step->getOperands())
        raise(buffer, Category::Gradient);
      continue;
    }
    DenseSet<int64_t> sizes;
    for (Value read : step.getReads())
      if (isGradient(read) && sizeOf(read) > 1)
        sizes.insert(sizeOf(read));
    for (Value write : step.getWrites())
      if (sizes.contains(sizeOf(write)))
        raise(write, Category::Gradient);
  }
}

/// Made before the loss, used after it.
void markActivations(exec::EntryOp entry, Operation *border) {
  DenseSet<Value> before;
  for (auto step : entry.getOps<exec::StepOpInterface>()) {
    bool isBefore = step == border || step->isBeforeInBlock(border);
    for (Value write : step.getWrites())
      if (isBefore)
        before.insert(exec::getRoot(write));
    for (Value read : step.getReads())
      if (!isBefore && before.contains(exec::getRoot(read)))
        raise(read, Category::Activation);
  }
}

} // namespace

void mpc::categorizeBuffers(exec::EntryOp entry) {
  // The loss is the first output: its last writer parts forward and backward.
  Operation *border = nullptr;
  for (auto output : entry.getOps<exec::OutputOp>())
    if (output.getName() == "loss" && allocOf(output.getValue()))
      for (Operation *user : exec::getRoot(output.getValue()).getUsers())
        if (isa<exec::StepOpInterface>(user) &&
            (!border || user->isBeforeInBlock(border)))
          border = user;
  if (border)
    markActivations(entry, border);
  markUpdateOperands(entry);
  markGradients(entry);
  for (auto output : entry.getOps<exec::OutputOp>())
    raise(output.getValue(), Category::Output);
}
