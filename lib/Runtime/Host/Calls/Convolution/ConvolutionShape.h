// How a convolution on the processor is cut into pieces, and how its tensors
// lie for the library.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_CONVOLUTION_CONVOLUTIONSHAPE_H
#define MPC_LIB_RUNTIME_HOST_CALLS_CONVOLUTION_CONVOLUTIONSHAPE_H

#include "../Dnnl/Dnnl.h"
#include "../Matmul/PackedMatmul.h"
#include "mpc/Program/Calls/Convolution.h"

namespace mpc::runtime {

uint64_t countElements(const program::CallOperand &operand);

inline uint64_t alignUp(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

/// How one of the tensors that have a batch reaches the primitive.
struct Images {
  packed::Number type = packed::Number::F32; ///< in the caller's memory
  uint64_t count = 0;                        ///< elements of an image
  uint64_t taken = 0;     ///< elements of it that a piece takes
  bool isWidened = false; ///< copied to, or from, f32

  uint64_t bytes() const { return type == packed::Number::F32 ? 4 : 2; }
  bool isCopied() const { return isWidened || taken != count; }
  /// Memory of a worker for `images` of them.
  uint64_t copyBytes(int64_t images) const {
    uint64_t each = isWidened ? 4 : bytes();
    return isCopied() ? alignUp(each * taken * static_cast<uint64_t>(images))
                      : 0;
  }
};

/// Pieces are what the pool distributes: by the shape alone, never by the
/// number of threads, since the order of sums depends on them.
struct ConvolutionCut {
  int64_t images;             ///< of a piece; the last ones may have fewer
  int64_t channels;           ///< of the input
  uint32_t imagePieces = 1;   ///< of the batch
  uint32_t channelPieces = 1; ///< of the channels, all of one size

  uint32_t pieces() const { return imagePieces * channelPieces; }
};

/// The batch is cut into some pieces for each thread of many. The weight's
/// gradient is a sum over it: each of its pieces is as large as the weight, and
/// is added. So there the channels of the input are cut first, where they are
/// last and a piece of them is a line of the cache or more, `elementBytes`
/// each: a piece then has a part of the weight of its own.
ConvolutionCut chooseCut(const program::ConvolutionCall &call,
                         uint64_t elementBytes);
/// The same, with all channels in each piece.
ConvolutionCut cutBatch(const program::ConvolutionCall &call);

/// `images` of a tensor that has a batch, and `channels` of theirs, which then
/// lie alone. dnnl_unimplemented if it lies in no way that libraries know.
dnnl_status_t describeImages(dnnl_memory_desc_t &made,
                             const program::CallOperand &operand,
                             int64_t images, int64_t channels,
                             dnnl_data_type_t type);
/// The weight of `channels` of the input as it lies, and with no format, for
/// the library to choose one; groups are a dim of their own to it.
dnnl_status_t describeWeight(dnnl_memory_desc_t &plain, dnnl_memory_desc_t &any,
                             const program::ConvolutionCall &call,
                             int64_t channels, dnnl_data_type_t type);
/// The bias of a call that has one, in f32.
dnnl_status_t describeBias(dnnl_memory_desc_t &made,
                           const program::ConvolutionCall &call);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_CONVOLUTION_CONVOLUTIONSHAPE_H
