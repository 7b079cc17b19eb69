#include "mpc/Support/Assert.h"

#include "EntryBuilder.h"

using namespace mpc;
using mlir::MemRefType;

MemRefType mpc::bufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

EntryBuilder::EntryBuilder(exec::EntryOp entry, KernelTable &kernels)
    : builder(entry.getLoc(), entry.getContext()), kernels(kernels) {
  builder.setInsertionPointToEnd(&entry.getBody().front());
}

Value EntryBuilder::buffer(Value tensor) const {
  Value buffer = bufferOf.lookup(tensor);
  MPC_ASSERT(buffer, "tensors are converted before their users");
  return buffer;
}

SmallVector<Value> EntryBuilder::buffers(ValueRange tensors) const {
  return llvm::map_to_vector(tensors,
                             [&](Value tensor) { return buffer(tensor); });
}

void EntryBuilder::bind(Value tensor, Value buffer) {
  bufferOf[tensor] = buffer;
}

Value EntryBuilder::allocate(MemRefType type) {
  if (loop)
    return loop->take(loop->allocateOutside(type), /*isWritten=*/true, type);
  return exec::AllocOp::create(builder, type, exec::CategoryAttr(),
                               mlir::IntegerAttr());
}

Value EntryBuilder::allocate(Value tensor) {
  Value buffer = placeOf.lookup(tensor);
  if (!buffer)
    buffer = allocate(bufferType(tensor.getType()));
  bind(tensor, buffer);
  return buffer;
}

SmallVector<Value> EntryBuilder::allocate(ValueRange tensors) {
  return llvm::map_to_vector(tensors,
                             [&](Value tensor) { return allocate(tensor); });
}

Value EntryBuilder::copyOf(Value buffer) {
  Value copy = allocate(cast<MemRefType>(buffer.getType()));
  exec::CopyOp::create(builder, buffer, copy);
  return copy;
}
