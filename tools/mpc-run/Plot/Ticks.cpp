#include "Ticks.h"

#include <cmath>
#include <cstdio>

using namespace mpc::run;

double mpc::run::measure(Axis axis, double value) {
  switch (axis) {
  case Axis::Count:
  case Axis::Linear:
    return value;
  case Axis::Logarithmic2:
    return std::log2(value);
  case Axis::Logarithmic10:
    return std::log10(value);
  }
  return value;
}

void Range::widen(double least) {
  if (!(low <= high))
    low = high = 0;
  least = std::max(least, 1e-9 * std::max(std::abs(low), std::abs(high)));
  if (high / 2 - low / 2 >= least / 2)
    return;
  constexpr double most = std::numeric_limits<double>::max();
  double middle = low / 2 + high / 2;
  low = std::max(middle - least / 2, -most);
  high = std::min(middle + least / 2, most);
}

/// 1, 2 or 5 times a power of ten, and not less than `least`.
static double roundStep(double least) {
  double power = std::pow(10, std::floor(std::log10(least)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least)
      return factor * power;
  return 10 * power;
}

/// With as many digits as tell it from its neighbours at `step`.
static std::string format(double number, double step) {
  double digits = 2 + std::floor(std::log10(std::abs(number) / step));
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g",
                std::isfinite(digits) && digits > 7
                    ? static_cast<int>(std::min(digits, 17.0))
                    : 7,
                number);
  return text;
}

/// The multiples of `step` within the range. They are counted, not added up:
/// a sum may stand still.
static std::vector<double> multiples(Range range, double step) {
  std::vector<double> numbers;
  double last = std::floor(range.high / step + 1e-9);
  for (double n = std::ceil(range.low / step - 1e-9); n <= last; ++n)
    numbers.push_back(n * step + 0.0); // no -0
  return numbers;
}

static std::vector<Tick> linearTicks(Range range, double step) {
  std::vector<Tick> ticks;
  for (double number : multiples(range, step))
    ticks.push_back({number, format(number, step)});
  return ticks;
}

/// 1, 2 and 5 times each power of ten; where there are many powers, some of
/// these alone.
static std::vector<Tick> decades(Range range) {
  double stride = std::max(1.0, std::ceil(range.part(8)));
  std::vector<Tick> ticks;
  auto add = [&](double position) {
    double number = std::pow(10, position);
    if (position >= range.low - 1e-9 && position <= range.high + 1e-9 &&
        number != 0 && std::isfinite(number))
      ticks.push_back({position, format(number, number)});
  };
  for (double power = std::floor(range.low / stride) * stride;
       power <= range.high; power += stride) {
    add(power);
    for (double factor : {2.0, 5.0})
      if (stride == 1)
        add(power + std::log10(factor));
  }
  return ticks;
}

/// Round numbers, as on a linear axis, where powers of ten are too far apart.
static std::vector<Tick> withinDecade(Range range) {
  Range numbers;
  numbers.include(std::pow(10, range.low));
  numbers.include(std::pow(10, range.high));
  constexpr double least = 1e-300; // below it steps are subnormal, or zero
  if (numbers.low < least || !std::isfinite(numbers.high))
    return decades(range);
  double step = roundStep(numbers.part(8));
  std::vector<Tick> ticks;
  for (double number : multiples(numbers, step))
    if (number > 0)
      ticks.push_back({std::log10(number), format(number, step)});
  return ticks;
}

std::vector<Tick> mpc::run::makeTicks(Axis axis, Range range) {
  double step = roundStep(range.part(8));
  switch (axis) {
  case Axis::Count:
    return linearTicks(range, std::max(1.0, step));
  case Axis::Linear:
    return linearTicks(range, step);
  case Axis::Logarithmic10:
    return range.high - range.low < 1 ? withinDecade(range) : decades(range);
  case Axis::Logarithmic2:
    break;
  }
  std::vector<Tick> ticks;
  for (double power : multiples(range, std::max(1.0, std::round(step)))) {
    char text[32];
    std::snprintf(text, sizeof(text), "2^%g", power);
    ticks.push_back({power, text});
  }
  return ticks;
}
