// Trained weights go back into the model that they came from.
//
//   onnx::WriteBackOptions options;
//   options.folder = "models";
//   options.output = "trained.onnx";
//   Result<onnx::WrittenBack> done =
//       onnx::writeBack(bytes, tensors, options);
//
// The copy has the names, shapes, element types and nodes of the model. What
// lay in the model lies in the copy; what lay in files beside it lies in one
// beside the copy, "trained.onnx.data".
#ifndef MPC_ONNX_WRITEBACK_H
#define MPC_ONNX_WRITEBACK_H

#include "mpc/Support/DType.h"
#include "mpc/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::onnx {

/// A value, row-major and dense. Rounded to nearest even where the model's
/// type is narrower.
struct TrainedTensor {
  std::string_view name;
  DType type = DType::F32; ///< A float of 16 bits or more.
  std::span<const int64_t> shape;
  std::span<const std::byte> bytes;
};

struct WriteBackOptions {
  std::string folder; ///< Where files of external data lie; empty: none may be.
  /// The file to write; of a link the file behind it, beside which the data
  /// lie. What is written is on the disk before an old file is replaced.
  std::string output;
  /// A regular expression (POSIX, extended): weights whose whole name matches
  /// may be missing, and keep what the model has. It must match one that is.
  std::string keep;
  /// Dropout and batch norm, which the model may have as they train, become
  /// those that predict.
  bool inference = false;
  /// The tensors are a checkpoint's, which has states of the training, too:
  /// moments ("<weight>.exp_avg"), counters and rates (scalars).
  bool isCheckpoint = false;
};

struct WrittenBack {
  size_t written = 0; ///< Weights.
  /// Weights that kept their values, quoted: those of `keep`, and those of a
  /// branch of an If that has no values at all, where the other one has all.
  std::vector<std::string> kept;
  /// Nodes of the copy that run as in training, "Dropout 'drop'".
  std::vector<std::string> training;
  std::string dataFile; ///< Beside the copy; empty: there is none.
};

/// Fails with all kinds of mistakes in one message, of each the first few:
/// weights of the model without a
/// tensor, tensors without a weight, other shapes, finite values that become
/// infinite in the model's type; a model that is damaged, has one name twice,
/// or data in a file that would be written; a file where the copy's data go
/// that is not the data of the file which the copy replaces. IoError: a file
/// could not be written.
Result<WrittenBack> writeBack(std::string_view model,
                              std::span<const TrainedTensor> tensors,
                              const WriteBackOptions &options);

/// What to tell of nodes that run as in training, of which there are some;
/// `inference`: the option that was given.
std::string describeTraining(const WrittenBack &copy, bool inference);

/// "2 kept: 'a', 'b'", of weights that kept their values, of which there are
/// some.
std::string describeKept(const WrittenBack &copy);

} // namespace mpc::onnx

#endif // MPC_ONNX_WRITEBACK_H
