// Family Convolution: canonical forms.
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h"
#include "Bias.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult ConvolutionOp::canonicalize(ConvolutionOp op,
                                          PatternRewriter &rewriter) {
  return dropZeroBias(op, rewriter);
}
LogicalResult TransposedConvolutionOp::canonicalize(TransposedConvolutionOp op,
                                                    PatternRewriter &rewriter) {
  return dropZeroBias(op, rewriter);
}
