// What a convolution is.
#include "mpc/Program/Calls/Convolution.h"
#include "../Verifier.h"
#include "Check.h"

#include <algorithm>
#include <numeric>

using namespace mpc;
using namespace mpc::program;

static const CallOperand *getOperand(const Call &call, OperandRole role) {
  std::optional<uint32_t> index = findOperand(call, role);
  return index ? call.operands()->Get(*index) : nullptr;
}

ConvolutionCall::ConvolutionCall(const Call &call)
    : options(*call.options_as_Convolution()),
      input(getOperand(call, OperandRole::Input)),
      weight(getOperand(call, OperandRole::Weight)),
      result(getOperand(call, OperandRole::Result)),
      bias(getOperand(call, OperandRole::Bias)) {}

bool ConvolutionCall::hasPlaceOfZeros() const {
  for (size_t dim = 0; dim < spaceRank(); ++dim) {
    int64_t stride = (*options.strides())[dim],
            last = (resultSpace()[dim] - 1) * stride;
    for (int64_t place = 0; place < kernel()[dim]; ++place) {
      int64_t first =
          place * (*options.dilations())[dim] - (*options.low())[dim];
      // What the first window meets there that is not in front of the input.
      int64_t begin =
          first < 0 ? first + (-first + stride - 1) / stride * stride : first;
      if (begin >= space()[dim] || begin > first + last)
        return true;
    }
  }
  return false;
}

int64_t ConvolutionCall::reach(size_t dim) const {
  return (resultSpace()[dim] - 1) * (*options.strides())[dim] +
         (kernel()[dim] - 1) * (*options.dilations())[dim] + 1;
}

bool program::isPermuted(const CallOperand &operand) {
  std::span<const int64_t> shape = toSpan(operand.shape()),
                           strides = toSpan(operand.strides());
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(
      order, [&](size_t a, size_t b) { return strides[a] < strides[b]; });
  int64_t dense = 1;
  for (size_t dim : order) {
    if (shape[dim] == 1)
      continue;
    if (strides[dim] != dense)
      return false;
    dense *= shape[dim];
  }
  return true;
}

static Status fail(const std::string &what) {
  return {StatusCode::InvalidProgram, what};
}

static Status checkTensors(const ConvolutionCall &call) {
  size_t rank = toSpan(call.input->shape()).size();
  for (const CallOperand *operand : {call.input, call.weight, call.result}) {
    std::span<const int64_t> shape = toSpan(operand->shape());
    if (rank < 3 || rank > 5 || shape.size() != rank ||
        std::ranges::count(shape, 0))
      return fail(
          "expected tensors of 3, 4 or 5 dims, none of them 0, but got " +
          formatOperand(*operand));
    if (!isPermuted(*operand))
      return fail("expected tensors without gaps, but got " +
                  formatOperand(*operand));
  }
  return {};
}

/// Those that are read have one type; what is written has it, too, or is wider.
static Status checkTypes(const ConvolutionCall &call) {
  std::vector<ElementType> read;
  ElementType written = ElementType::F32;
  for (const CallOperand *operand : {call.input, call.weight, call.result})
    if (operand->written())
      written = operand->type();
    else
      read.push_back(operand->type());
  ElementType type = read.front();
  bool isHalf = type == ElementType::F16 || type == ElementType::BF16;
  bool fits = type <= ElementType::BF16 && read.back() == type &&
              (written == type || (isHalf && written == ElementType::F32));
  return fits ? Status()
              : fail("no convolution of " + formatTensor(read.front(), {}) +
                     " and " + formatTensor(read.back(), {}) + " to " +
                     formatTensor(written, {}));
}

/// It is added to what is accumulated, so a processor takes any type that this
/// holds; cuDNN takes that of 16 bits that everything has.
static Status checkBias(const ConvolutionCall &call, bool isForGpu) {
  if (!call.bias)
    return {};
  if (!call.result->written())
    return fail("a gradient has no bias");
  std::span<const int64_t> shape = toSpan(call.bias->shape());
  ElementType type = call.bias->type(), input = call.input->type();
  bool isDouble = input == ElementType::F64;
  if (shape.size() != 1 || shape[0] != call.results() || !isDense(*call.bias) ||
      type > ElementType::BF16 || (type == ElementType::F64) != isDouble)
    return fail(
        "expected a bias of " + std::to_string(call.results()) +
        (isDouble ? " numbers of f64" : " numbers of f32, f16 or bf16") +
        ", but got " + formatOperand(*call.bias));
  bool isHalf = input == ElementType::F16 || input == ElementType::BF16;
  if (isForGpu && !(isHalf && type == input && call.result->type() == input))
    return fail("a bias of another type than f16 or bf16, which input and "
                "result have too, needs target 'cpu'");
  return {};
}

static Status checkNumbers(const ConvolutionCall &call) {
  auto check = [&](const flatbuffers::Vector<int64_t> *numbers, int64_t least) {
    return numbers && numbers->size() == call.spaceRank() &&
           std::ranges::all_of(toSpan(numbers), [&](int64_t number) {
             return number >= least && number <= kMaxConvolutionNumber;
           });
  };
  const Convolution &options = call.options;
  if (!check(options.strides(), 1) || !check(options.dilations(), 1) ||
      !check(options.low(), 0))
    return fail("expected strides and dilations of 1 or more and low of 0 or "
                "more, below 2^31, for each dim of space");
  int64_t groups = options.groups();
  std::span<const int64_t> weight = toSpan(call.weight->shape());
  bool fits = groups >= 1 && call.channels() % groups == 0 &&
              call.results() % groups == 0 && weight[0] == call.results() &&
              weight[1] == call.channels() / groups &&
              toSpan(call.result->shape())[0] == call.batch();
  if (!fits)
    return fail(
        "expected shapes of a convolution of " + std::to_string(groups) +
        " groups, but got " + formatOperand(*call.input) + ", " +
        formatOperand(*call.weight) + " and " + formatOperand(*call.result));
  return {};
}

/// Sizes of space fit: the zeros that there would have to be are no more than
/// numbers may be. Sizes are below 2^48, and so are strides times them not.
static Status checkSpace(const ConvolutionCall &call) {
  for (size_t dim = 0; dim < call.spaceRank(); ++dim) {
    for (int64_t size :
         {call.space()[dim], call.kernel()[dim], call.resultSpace()[dim]})
      if (size > kMaxConvolutionNumber)
        return fail("expected sizes below 2^31 in space, but got " +
                    std::to_string(size));
    if (call.high(dim) > kMaxConvolutionNumber)
      return fail(
          "expected windows that reach less than 2^31 behind the input, "
          "but got " +
          std::to_string(call.high(dim)));
  }
  return {};
}

Status program::checkCall(const Convolution &, const Call &call,
                          bool isForGpu) {
  std::optional<OperandRole> written;
  for (const CallOperand *operand : *call.operands())
    if (operand->written() && !written)
      written = operand->role();
  auto expect = [&](OperandRole role) {
    return ExpectedOperand{role, true, role == written};
  };
  const ExpectedOperand expected[] = {expect(OperandRole::Input),
                                      expect(OperandRole::Weight),
                                      expect(OperandRole::Result),
                                      {OperandRole::Bias, false, false}};
  if (Status status = checkRoles(call, expected); !status.ok())
    return status;
  if (!written)
    return fail("expected one of input, weight and result to be written");
  ConvolutionCall convolution(call);
  for (auto check : {checkTensors, checkTypes, checkNumbers, checkSpace})
    if (Status status = check(convolution); !status.ok())
      return status;
  if (Status status = checkBias(convolution, isForGpu); !status.ok())
    return status;
  if (call.tail_kernel() != kNoKernel)
    return fail("a convolution has nothing beside it, and no tail");
  return {};
}

double program::countFlops(const Convolution &, const Call &call) {
  ConvolutionCall convolution(call);
  double flops = 2;
  for (int64_t dim : toSpan(convolution.result->shape()))
    flops *= static_cast<double>(dim);
  for (int64_t dim : toSpan(convolution.weight->shape()).subspan(1))
    flops *= static_cast<double>(dim);
  return flops;
}
