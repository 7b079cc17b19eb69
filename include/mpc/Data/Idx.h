// idx files, the form in which MNIST, and data sets after its pattern, come.
//
//   0, 0, a byte for the type, one for the number of dims; each dim as a u32;
//   then the values. Everything big-endian.
//
// The types are 08 u8, 09 i8, 0b i16, 0c i32, 0d f32, 0e f64
// (http://yann.lecun.com/exdb/mnist). A file may be compressed by gzip: that
// goes by its first bytes, not by its name.
#ifndef MPC_DATA_IDX_H
#define MPC_DATA_IDX_H

#include "mpc/Data/Tensor.h"

namespace mpc::data {

/// Reads `path`. A size is compared with what the file can hold before memory
/// is taken, and what is behind the values is an error.
Result<Tensor> readIdx(const std::string &path);

/// Images of idx files have no dim of channels: N x 28 x 28 are Nx1x28x28, or
/// Nx28x28x1, if batches of those are `wanted`. Any other shape stays.
void addChannel(const Shape &wanted, Shape &found);

} // namespace mpc::data

#endif // MPC_DATA_IDX_H
