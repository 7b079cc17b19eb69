// Models in ONNX's format become modules of the graph dialect, with their
// weights beside them. docs/Onnx.md tells what is read, and how.
//
//   onnx::Options options;
//   options.folder = "models";                  // of external data
//   options.dims = {{"batch", 32}};
//   options.loss = "cross_entropy:logits,labels";
//   FailureOr<onnx::Model> model =
//       onnx::importModel(bytes, options, context);
//
// Nothing here prints, and no file makes it abort: what is wrong with a model
// is an error of the context's diagnostics. Bytes of weights are little-endian
// and row-major.
#ifndef MPC_IMPORT_ONNX_H
#define MPC_IMPORT_ONNX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"
#include "mpc/Interfaces/LLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mpc::onnx {

/// What the file does not say.
struct Options {
  /// Where files of external data lie. Empty: a model that has any is refused.
  std::string folder;
  /// Sizes of symbolic dims by their names; of a dim without one by
  /// "<input>.<dim>", as in "x.0".
  std::vector<std::pair<std::string, int64_t>> dims;
  /// "<loss>:<output>,<target>[,<parameter>=<value>...]", or the name of an
  /// output that is the loss. Empty: the module has none, and can only be run
  /// forward.
  std::string loss;
  /// A regular expression: parameters whose whole name matches are frozen.
  std::string freeze;
  /// Of parameters that the file says are not trained. "keep": they are not;
  /// "train": they are all the same; empty: they are not, and a warning tells.
  std::string frozen;
  /// Whether batch norms train that the file shows as it runs after training.
  bool trainBatchNorm = false;
  /// "unbiased" or "population"; empty: as the producer's training has it.
  std::string batchNormVariance;
};

/// First values of a parameter or of a running statistic.
struct Weight {
  std::string name; ///< As in the file, and in the module.
  mlir::RankedTensorType type;
  ArrayRef<char> bytes; ///< In the model that it is of.
};

/// A module of one function, which the stage import takes, and what its
/// parameters and running statistics start from.
struct Model {
  mlir::OwningOpRef<ModuleOp> module;
  std::vector<Weight> weights;
  /// What was read from other files, or converted, and the message itself.
  std::deque<std::vector<char>> storage;
  std::shared_ptr<const void> message;
  std::vector<std::string> files; ///< Paths of those that external data are in.
};

/// Whether these are the bytes of a model in ONNX's format, by the first of
/// them: no text, no bytecode and no program begins so.
bool isOnnx(StringRef bytes);

/// `bytes` with its identifier as the name of the file in locations: the place
/// of an op is "model.onnx#<node>", line and column being the number of the
/// node and 1. All nodes that cannot be converted are told in one error.
FailureOr<Model> importModel(llvm::MemoryBufferRef bytes,
                             const Options &options, MLIRContext &context);

/// The folder of external data of the file `path`; empty for the standard
/// input.
std::string folderOf(StringRef path);

/// An option of tools, as a text.
struct OptionRow {
  StringRef name;    ///< "dim"
  StringRef metavar; ///< "NAME=SIZE"; empty for a flag, whose text is empty or
                     ///< "true".
  StringRef help;
  /// Takes the text, or says what is wrong with it.
  std::function<std::optional<std::string>(Options &, StringRef text)> read;
  std::vector<StringRef> words = {}; ///< The only values, if there are any.
  bool isOfTraining = false; ///< Without effect where only a forward is built.
};

/// All options that have a text, in the order in which help shows them.
ArrayRef<OptionRow> optionRows();

/// The op types that are converted or folded away, in alphabetical order.
std::vector<StringRef> knownOpTypes();

} // namespace mpc::onnx

#endif // MPC_IMPORT_ONNX_H
