// Which values of the model's text stand at which location.
//
// Passes keep the locations of the values that they rewrite, so a location
// leads from a value of any stage to its name in the text. Nothing is written
// into the IR for that: locations mean the same with and without dumps.
#ifndef MPC_LIB_PIPELINES_DUMP_LOCATIONNAMES_H
#define MPC_LIB_PIPELINES_DUMP_LOCATIONNAMES_H

#include "mlir/IR/Location.h"
#include "mpc/Interfaces/LLVM.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>

namespace mlir {
class AsmParserState;
} // namespace mlir

namespace mpc::dump {

/// An op of the text, or an argument.
struct Definition {
  StringRef opName; ///< Empty for an argument.
  /// Of the results, without '%'; "y#1" for the second of `%y:2 = ...`.
  SmallVector<std::string, 1> names;
  Type type; ///< Of the first result.
};

/// The definitions that a location leads to, in the order of the text. Most
/// locations are those of one.
struct Origin {
  ArrayRef<Definition> definitions; ///< Empty: of nothing in the text.
  /// The location is that of the gradient of the op.
  bool isGradient = false;
};

class LocationNames {
public:
  /// The names of the text `model`, whose locations are those of the module
  /// that `context` has parsed from it. Bytecode has no names; nor has a text
  /// that does not parse on its own, as that of `mpc-opt --split-input-file`.
  LocationNames(llvm::MemoryBufferRef model, MLIRContext *context);

  Origin originOf(Location location) const;

private:
  void add(Location location, Definition definition);
  void collect(const mlir::AsmParserState &state);

  DenseMap<Location, SmallVector<Definition, 1>> definitions;
};

} // namespace mpc::dump

#endif // MPC_LIB_PIPELINES_DUMP_LOCATIONNAMES_H
