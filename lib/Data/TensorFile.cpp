#include "mpc/Data/TensorFile.h"

#include "mpc/Data/Npy.h"

#include <sys/stat.h>

using namespace mpc;
using namespace mpc::data;

/// Whether there is something that is neither a file nor a folder: a process
/// substitution, say, which has no name to go by.
static bool isPipeOrDevice(const std::string &path) {
  struct stat facts;
  return stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) &&
         !S_ISDIR(facts.st_mode);
}

Result<TensorFile> mpc::data::kindOfTensorFile(const std::string &path) {
  if (path.ends_with(".raw") || path.ends_with(".bin"))
    return TensorFile::Raw;
  if (path.ends_with(".npy") || isPipeOrDevice(path))
    return TensorFile::Npy;
  return Status(StatusCode::InvalidArgument,
                "'" + path + "': expected a file named .npy, .raw or .bin");
}

Status mpc::data::writeTensor(const std::string &path, const Tensor &tensor) {
  Result<TensorFile> kind = kindOfTensorFile(path);
  if (!kind)
    return kind.status();
  if (*kind == TensorFile::Npy)
    return writeNpy(path, tensor);
  std::span<const std::byte> parts[] = {tensor.bytes};
  return writeFile(path, parts);
}
