#include "Reference/ErrorRule.h"
#include <bit>
#include <cmath>
#include <limits>
#include <set>

using namespace mpc;
using namespace mpc::reference;

namespace {
constexpr double kFloorUlps = 8, kFloorUlpsF64 = 1000;

double epsilonOf(DType type) {
  return std::ldexp(1.0, -int(getInfo(type).mantissaBits));
}

bool isSpecial(double value) { return std::isnan(value) || std::isinf(value); }

/// The largest error of `actual`, infinite where specials differ.
double getError(const Tensor &actual, const Tensor &exact) {
  double worst = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    double x = actual.value(i), y = roundTo(exact.type, exact.value(i));
    bool same = x == y || (std::isnan(x) && std::isnan(y));
    if (!same && (isSpecial(x) || isSpecial(y)))
      return std::numeric_limits<double>::infinity();
    if (!same)
      worst = std::max(worst, std::fabs(x - exact.value(i)));
  }
  return worst;
}

size_t countDifferent(const std::vector<double> &numbers) {
  std::set<uint64_t> different;
  for (double number : numbers)
    different.insert(std::bit_cast<uint64_t>(number));
  return different.size();
}
} // namespace

void Errors::join(const Errors &other) {
  actual = std::max(actual, other.actual);
  plain = std::max(plain, other.plain);
  floor = std::max(floor, other.floor);
}

double reference::getLargest(const std::vector<Tensor> &results) {
  double largest = 0;
  for (const Tensor &tensor : results)
    for (size_t i = 0; i < tensor.size(); ++i)
      if (!isSpecial(tensor.value(i)))
        largest = std::max(largest, std::fabs(tensor.value(i)));
  return largest;
}

Errors reference::getErrors(const Tensor &actual, const Tensor &plain,
                            const Tensor &exact, double largest) {
  if (!exact.isFloat())
    return {actual.ints == plain.ints ? 0.0 : 1.0, 0, 0, exact.size()};
  double ulps = exact.type == DType::F64 ? kFloorUlpsF64 : kFloorUlps;
  double floor = ulps * epsilonOf(exact.type) * largest +
                 getInfo(exact.type).minSubnormal +
                 // Vector math flushes results below the normal f32 numbers.
                 getInfo(DType::F32).minNormal;
  double error = getError(plain, exact);
  size_t count = countDifferent(exact.reals);
  if (std::isinf(error)) // A special value arose only by rounding.
    return {getError(actual, plain), 0, floor, count};
  return {getError(actual, exact), error, floor, count};
}
