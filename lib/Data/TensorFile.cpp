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

/// What a file of that name holds; of a name that says nothing, nothing.
static std::optional<TensorFile> kindByName(const std::string &path) {
  if (path.ends_with(".raw") || path.ends_with(".bin"))
    return TensorFile::Raw;
  if (path.ends_with(".npy"))
    return TensorFile::Npy;
  return std::nullopt;
}

/// "train-images-idx3-ubyte.gz", as they are known.
static bool isNamedAsIdx(std::string_view path) {
  if (path.ends_with(".gz"))
    path.remove_suffix(3);
  return path.ends_with(".idx") || path.ends_with("-ubyte");
}

Result<TensorFile> mpc::data::kindOfInputFile(const std::string &path) {
  if (isNamedAsIdx(path))
    return TensorFile::Idx;
  if (kindByName(path) || isPipeOrDevice(path))
    return kindOfTensorFile(path);
  return Status(StatusCode::InvalidArgument,
                "'" + path +
                    "': expected a file named .npy, .raw or .bin, or "
                    "an idx file, named .idx or -ubyte, also with .gz "
                    "behind it");
}

Result<TensorFile> mpc::data::kindOfTensorFile(const std::string &path) {
  if (std::optional<TensorFile> kind = kindByName(path))
    return *kind;
  if (isPipeOrDevice(path))
    return TensorFile::Npy;
  return Status(StatusCode::InvalidArgument,
                "'" + path + "': expected a file named .npy, .raw or .bin");
}

/// A pipe that is open may have lost its name by now.
static Result<TensorFile> kindOf(const OutputFile &file) {
  if (file.isOpen())
    return kindByName(file.path()).value_or(TensorFile::Npy);
  return kindOfTensorFile(file.path());
}

Status mpc::data::writeTensor(OutputFile file, const Tensor &tensor) {
  Result<TensorFile> kind = kindOf(file);
  if (!kind)
    return kind.status();
  if (*kind == TensorFile::Npy)
    return writeNpy(std::move(file), tensor);
  std::span<const std::byte> parts[] = {tensor.bytes};
  return writeFile(std::move(file), parts);
}
