// The one place that brings names of mlir:: and llvm:: into namespace mpc, so
// that no header of the compiler wing needs a using-directive.
#ifndef MPC_INTERFACES_LLVM_H
#define MPC_INTERFACES_LLVM_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Support/LLVM.h"

namespace mlir {
class ImplicitLocOpBuilder;
class IRMapping;
class ModuleOp;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace mpc {
// NOLINTBEGIN(misc-unused-using-decls): this header exists to import names.
using llvm::ArrayRef;
using llvm::cast;
using llvm::cast_if_present;
using llvm::cast_or_null;
using llvm::DenseMap;
using llvm::DenseSet;
using llvm::dyn_cast;
using llvm::dyn_cast_if_present;
using llvm::dyn_cast_or_null;
using llvm::failed;
using llvm::failure;
using llvm::FailureOr;
using llvm::function_ref;
using llvm::isa;
using llvm::isa_and_present;
using llvm::LogicalResult;
using llvm::MutableArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;
using llvm::succeeded;
using llvm::success;
using llvm::Twine;

using mlir::Attribute;
using mlir::Block;
using mlir::Builder;
using mlir::DictionaryAttr;
using mlir::FloatType;
using mlir::InFlightDiagnostic;
using mlir::IntegerType;
using mlir::IRMapping;
using mlir::Location;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::NamedAttribute;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::OpFoldResult;
using mlir::OpOperand;
using mlir::OpResult;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::Region;
using mlir::RewritePatternSet;
using mlir::StringAttr;
using mlir::Type;
using mlir::TypeRange;
using mlir::Value;
using mlir::ValueRange;
// NOLINTEND(misc-unused-using-decls)
} // namespace mpc

#endif // MPC_INTERFACES_LLVM_H
