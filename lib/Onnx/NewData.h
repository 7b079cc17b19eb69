// The data of a copy: in its tensors, or in one file beside it.
#ifndef MPC_LIB_ONNX_NEWDATA_H
#define MPC_LIB_ONNX_NEWDATA_H

#include "mpc/Data/File.h"
#include "mpc/Onnx/WriteBack.h"
#include "onnx.pb.h"

#include <deque>
#include <map>
#include <vector>

namespace mpc::onnx {

class NewData {
public:
  /// `folder` of the model's files, `output` of the copy's.
  NewData(std::string folder, const std::string &output)
      : folder(std::move(folder)), name(output + ".data") {}

  /// Gives `tensor` the value, in its own type. One that lies outside is not
  /// touched until `move`. What the value points to must live until `write`.
  Status set(::onnx::TensorProto &tensor, const TrainedTensor &value);
  /// Gives all tensors that lie outside a place in the copy's file.
  Status move(::onnx::ModelProto &model);

  bool empty() const { return parts.empty(); }
  const std::string &path() const { return name; }
  /// Fails where `output` or the copy's file is one of the model's, or where
  /// the copy's is there and not that of an old `output`; after `move`.
  Status check(const std::string &output) const;
  /// Writes the copy, of which `model` is the message, and its data. All of
  /// both is on the disk before the old ones are replaced, the data first.
  Status write(const std::string &output,
               std::span<const std::byte> model) const;

private:
  Result<std::span<const std::byte>> convert(const ::onnx::TensorProto &tensor,
                                             const TrainedTensor &value);
  Result<std::span<const std::byte>> oldData(const ::onnx::TensorProto &tensor);
  void place(::onnx::TensorProto &tensor, std::span<const std::byte> bytes);

  std::string folder, name;
  std::map<const ::onnx::TensorProto *, std::span<const std::byte>> outside;
  std::deque<data::Bytes> converted;
  std::deque<std::vector<char>> read;
  std::vector<std::span<const std::byte>> parts;
  std::vector<std::string> files; ///< Of the model.
  uint64_t size = 0;              ///< Of all parts.
  uint64_t kept = 0;              ///< Bytes that were read.
};

} // namespace mpc::onnx

#endif // MPC_LIB_ONNX_NEWDATA_H
