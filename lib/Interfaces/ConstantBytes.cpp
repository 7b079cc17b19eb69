#include "mpc/Interfaces/ConstantBytes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mpc/Interfaces/TensorBytes.h"

using namespace mpc;

using EmitError = function_ref<InFlightDiagnostic()>;

/// What a resource holds, or null: it is none, or its bytes are left out.
static mlir::AsmResourceBlob *blobOf(mlir::ElementsAttr value) {
  auto resource = dyn_cast<mlir::DenseResourceElementsAttr>(value);
  return resource ? resource.getRawHandle().getBlob() : nullptr;
}

LogicalResult mpc::verifyConstantBytes(mlir::ElementsAttr value,
                                       EmitError emitError) {
  mlir::AsmResourceBlob *blob = blobOf(value);
  if (!blob)
    return success();
  int64_t expected = getStoredBytes(value.getShapedType());
  ArrayRef<char> data = blob->getData();
  if (static_cast<int64_t>(data.size()) != expected)
    return emitError() << "expected " << expected << " bytes for "
                       << value.getShapedType() << ", but resource '"
                       << cast<mlir::DenseResourceElementsAttr>(value)
                              .getRawHandle()
                              .getKey()
                       << "' has " << data.size();
  if (!value.getElementType().isInteger(1))
    return success();
  const char *wrong =
      llvm::find_if(data, [](char byte) { return byte != 0 && byte != 1; });
  if (wrong == data.end())
    return success();
  return emitError() << "expected bytes 0 and 1 for i1 elements, but element "
                     << wrong - data.begin() << " is "
                     << unsigned(static_cast<unsigned char>(*wrong));
}

static std::vector<uint8_t> denseBytes(mlir::DenseElementsAttr value) {
  std::vector<uint8_t> bytes;
  bytes.reserve(getStoredBytes(value.getType()));
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

FailureOr<std::vector<uint8_t>> mpc::getConstantBytes(mlir::ElementsAttr value,
                                                      EmitError emitError) {
  if (auto dense = dyn_cast<mlir::DenseElementsAttr>(value))
    return denseBytes(dense);
  mlir::AsmResourceBlob *blob = blobOf(value);
  if (!blob)
    return emitError()
           << "expected a constant whose elements are written out, but got "
           << value;
  if (failed(verifyConstantBytes(value, emitError)))
    return failure();
  ArrayRef<char> raw = blob->getData();
  return std::vector<uint8_t>(raw.begin(), raw.end());
}
