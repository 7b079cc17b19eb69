#include "AccessReports.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mpc;
using namespace mpc::emulation;
namespace arith = mlir::arith;
namespace func = mlir::func;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

namespace {
/// What one op does: lanes at `indices`, and at `offsets` from there if given.
struct Access {
  bool isWrite = false;
  Value memref;
  ValueRange indices;
  int64_t lanes = 1;
  Value mask = {};    ///< Null: all lanes.
  Value offsets = {}; ///< In elements; null: one lane after the other.
};

class Reporter {
public:
  Reporter(Operation *op, ModuleOp host) : b(op->getLoc(), op), host(host) {}

  void report(const Access &access);

private:
  Value index(int64_t number) {
    return arith::ConstantIndexOp::create(b, number);
  }
  Value multiply(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value getMask(const Access &access);
  void call(const Access &access, Value address, int64_t bytes, Value mask) {
    callEntry(b, host, access.isWrite ? "write" : "read",
              {address, index(bytes), mask}, false);
  }

  mlir::ImplicitLocOpBuilder b;
  ModuleOp host;
};

int64_t lanesOf(Type type) {
  auto vector = dyn_cast<mlir::VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

/// False: the op may access memory in a way that is not known here.
bool getAccess(Operation *op, Access &access) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    access = {false, load.getMemRef(), load.getIndices()};
  else if (auto store = dyn_cast<memref::StoreOp>(op))
    access = {true, store.getMemRef(), store.getIndices()};
  else if (auto load = dyn_cast<vector::LoadOp>(op))
    access = {false, load.getBase(), load.getIndices(),
              lanesOf(load.getType())};
  else if (auto store = dyn_cast<vector::StoreOp>(op))
    access = {true, store.getBase(), store.getIndices(),
              lanesOf(store.getValueToStore().getType())};
  else if (auto load = dyn_cast<vector::MaskedLoadOp>(op))
    access = {false, load.getBase(), load.getIndices(), lanesOf(load.getType()),
              load.getMask()};
  else if (auto store = dyn_cast<vector::MaskedStoreOp>(op))
    access = {true, store.getBase(), store.getIndices(),
              lanesOf(store.getValueToStore().getType()), store.getMask()};
  else if (auto gather = dyn_cast<vector::GatherOp>(op))
    access = {false,
              gather.getBase(),
              gather.getOffsets(),
              lanesOf(gather.getType()),
              gather.getMask(),
              gather.getIndices()};
  else if (auto scatter = dyn_cast<vector::ScatterOp>(op))
    access = {true,
              scatter.getBase(),
              scatter.getOffsets(),
              lanesOf(scatter.getValueToStore().getType()),
              scatter.getMask(),
              scatter.getIndices()};
  else
    return mlir::isMemoryEffectFree(op) || op->getNumRegions() > 0 ||
           isa<func::CallOp, func::ReturnOp>(op);
  return true;
}
} // namespace

Value emulation::callEntry(mlir::ImplicitLocOpBuilder &b, ModuleOp host,
                           StringRef entry, ValueRange args, bool hasResult) {
  std::string name = ("emulation." + entry).str();
  SmallVector<Type> results(hasResult, b.getIndexType());
  if (!host.lookupSymbol(name)) {
    OpBuilder atStart = OpBuilder::atBlockBegin(host.getBody());
    func::FuncOp::create(
        atStart, b.getLoc(), name,
        b.getFunctionType(SmallVector<Type>(args.getTypes()), results))
        .setPrivate();
  }
  auto call = func::CallOp::create(b, name, results, args);
  return hasResult ? call.getResult(0) : Value();
}

/// Bytes of an element of `memref`.
static int64_t countElementBytes(Value memref) {
  auto type = cast<mlir::MemRefType>(memref.getType());
  bool isIndex = type.getElementType().isIndex();
  return isIndex ? 8 : type.getElementTypeBitWidth() / 8;
}

Value emulation::buildAddress(mlir::ImplicitLocOpBuilder &b, Value memref,
                              ValueRange indices) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  Value element = metadata.getOffset();
  for (auto [position, stride] : llvm::zip(indices, metadata.getStrides()))
    element = arith::AddIOp::create(b, element,
                                    arith::MulIOp::create(b, position, stride));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(
      b, b.getIndexType(), memref);
  Value bytes = arith::ConstantIndexOp::create(b, countElementBytes(memref));
  return arith::AddIOp::create(b, base,
                               arith::MulIOp::create(b, element, bytes));
}

Value Reporter::getMask(const Access &access) {
  if (!access.mask)
    return index(access.lanes == 64 ? -1 : int64_t((1ull << access.lanes) - 1));
  Type bits = b.getIntegerType(unsigned(access.lanes));
  Value mask = access.mask;
  if (access.lanes == 1) {
    mask = vector::ExtractOp::create(b, mask, int64_t(0));
  } else {
    auto packed = mlir::VectorType::get({1}, bits);
    mask = vector::ExtractOp::create(
        b, vector::BitCastOp::create(b, packed, mask), int64_t(0));
  }
  return arith::IndexCastUIOp::create(b, b.getIndexType(), mask);
}

void Reporter::report(const Access &access) {
  int64_t bytes = countElementBytes(access.memref);
  Value address = buildAddress(b, access.memref, access.indices);
  Value mask = getMask(access);
  if (!access.offsets) {
    // As one access where it is one.
    if (access.mask)
      return call(access, address, bytes, mask);
    return call(access, address, bytes * access.lanes, index(1));
  }
  for (int64_t lane = 0; lane < access.lanes; ++lane) {
    Value offset = vector::ExtractOp::create(b, access.offsets, lane);
    if (!offset.getType().isIndex())
      offset = arith::IndexCastOp::create(b, b.getIndexType(), offset);
    Value bit = arith::AndIOp::create(
        b, arith::ShRUIOp::create(b, mask, index(lane)), index(1));
    call(access, add(address, multiply(offset, index(bytes))), bytes, bit);
  }
}

LogicalResult emulation::reportAccesses(func::FuncOp function, ModuleOp host) {
  SmallVector<std::pair<Operation *, Access>> accesses;
  auto result = function.walk([&](Operation *op) {
    Access access;
    if (!getAccess(op, access)) {
      op->emitError("has accesses to memory that cannot be checked");
      return mlir::WalkResult::interrupt();
    }
    if (access.memref)
      accesses.push_back({op, access});
    return mlir::WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (auto &[op, access] : accesses)
    Reporter(op, host).report(access);
  return success();
}
