// Samples from files, cut into the batches that a program takes.
//
// The batch is dim 0. Its size is that of the program's first input of rank 1
// or more; every input with that first dim is cut into batches, the others are
// given whole and are the same for every batch. Where no input has a dim, all
// batches are the same, and the data counts as one sample.
//
// Or a sample is a window: a file holds one stream, of tokens or of a time
// series, and a sample is as many consecutive rows of it as the input's dim 1
// says, beginning at any place. All inputs that take windows begin at the same
// place, each so many rows behind it: tokens 0, say, and the labels, of the
// same file, 1. A stream is in memory once, in the type of its file.
#ifndef MPC_DATA_DATASET_H
#define MPC_DATA_DATASET_H

#include "mpc/Data/Tensor.h"
#include "mpc/Support/Labels.h"

#include <memory>
#include <span>

namespace mpc::data {

/// What a program wants.
struct InputSpec {
  std::string name;
  DType type;
  Shape shape; ///< Of one batch.
  /// Which labels it takes, if it is for labels.
  std::optional<LabelRange> labels = std::nullopt;
  /// Without a file it is all zeros.
  bool mayBeMissing = false;
};

struct InputFileChoice {
  std::string input, path;
};

/// An input whose file is a stream of which each sample is a window.
struct WindowChoice {
  std::string input;
  uint64_t offset = 0; ///< Rows behind the place of the sample.
};

struct DatasetOptions {
  bool convertTypes = false;   ///< Allow other element types; see convert().
  bool allowNonFinite = false; ///< Allow NaN and infinity in floats.
  /// Integer input whose padding is `ignoredLabel`, and whose labels that do
  /// not count have no weight; "": the one input whose own labels say which do
  /// not count, if there is one alone.
  std::string labelInput;
  /// Nothing: what the input's own labels say, or else -100.
  std::optional<int64_t> ignoredLabel = std::nullopt;
  /// In all batches, or in none.
  std::vector<WindowChoice> windows;
  /// By which the caller was given the files; messages name it.
  std::string fileOption = "--input";
};

/// Memory for one batch, one buffer per input in the program's order.
struct Batch {
  std::vector<Bytes> inputs;
  /// Samples of the batch that came from the files; the rest is padding.
  uint64_t realSamples = 0;
  /// Weight of the batch's loss in an exact mean: labels that are not
  /// `ignoredLabel`, or the real samples if there is no label input.
  uint64_t weight = 0;
};

class Window;

class Dataset {
public:
  /// Reads one file per input; a label that is none is an error. `.npy` files
  /// say their type and shape; `.raw` and `.bin` files hold bare values of the
  /// program's type and shape.
  static Result<Dataset> load(std::vector<InputSpec> specs,
                              std::span<const InputFileChoice> files,
                              const DatasetOptions &options);

  const std::vector<InputSpec> &inputs() const { return specs; }
  /// The input that it is; "" if none.
  const std::string &labelInput() const { return options.labelInput; }
  /// In the files, or as many windows as do not overlap.
  uint64_t numSamples() const { return samples; }
  bool hasWindows() const { return windowRows > 0; }
  /// Where a sample may be: that of a file has a place of its own, a window
  /// begins at any row behind which there are enough.
  uint64_t numPlaces() const { return places; }
  /// The place of a sample in the order of the files.
  uint64_t placeOf(uint64_t sample) const {
    return hasWindows() ? sample * windowRows : sample;
  }
  uint64_t batchSize() const { return batch; }
  uint64_t numFullBatches() const { return batch ? samples / batch : 0; }
  /// Whether an input has a dim 0 to be cut along.
  bool isBatched() const;
  /// The label that does not count, if a label input was named.
  std::optional<int64_t> ignoredLabel() const;

  /// A batch with all constant inputs filled in; reused by fill().
  Batch makeBatch() const;
  /// Copies the samples at the places `order` (at most batchSize()) into
  /// `destination` and pads: with the last sample's values, and `ignoredLabel`
  /// in the labels.
  void fill(Batch &destination, std::span<const uint64_t> order) const;

private:
  bool isBatched(size_t index) const;
  Status readInputs(std::span<const InputFileChoice> files);
  Status readInput(size_t index, const std::string &path);
  Status readSamples(size_t index, const std::string &path);
  Status readWindow(size_t index, const WindowChoice &choice,
                    const std::string &path);
  Status noteSamples(size_t index, const std::string &path);
  Status checkWindows() const;
  /// What the options say of the input; null if it takes no windows.
  const WindowChoice *findWindow(const std::string &input) const;
  Status checkShape(size_t index, const std::string &path);
  /// Whether no file was given, and none is needed.
  bool isMissing(size_t index) const {
    return tensors[index].bytes.empty() && !windows[index];
  }
  void copySample(size_t index, uint64_t place, std::byte *to) const;
  uint64_t fillLabels(size_t index, Bytes &batch, uint64_t realSamples) const;
  std::string findLabels() const;
  Status checkLabels() const;
  Status checkIgnored(const InputSpec &spec) const;
  Status checkClasses(size_t index, const std::string &path) const;

  std::vector<InputSpec> specs;
  std::vector<Tensor> tensors;
  /// Null where an input has a tensor instead.
  std::vector<std::shared_ptr<const Window>> windows;
  DatasetOptions options;
  std::string firstPath; ///< Of the first file that is cut into samples,
  uint64_t fileRows = 0; ///< and what it has of them, or rows as a stream.
  uint64_t samples = 0, places = 0, batch = 0;
  uint64_t windowRows = 0; ///< 0: samples are no windows.
};

} // namespace mpc::data

#endif // MPC_DATA_DATASET_H
