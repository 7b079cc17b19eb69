#include "NpyTensors.h"

#include "mpc/Data/Npy.h"
#include <cstring>

using namespace mpc;
using namespace mpc::reference;

Result<Tensor> reference::readNpyTensor(const std::string &path, DType type,
                                        const Shape &shape) {
  Result<data::Tensor> file = data::readNpy(path);
  if (!file)
    return file.status();
  Tensor tensor(type, shape);
  if (file->shape != shape)
    return Status(StatusCode::ShapeMismatch,
                  "expected '" + path + "' to have the shape of " +
                      typeString(tensor) + ", but got " +
                      data::describe(file->shape, file->format.name()));
  DType widest = tensor.isFloat() ? DType::F64 : DType::I64;
  Result<data::Tensor> wide = data::convert(*file, widest, path);
  if (!wide)
    return wide.status();
  void *target = tensor.isFloat() ? static_cast<void *>(tensor.reals.data())
                                  : tensor.ints.data();
  if (tensor.size() != 0)
    std::memcpy(target, wide->bytes.data(), tensor.size() * 8);
  return tensor;
}
