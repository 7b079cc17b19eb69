// A stream, and the windows of it that are the samples of one input.
#ifndef MPC_LIB_DATA_WINDOW_H
#define MPC_LIB_DATA_WINDOW_H

#include "mpc/Data/Dataset.h"

namespace mpc::data {

class Window {
public:
  /// A stream that was read from `path`, checked: every element of it becomes
  /// one of `spec`, which takes batches of windows, and is what `options`
  /// accept. A type that holds all values of the file's needs no conversion
  /// that somebody asked for.
  static Result<std::shared_ptr<const Window>>
  make(const InputSpec &spec, uint64_t offset, const std::string &path,
       std::shared_ptr<const Tensor> stream, const DatasetOptions &options);

  const std::string &path() const { return file; }
  const std::shared_ptr<const Tensor> &stream() const { return tensor; }
  /// Of the stream.
  uint64_t numRows() const {
    return static_cast<uint64_t>(tensor->shape.front());
  }
  /// Of one window.
  uint64_t rows() const { return length; }
  /// There is a window at each place below this.
  uint64_t numPlaces() const { return numRows() - offset - length + 1; }
  /// Windows that do not overlap, the first at place 0.
  uint64_t numDisjoint() const { return (numRows() - offset) / length; }

  void copy(uint64_t place, std::byte *to) const;

private:
  Window(const InputSpec &spec, uint64_t offset, std::string path,
         std::shared_ptr<const Tensor> stream);
  Status checkShape(const InputSpec &spec) const;
  Status checkType(const InputSpec &spec, const DatasetOptions &options) const;
  Status checkElements(const InputSpec &spec,
                       const DatasetOptions &options) const;

  std::shared_ptr<const Tensor> tensor;
  std::string file;
  DType type;
  uint64_t offset;      ///< Rows behind the place of the sample.
  uint64_t length;      ///< Rows.
  uint64_t rowElements; ///< Of one row.
};

} // namespace mpc::data

#endif // MPC_LIB_DATA_WINDOW_H
