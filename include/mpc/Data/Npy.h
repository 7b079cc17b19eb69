// NumPy's npy files, format versions 1 to 3.
//
//   \x93NUMPY, major, minor, header length (u16 for 1, u32 for 2 and 3), then
//   a Python dict {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), },
//   padded with spaces and ended by a newline; then the values.
//
// Read: little-endian f16 f32 f64, signed and unsigned integers, bools, in C
// order, in a file that ends where the array ends. bf16 has no descr of its
// own; '<V2' and '|V2', which ml_dtypes writes, are read as bf16.
// Everything else is refused with a message that says what to do.
#ifndef MPC_DATA_NPY_H
#define MPC_DATA_NPY_H

#include "mpc/Data/Tensor.h"

namespace mpc::data {

/// Reads `path`. All sizes are compared with the file's before memory is taken.
Result<Tensor> readNpy(const std::string &path);

/// Writes `tensor` as version 1 (atomically, see writeFile). bf16 values are
/// written as f32, which holds them exactly and which NumPy can read.
Status writeNpy(OutputFile file, const Tensor &tensor);

} // namespace mpc::data

#endif // MPC_DATA_NPY_H
