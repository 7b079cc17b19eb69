// What a file of a tensor holds goes by its name, where it is read and where
// it is written.
#ifndef MPC_DATA_TENSORFILE_H
#define MPC_DATA_TENSORFILE_H

#include "mpc/Data/Tensor.h"

namespace mpc::data {

enum class TensorFile {
  Npy, ///< ".npy". A pipe or a device without a name: npy says what it is.
  Raw, ///< ".raw" and ".bin": bare values, without type and shape.
  Idx, ///< ".idx", "-ubyte", and ".gz" behind these: read alone (Idx.h).
};

/// Of a file to read. Fails for another name, with a message that lists these.
Result<TensorFile> kindOfInputFile(const std::string &path);
/// Of a file to write.
Result<TensorFile> kindOfTensorFile(const std::string &path);

/// Writes `tensor` as the name of the file says (see writeNpy, writeFile).
/// Bare values keep their type, bf16 too.
Status writeTensor(OutputFile file, const Tensor &tensor);

} // namespace mpc::data

#endif // MPC_DATA_TENSORFILE_H
