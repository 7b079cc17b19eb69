// What a matrix product is.
#include "mpc/Program/Calls/Matmul.h"
#include "../Verifier.h"
#include "Check.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::program;

static const CallOperand *getOperand(const Call &call, OperandRole role) {
  std::optional<uint32_t> index = findOperand(call, role);
  return index ? call.operands()->Get(*index) : nullptr;
}

MatmulCall::MatmulCall(const Call &call)
    : options(*call.options_as_Matmul()),
      lhs(getOperand(call, OperandRole::Lhs)),
      rhs(getOperand(call, OperandRole::Rhs)),
      result(getOperand(call, OperandRole::Result)),
      bias(getOperand(call, OperandRole::Bias)),
      addend(getOperand(call, OperandRole::Addend)),
      aux(getOperand(call, OperandRole::Aux)),
      lhsScale(getOperand(call, OperandRole::LhsScale)),
      rhsScale(getOperand(call, OperandRole::RhsScale)) {}

std::optional<MatrixLayout> program::getMatrixLayout(const CallOperand &operand,
                                                     bool preferTransposed) {
  std::span<const int64_t> shape = toSpan(operand.shape()).last(2),
                           strides = toSpan(operand.strides()).last(2);
  // Where a dim is 1, its stride is never taken.
  auto lay = [&](size_t outer, size_t inner) -> std::optional<int64_t> {
    if (shape[inner] != 1 && strides[inner] != 1)
      return std::nullopt;
    if (shape[outer] == 1)
      return std::max(strides[outer], shape[inner]);
    if (strides[outer] < shape[inner])
      return std::nullopt;
    return strides[outer];
  };
  std::optional<int64_t> byRows = lay(0, 1), byColumns = lay(1, 0);
  if (byColumns && (preferTransposed || !byRows))
    return MatrixLayout{true, *byColumns};
  if (byRows)
    return MatrixLayout{false, *byRows};
  return std::nullopt;
}

static Status fail(const std::string &what) {
  return {StatusCode::InvalidProgram, what};
}

static bool isEightBit(ElementType type) {
  return type == ElementType::F8E4M3 || type == ElementType::F8E5M2;
}
static bool isHalf(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16;
}

static Status checkTypes(const MatmulCall &call, bool isForGpu) {
  ElementType lhs = call.lhs->type(), rhs = call.rhs->type(),
              result = call.result->type();
  bool plain = lhs == rhs && lhs <= ElementType::BF16 &&
               (result == lhs || (isHalf(lhs) && result == ElementType::F32));
  bool eight = isForGpu && isEightBit(lhs) && isEightBit(rhs) &&
               (isHalf(result) || result == ElementType::F32);
  if (!plain && !eight)
    return fail("no product " + formatTensor(lhs, {}) + " x " +
                formatTensor(rhs, {}) + " -> " + formatTensor(result, {}));
  if (call.hasScales() && !eight)
    return fail("scales are for 8-bit floats");
  return {};
}

/// Shapes of a product, dense but for how the operands lie.
static Status checkMatrices(const MatmulCall &call) {
  for (const CallOperand *matrix : {call.lhs, call.rhs, call.result}) {
    std::span<const int64_t> shape = toSpan(matrix->shape());
    if (shape.size() < 2 || std::ranges::count(shape, 0))
      return fail("expected operands of at least two dims, none of them 0, "
                  "but got " +
                  formatOperand(*matrix));
    if (!getMatrixLayout(*matrix))
      return fail("expected matrices with dense rows or columns, but got " +
                  formatOperand(*matrix));
  }
  auto batchOf = [](const CallOperand *matrix) {
    std::span<const int64_t> shape = toSpan(matrix->shape());
    return shape.first(shape.size() - 2);
  };
  std::span<const int64_t> result = toSpan(call.result->shape()).last(2);
  bool fits = call.inner() == toSpan(call.rhs->shape()).end()[-2] &&
              result[0] == call.rows() && result[1] == call.columns();
  for (const CallOperand *matrix : {call.lhs, call.rhs})
    fits &= std::ranges::equal(batchOf(matrix), call.batch());
  if (!fits)
    return fail("expected shapes of a matrix product, but got " +
                formatOperand(*call.lhs) + " x " + formatOperand(*call.rhs) +
                " -> " + formatOperand(*call.result));
  if (!isDense(*call.result))
    return fail("expected a dense result, but got " +
                formatOperand(*call.result));
  return {};
}

static Status checkEpilogue(const MatmulCall &call, bool isForGpu) {
  const Matmul &options = call.options;
  if (!isKnown(options.epilogue()))
    return fail("unknown epilogue");
  if (options.accumulate())
    return fail("expected what the product is added to as an operand addend");
  bool extended = call.aux || options.derivative() || call.hasScales();
  if (extended && !isForGpu)
    return fail("aux, derivative and scales need target 'cuda'");
  if (call.aux && options.epilogue() == Epilogue::None)
    return fail("expected an epilogue that the aux tensor belongs to");
  if (options.derivative() && (!call.aux || call.bias || call.addend))
    return fail("expected an aux tensor, no bias and no addend for the "
                "derivative of an epilogue");
  return {};
}

/// Without the dims of 1: of a row nobody asks which dim it runs along.
static std::vector<int64_t> squeeze(std::span<const int64_t> shape) {
  std::vector<int64_t> dims(shape.begin(), shape.end());
  std::erase(dims, 1);
  return dims;
}

/// A dense tensor beside the product.
static Status checkBeside(const CallOperand *operand, ElementType type,
                          std::span<const int64_t> shape) {
  if (!operand || (operand->type() == type && isDense(*operand) &&
                   squeeze(toSpan(operand->shape())) == squeeze(shape)))
    return {};
  return fail(std::string("expected ") + getName(operand->role()) + " to be " +
              formatTensor(type, shape) + ", but got " +
              formatOperand(*operand));
}

static Status checkRows(const MatmulCall &call) {
  ElementType type = call.result->type();
  int64_t columns[] = {call.columns()};
  for (const Status &status :
       {checkBeside(call.bias, type, columns),
        checkBeside(call.addend, type, toSpan(call.result->shape())),
        checkBeside(call.aux, type, toSpan(call.result->shape())),
        checkBeside(call.lhsScale, ElementType::F32, {}),
        checkBeside(call.rhsScale, ElementType::F32, {})})
    if (!status.ok())
      return status;
  return {};
}

/// The plain call adds it: where the tail runs, it may be gone.
static bool tailReadsAddend(const Call &call) {
  std::optional<uint32_t> addend = findOperand(call, OperandRole::Addend);
  return addend && std::ranges::count(toSpan(call.tail_args()), *addend);
}

Status program::checkCall(const Matmul &options, const Call &call,
                          bool isForGpu) {
  if (options.bias_gradient() != 0)
    return {StatusCode::VersionTooOld,
            "expected no sums beside the product, which kernels make now; "
            "compile the model again"};
  bool scales = findOperand(call, OperandRole::LhsScale) ||
                findOperand(call, OperandRole::RhsScale);
  std::vector<ExpectedOperand> expected = {
      {OperandRole::Lhs, true, false},
      {OperandRole::Rhs, true, false},
      {OperandRole::Result, true, true},
      {OperandRole::Bias, false, false},
      {OperandRole::Addend, false, false},
      {OperandRole::Aux, false, !options.derivative()}};
  if (scales)
    expected.insert(expected.end(), {{OperandRole::LhsScale, true, false},
                                     {OperandRole::RhsScale, true, false}});
  Status status = checkRoles(call, expected);
  if (!status.ok())
    return status;
  MatmulCall product(call);
  if (status = checkMatrices(product); !status.ok())
    return status;
  for (auto check : {checkTypes, checkEpilogue})
    if (status = check(product, isForGpu); !status.ok())
      return status;
  if (status = checkRows(product); !status.ok())
    return status;
  if (product.addend && !isForGpu)
    return fail("an addend needs target 'cuda'");
  if (call.tail_kernel() != kNoKernel && (scales || tailReadsAddend(call)))
    return fail("a tail does neither the addend nor scales");
  return {};
}

double program::countFlops(const Matmul &, const Call &call) {
  MatmulCall product(call);
  double flops = 2;
  for (int64_t dim : toSpan(product.result->shape()))
    flops *= static_cast<double>(dim);
  return flops * static_cast<double>(product.inner());
}
