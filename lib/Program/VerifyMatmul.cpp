// Semantic checks of matrix products.
#include "Verifier.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::program;

/// The result's shape of lhs x rhs after transposes, batch dims broadcast;
/// empty if they do not fit.
static std::vector<int64_t> inferMatmul(std::vector<int64_t> lhs,
                                        std::vector<int64_t> rhs) {
  if (lhs.size() < rhs.size())
    lhs.insert(lhs.begin(), rhs.size() - lhs.size(), 1);
  if (rhs.size() < lhs.size())
    rhs.insert(rhs.begin(), lhs.size() - rhs.size(), 1);
  size_t rank = lhs.size();
  if (lhs[rank - 1] != rhs[rank - 2])
    return {};
  std::vector<int64_t> result(rank);
  for (size_t i = 0; i + 2 < rank; ++i) {
    if (lhs[i] != rhs[i] && lhs[i] != 1 && rhs[i] != 1)
      return {};
    result[i] = lhs[i] == 1 ? rhs[i] : lhs[i];
  }
  result[rank - 2] = lhs[rank - 2];
  result[rank - 1] = rhs[rank - 1];
  return result;
}

static std::vector<int64_t> readShape(const flatbuffers::Vector<int64_t> *shape,
                                      bool transpose) {
  std::span<const int64_t> dims = toSpan(shape);
  std::vector<int64_t> result(dims.begin(), dims.end());
  if (transpose && result.size() >= 2)
    std::swap(result[result.size() - 1], result[result.size() - 2]);
  return result;
}

static bool isEightBit(ElementType type) {
  return type == ElementType::F8E4M3 || type == ElementType::F8E5M2;
}
static bool isHalf(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16;
}

Status Verifier::checkMatmulTypes(const Matmul &matmul,
                                  const std::string &who) const {
  ElementType lhs = matmul.lhs_type(), rhs = matmul.rhs_type(),
              result = matmul.result_type();
  bool plain = lhs == rhs && lhs <= ElementType::BF16 &&
               (result == lhs || (isHalf(lhs) && result == ElementType::F32));
  bool eight = isForGpu() && isEightBit(lhs) && isEightBit(rhs) &&
               (isHalf(result) || result == ElementType::F32);
  if (!plain && !eight)
    return fail(who + ": no product " + formatTensor(lhs, {}) + " x " +
                formatTensor(rhs, {}) + " -> " + formatTensor(result, {}));
  if (matmul.has_scales() && !eight)
    return fail(who + ": scales are for 8-bit floats");
  return {};
}

/// How many matrices the result has.
static int64_t getBatches(const Matmul &matmul) {
  std::span<const int64_t> shape = toSpan(matmul.result_shape());
  int64_t batches = 1;
  for (int64_t dim : shape.first(shape.size() - 2))
    batches *= dim;
  return batches;
}

Status Verifier::checkEpilogue(const Matmul &matmul,
                               const std::string &who) const {
  if (!isKnown(matmul.epilogue()) || !isKnown(matmul.bias_gradient()))
    return fail(who + ": unknown epilogue");
  bool gradient = matmul.bias_gradient() != BiasGradient::None;
  bool extended = matmul.has_aux() || matmul.derivative() || gradient ||
                  matmul.accumulate() || matmul.has_scales();
  if (extended && !isForGpu())
    return fail(who + ": aux, derivative, bias gradient, accumulation and "
                      "scales need target 'cuda'");
  bool applied = matmul.epilogue() != Epilogue::None;
  if (matmul.has_aux() && !applied)
    return fail(who + ": expected an epilogue that the aux tensor belongs to");
  if (matmul.derivative() && (!matmul.has_aux() || matmul.has_bias()))
    return fail(who + ": expected an aux tensor and no bias for the "
                      "derivative of an epilogue");
  if (gradient && getBatches(matmul) != 1)
    return fail(who + ": a bias gradient is of one matrix, but got " +
                std::to_string(getBatches(matmul)));
  return {};
}

/// The kernel reads and writes what the product does anyway.
Status Verifier::checkTail(const Matmul &matmul, const std::string &who) const {
  if (matmul.tail_kernel() == kNoKernel)
    return {};
  if (!isForGpu() || matmul.accumulate() || matmul.has_scales())
    return fail(who + ": a tail needs target 'cuda', and neither accumulation "
                      "nor scales");
  size_t kernels = each(program.kernels()).size();
  if (matmul.tail_kernel() >= kernels)
    return fail(who + ": its tail is kernel " +
                std::to_string(matmul.tail_kernel()) + " of " +
                std::to_string(kernels));
  const Kernel &kernel = *program.kernels()->Get(matmul.tail_kernel());
  std::span<const uint64_t> reach = toSpan(kernel.arg_bytes());
  std::span<const uint8_t> args = toSpan(matmul.tail_args());
  if (reach.empty() || args.size() != reach.size())
    return fail(who + ": expected " + std::to_string(reach.size()) +
                " arguments for its tail, but got " +
                std::to_string(args.size()));
  std::vector<Operand> operands = getOperands(matmul);
  for (size_t i = 0; i < args.size(); ++i) {
    std::string which =
        who + ", argument " + std::to_string(i) + " of its tail";
    if (args[i] >= operands.size())
      return fail(which + ": is argument " + std::to_string(args[i]) + " of " +
                  std::to_string(operands.size()));
    const Operand &operand = operands[args[i]];
    if (reach[i] > operand.bytes)
      return fail(which + ": needs " + std::to_string(reach[i]) +
                  " bytes, but there are " + std::to_string(operand.bytes));
    if (i + kernel.num_results() >= args.size() && !operand.written)
      return fail(which + ": writes what the product only reads");
  }
  return {};
}

Status Verifier::checkMatmul(const Matmul &matmul, size_t index) const {
  std::string who = "matmul " + std::to_string(index);
  uint64_t bytes = 0;
  for (auto [type, shape] :
       {std::pair(matmul.lhs_type(), matmul.lhs_shape()),
        std::pair(matmul.rhs_type(), matmul.rhs_shape()),
        std::pair(matmul.result_type(), matmul.result_shape())}) {
    if (Status status = checkTensor(who, type, shape, bytes); !status.ok())
      return status;
    if (toSpan(shape).size() < 2 || bytes == 0)
      return fail(who +
                  ": expected operands of at least two dims, none of "
                  "them 0, but got " +
                  formatTensor(type, toSpan(shape)));
  }
  if (Status status = checkMatmulTypes(matmul, who); !status.ok())
    return status;
  ElementType operand = matmul.lhs_type(), result = matmul.result_type();
  std::vector<int64_t> expected =
      inferMatmul(readShape(matmul.lhs_shape(), matmul.transpose_lhs()),
                  readShape(matmul.rhs_shape(), matmul.transpose_rhs()));
  if (expected.empty() || expected != readShape(matmul.result_shape(), false))
    return fail(who + ": " + formatTensor(operand, toSpan(matmul.lhs_shape())) +
                " x " +
                formatTensor(matmul.rhs_type(), toSpan(matmul.rhs_shape())) +
                " does not make " +
                formatTensor(result, toSpan(matmul.result_shape())));
  if (Status status = checkEpilogue(matmul, who); !status.ok())
    return status;
  return checkTail(matmul, who);
}
