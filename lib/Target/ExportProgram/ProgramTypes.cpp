#include "ProgramTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mpc/Support/DType.h"

using namespace mpc;
using namespace mpc::target;

program::ElementType target::elementTypeOf(Type buffer) {
  std::string name;
  llvm::raw_string_ostream(name) << mlir::getElementTypeOrSelf(buffer);
  std::optional<DType> type = parseDType(name);
  assert(type && "buffers have known element types");
  return static_cast<program::ElementType>(*type);
}

std::vector<int64_t> target::shapeOf(Type buffer) {
  return cast<mlir::MemRefType>(buffer).getShape().vec();
}
