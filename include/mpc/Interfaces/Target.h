// What a program can be compiled for, and what the libraries and kernels of the
// runtime can do there. Decisions above the exec dialect that depend on the
// target ask this description and nothing else.
#ifndef MPC_INTERFACES_TARGET_H
#define MPC_INTERFACES_TARGET_H

#include "mpc/Interfaces/KernelOpInterfaces.h"
#include "mpc/Support/DType.h"
#include <string>

namespace mpc {

struct TargetDescription {
  StringRef name;
  /// What the matrix product computes with as it is; operands of other types
  /// are widened to f32 first.
  ArrayRef<DType> productTypes;
  /// What convolutions take; nothing where there are none.
  ArrayRef<DType> convolutionTypes;
  /// Whether convolutions bring weights into an order of their own: any is then
  /// as good as another.
  bool reordersWeights;
  /// Whether a convolution of 16 bits may yield the f32 that it accumulates in.
  bool hasWideConvolutions;
  /// Convolutions of which types add a bias to what they accumulate.
  ArrayRef<DType> biasedConvolutionTypes;
  /// Whether bias and result may then be of another type than the operands.
  bool mixesBiasedTypes;
  /// What attention, as a call, takes.
  ArrayRef<DType> attentionTypes;
  /// The longest rows of queries, keys and values that it takes.
  int64_t maxAttentionWidth;
  /// What the matrix product can apply to its result before it is stored.
  ArrayRef<Epilogue> epilogues;
  /// Of those: before which it can store the value too, for the gradient.
  ArrayRef<Epilogue> storesInputOf;
  /// Rows of what is stored so, or read by a derivative, are a multiple of this
  /// many elements.
  int64_t auxMultiple;
  /// Whether they exist for products of f64, too; an addend does.
  bool f64Epilogues;
  /// Whether the library may turn out to have no algorithm for a product with
  /// something beside it, on some device: a kernel then has to be at hand.
  bool mayLackEpilogues;
  /// Parts of a matrix, of some of its rows each, of whose columns a kernel of
  /// rows computes the sums: work for all threads, and all at the same time.
  int64_t wantedParts;
  /// Rows of a part, at most, so that each number goes through few additions.
  int64_t maxRowsPerPart;
  /// Whether the runtime has kernels on lists of tensors.
  bool hasMultiTensorKernels;
  /// Whether a batch of matrices may be walked by several strides, at no cost
  /// of more calls.
  bool walksBatchDims;
  /// Whether rows of bf16 that lie apart are as good to it as a dense copy.
  bool readsBf16InPlace;
  /// Bytes that the memory of an operand begins at a multiple of.
  int64_t operandAlignment;

  bool multiplies(DType type) const {
    return llvm::is_contained(productTypes, type);
  }
  bool convolves(DType type) const {
    return llvm::is_contained(convolutionTypes, type);
  }
  bool convolvesWithBias(DType type) const {
    return llvm::is_contained(biasedConvolutionTypes, type);
  }
  bool attends(DType type) const {
    return llvm::is_contained(attentionTypes, type);
  }
  bool supports(Epilogue epilogue) const {
    return llvm::is_contained(epilogues, epilogue);
  }
  bool canStoreInputOf(Epilogue epilogue, int64_t columns) const {
    return llvm::is_contained(storesInputOf, epilogue) &&
           columns % auxMultiple == 0;
  }
};

/// All targets; the first is the default.
ArrayRef<TargetDescription> allTargets();

/// The target called `name`, or null.
const TargetDescription *findTarget(StringRef name);

/// The names of all targets, separated by ", ": for messages.
std::string targetNames();

} // namespace mpc

#endif // MPC_INTERFACES_TARGET_H
