#include "ConvolutionProblem.h"

#include <algorithm>
#include <cmath>

using namespace mpc;
using namespace mpc::test;

Dims ConvolutionSpec::resultSpace() const {
  Dims sizes;
  for (size_t dim = 0; dim < space.size(); ++dim)
    sizes.push_back((space[dim] + low[dim] + high[dim] -
                     dilations[dim] * (kernel[dim] - 1) - 1) /
                        strides[dim] +
                    1);
  return sizes;
}

std::string test::describe(const ConvolutionSpec &spec,
                           ConvolutionTensor written) {
  auto write = [](const Dims &dims) {
    std::string text;
    for (int64_t size : dims)
      text += (text.empty() ? "[" : ", ") + std::to_string(size);
    return text + "]";
  };
  std::string text(getInfo(static_cast<DType>(spec.type)).name);
  text += " convolution of " + std::to_string(spec.batch) + " x " +
          std::to_string(spec.channels) + " x " + write(spec.space) + " by " +
          std::to_string(spec.results) + " x " + write(spec.kernel) +
          ", strides " + write(spec.strides) + ", zeros " + write(spec.low) +
          " and " + write(spec.high) + ", dilations " + write(spec.dilations) +
          ", " + std::to_string(spec.groups) + " groups";
  if (spec.isLast)
    text += ", channels last";
  if (spec.turnsWeight)
    text += ", but not of the weight";
  if (spec.bias)
    text += std::string(", a bias of ") +
            std::string(getInfo(static_cast<DType>(*spec.bias)).name);
  static constexpr const char *names[] = {"input", "weight", "result"};
  return text + ", for the " + names[static_cast<size_t>(written)];
}

/// Strides of [a, b, space...], as a call has it, wherever its elements lie.
static Dims getStrides(const Dims &dims, bool isLast) {
  std::vector<size_t> order = {0};
  if (!isLast)
    order.push_back(1);
  for (size_t dim = 2; dim < dims.size(); ++dim)
    order.push_back(dim);
  if (isLast)
    order.push_back(1);
  Dims strides(dims.size());
  int64_t dense = 1;
  for (size_t i = order.size(); i-- > 0; dense *= dims[order[i]])
    strides[order[i]] = dense;
  return strides;
}

program::CallT test::makeCall(const ConvolutionSpec &spec,
                              ConvolutionTensor written) {
  program::CallT made;
  program::ConvolutionT options;
  options.strides = spec.strides;
  options.low = spec.low;
  options.dilations = spec.dilations;
  options.groups = spec.groups;
  made.options.Set(std::move(options));
  auto add = [&](ConvolutionTensor tensor, OperandRole role, int64_t a,
                 int64_t b, const Dims &space, bool isLast) {
    auto operand = std::make_unique<program::CallOperandT>();
    operand->role = role;
    operand->written = tensor == written;
    operand->type = operand->written && spec.isWide ? F32 : spec.type;
    operand->shape = {a, b};
    operand->shape.insert(operand->shape.end(), space.begin(), space.end());
    operand->strides = getStrides(operand->shape, isLast);
    made.operands.push_back(std::move(operand));
  };
  add(ConvolutionTensor::Input, OperandRole::Input, spec.batch, spec.channels,
      spec.space, spec.isLast);
  add(ConvolutionTensor::Weight, OperandRole::Weight, spec.results,
      spec.channels / spec.groups, spec.kernel,
      spec.isLast != spec.turnsWeight);
  add(ConvolutionTensor::Result, OperandRole::Result, spec.batch, spec.results,
      spec.resultSpace(), spec.isLast);
  if (spec.bias && written == ConvolutionTensor::Result) {
    auto bias = std::make_unique<program::CallOperandT>();
    bias->role = OperandRole::Bias;
    bias->type = *spec.bias;
    bias->shape = {spec.results};
    bias->strides = {1};
    made.operands.push_back(std::move(bias));
  }
  return made;
}

ConvolutionProblem::ConvolutionProblem(const ConvolutionSpec &spec,
                                       ConvolutionTensor written)
    : spec(spec), written(static_cast<size_t>(written)),
      made(makeCall(spec, written)) {
  for (const auto &operand : made.operands)
    values.push_back(makeRandom(operand->type, countOf(operand->shape),
                                static_cast<uint32_t>(values.size() + 1)));
}

Values ConvolutionProblem::makeResult() const {
  return Values(values[written].type, countOf(made.operands[written]->shape));
}

double ConvolutionProblem::worstError(const Values &result) const {
  std::vector<double> expected = sum(false), sizes = sum(true);
  unsigned bits =
      getInfo(static_cast<DType>(values[written].type)).mantissaBits;
  double worst = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    // Of a sum of so many terms, then of one rounding.
    double bound =
        sizes[i] * std::ldexp(8.0, spec.type == F64 ? -52 : -24) +
        std::abs(expected[i]) * std::ldexp(1.0, -static_cast<int>(bits) - 1) +
        1e-30;
    double error = std::abs(result.get(i) - expected[i]) / bound;
    worst = std::isnan(error) ? 1e9 : std::max(worst, error);
  }
  return worst;
}

static Dims split(int64_t index, const Dims &sizes) {
  Dims made(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0; index /= sizes[dim])
    made[dim] = index % sizes[dim];
  return made;
}

size_t ConvolutionProblem::locate(ConvolutionTensor tensor, int64_t a,
                                  int64_t b, const Dims &at) const {
  const Dims &strides = made.operands[static_cast<size_t>(tensor)]->strides;
  int64_t index = a * strides[0] + b * strides[1];
  for (size_t dim = 0; dim < at.size(); ++dim)
    index += at[dim] * strides[dim + 2];
  return static_cast<size_t>(index);
}

std::vector<double> ConvolutionProblem::sum(bool ofSizes) const {
  std::vector<double> sums(countOf(made.operands[written]->shape));
  int64_t groupChannels = spec.channels / spec.groups,
          groupResults = spec.results / spec.groups;
  Dims sizes = spec.resultSpace();
  if (values.size() == 4)
    for (int64_t n = 0; n < spec.batch; ++n)
      for (int64_t o = 0; o < spec.results; ++o)
        for (int64_t p = 0; p < countOf(sizes); ++p) {
          double bias = values[3].exact[static_cast<size_t>(o)];
          sums[locate(ConvolutionTensor::Result, n, o, split(p, sizes))] =
              ofSizes ? std::abs(bias) : bias;
        }
  for (int64_t n = 0; n < spec.batch; ++n)
    for (int64_t o = 0; o < spec.results; ++o)
      for (int64_t c = 0; c < groupChannels; ++c)
        for (int64_t p = 0; p < countOf(sizes); ++p)
          for (int64_t k = 0; k < countOf(spec.kernel); ++k) {
            Dims at = split(p, sizes), inside = split(k, spec.kernel), from;
            bool isIn = true;
            for (size_t dim = 0; dim < sizes.size(); ++dim) {
              from.push_back(at[dim] * spec.strides[dim] +
                             inside[dim] * spec.dilations[dim] - spec.low[dim]);
              isIn &= from[dim] >= 0 && from[dim] < spec.space[dim];
            }
            if (!isIn)
              continue;
            size_t places[] = {locate(ConvolutionTensor::Input, n,
                                      o / groupResults * groupChannels + c,
                                      from),
                               locate(ConvolutionTensor::Weight, o, c, inside),
                               locate(ConvolutionTensor::Result, n, o, at)};
            double product = 1;
            for (size_t i = 0; i < 3; ++i)
              if (i != written)
                product *= values[i].exact[places[i]];
            sums[places[written]] += ofSizes ? std::abs(product) : product;
          }
  return sums;
}
