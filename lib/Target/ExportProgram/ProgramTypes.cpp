#include "ProgramTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
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

namespace {
std::vector<uint8_t> denseBytes(mlir::DenseElementsAttr value) {
  std::vector<uint8_t> bytes;
  if (value.getElementType().isInteger(1)) {
    for (bool element : value.getValues<bool>())
      bytes.push_back(element);
    return bytes;
  }
  ArrayRef<char> raw = value.getRawData();
  int64_t repeats = value.isSplat() ? value.getNumElements() : 1;
  for (int64_t i = 0; i < repeats; ++i)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}
} // namespace

FailureOr<std::vector<uint8_t>> target::bytesOf(mlir::ElementsAttr value,
                                                Location location) {
  if (auto dense = dyn_cast<mlir::DenseElementsAttr>(value))
    return denseBytes(dense);
  auto resource = dyn_cast<mlir::DenseResourceElementsAttr>(value);
  mlir::AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return mlir::emitError(location)
           << "expected a constant whose elements are written out, but got "
           << value;
  ArrayRef<char> raw = blob->getData();
  return std::vector<uint8_t>(raw.begin(), raw.end());
}
