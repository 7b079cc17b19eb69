// Folding of constants, shared by the folders of all families; knows no op.
// A constant folds only if the answer is the exactly rounded one, bit for bit
// what the kernels would store, and only if it is uniform (a splat) or small:
// folding must not trade a computation for a large literal.
#ifndef MPC_LIB_DIALECT_GRAPH_FOLDS_CONSTANTFOLDING_H
#define MPC_LIB_DIALECT_GRAPH_FOLDS_CONSTANTFOLDING_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mpc/Interfaces/LLVM.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

namespace mpc::graph {

/// The most elements that the result of folding spells out.
constexpr int64_t kMaxFoldedElements = 1024;

using llvm::APFloat;
using llvm::APInt;

/// One element of the result from one element of each operand, or null if it
/// cannot be told.
using ComputeElement = function_ref<Attribute(ArrayRef<Attribute>)>;
/// The row-major index of the input element that the result's element at
/// `index` is a copy of.
using SourceIndex = function_ref<int64_t(ArrayRef<int64_t> index)>;

/// `compute` over broadcasting constant `operands`. Null unless all operands
/// are constant and the result may be spelled out.
Attribute foldElements(ArrayRef<Attribute> operands, RankedTensorType type,
                       ComputeElement compute);
/// The same for arithmetic on floats and integers.
Attribute
foldNumbers(ArrayRef<Attribute> operands, RankedTensorType type,
            function_ref<std::optional<APFloat>(ArrayRef<APFloat>)> onFloats,
            function_ref<std::optional<APInt>(ArrayRef<APInt>)> onIntegers);
/// A copy of elements of the constant `input`, of another shape.
Attribute foldMovement(Attribute input, RankedTensorType type,
                       SourceIndex source);

/// Whether `constant` is `value` everywhere, bit for bit: -0.0 is not 0.0.
bool isUniform(Attribute constant, double value);
/// The constant of `type` that is `value` everywhere.
Attribute getUniform(RankedTensorType type, double value);

/// Row-major strides of `shape`.
SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_FOLDS_CONSTANTFOLDING_H
