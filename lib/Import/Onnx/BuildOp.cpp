#include "BuildOp.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mpc/Support/Assert.h"
#include "llvm/ADT/STLExtras.h"

#include <cstddef>

using namespace mpc;

namespace {
/// Properties of an op that is not there yet, with their defaults.
class Properties {
public:
  explicit Properties(mlir::OperationName name)
      : name(name), bytes(name.getOpPropertyByteSize()),
        storage((bytes + sizeof(std::max_align_t) - 1) /
                sizeof(std::max_align_t)) {
    if (bytes) {
      name.initOpProperties(get(), mlir::OpaqueProperties(nullptr));
      name.populateDefaultProperties(get());
    }
  }
  Properties(const Properties &) = delete;
  Properties &operator=(const Properties &) = delete;
  ~Properties() {
    if (bytes)
      name.destroyOpProperties(get());
  }

  mlir::OpaqueProperties get() {
    return {bytes ? static_cast<void *>(storage.data()) : nullptr};
  }

private:
  mlir::OperationName name;
  int bytes;
  std::vector<std::max_align_t> storage;
};
} // namespace

/// The operands that are there; which of them are, for ops that want to know.
static SmallVector<Value> present(ArrayRef<Value> operands,
                                  mlir::OperationName name,
                                  mlir::NamedAttrList &attributes,
                                  mlir::Builder &b) {
  SmallVector<Value> there;
  SmallVector<int32_t> segments;
  for (Value operand : operands) {
    segments.push_back(operand ? 1 : 0);
    if (operand)
      there.push_back(operand);
  }
  if (name.hasTrait<mlir::OpTrait::AttrSizedOperandSegments>())
    attributes.set("operandSegmentSizes", b.getDenseI32ArrayAttr(segments));
  return there;
}

static LogicalResult infer(mlir::ImplicitLocOpBuilder &b,
                           mlir::OperationName name, ValueRange operands,
                           mlir::DictionaryAttr attributes,
                           Properties &properties,
                           SmallVectorImpl<Type> &types) {
  auto *interface = name.getInterface<mlir::InferTypeOpInterface>();
  MPC_ASSERT(interface, "an op without a type must infer it");
  return interface->inferReturnTypes(b.getContext(), b.getLoc(), operands,
                                     attributes, properties.get(), {}, types);
}

Operation *mpc::onnx::buildOp(mlir::ImplicitLocOpBuilder &b, StringRef op,
                              ArrayRef<Value> operands,
                              mlir::NamedAttrList attributes, Type result,
                              std::string &error) {
  std::string full = ("graph." + op).str();
  mlir::ScopedDiagnosticHandler capture(
      b.getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
            error.empty())
          error = full + ": " + diagnostic.str();
        return success();
      });
  mlir::OperationName name(full, b.getContext());
  MPC_ASSERT(name.isRegistered(), "converters name ops of the dialect");
  SmallVector<Value> there = present(operands, name, attributes, b);
  bool isSized = name.hasTrait<mlir::OpTrait::AttrSizedOperandSegments>();
  if (!isSized && there.size() != operands.size()) {
    error = full + ": an operand is missing";
    return nullptr;
  }
  Properties properties(name);
  auto emitError = [&] { return mlir::emitError(b.getLoc()); };
  mlir::DictionaryAttr dictionary = attributes.getDictionary(b.getContext());
  SmallVector<Type> types;
  if (name.getOpPropertyByteSize() &&
      failed(name.setOpPropertiesFromAttribute(name, properties.get(),
                                               dictionary, emitError)))
    return nullptr;
  if (result)
    types.push_back(result);
  else if (failed(infer(b, name, there, dictionary, properties, types))) {
    if (error.empty())
      error = full + ": its operands do not fit together";
    return nullptr;
  }
  Operation *made =
      Operation::create(b.getLoc(), name, types, there, mlir::NamedAttrList(),
                        properties.get(), mlir::BlockRange(), 0u);
  b.insert(made);
  if (succeeded(mlir::verify(made)))
    return made;
  if (error.empty())
    error = full + ": is not valid";
  made->erase();
  return nullptr;
}
