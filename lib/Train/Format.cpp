#include "mpc/Train/Format.h"

#include "mpc/Support/Printable.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

using namespace mpc::train;

__attribute__((format(printf, 1, 2))) static std::string
format(const char *pattern, ...) {
  char text[128];
  va_list values;
  va_start(values, pattern);
  std::vsnprintf(text, sizeof(text), pattern, values);
  va_end(values);
  return text;
}

std::string mpc::train::formatSeconds(double seconds) {
  long long whole = std::llround(std::max(seconds, 0.0));
  if (whole >= 3600)
    return format("%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60,
                  whole % 60);
  return format("%lld:%02lld", whole / 60, whole % 60);
}

std::string mpc::train::formatRate(double perSecond) {
  if (perSecond >= 1e6)
    return format("%.2fM", perSecond / 1e6);
  if (perSecond >= 1e3)
    return format("%.1fk", perSecond / 1e3);
  if (perSecond >= 10)
    return format("%.0f", perSecond);
  return format("%.2g", perSecond); // of a large model
}

std::string mpc::train::formatLoss(double loss, int decimals) {
  if (std::isnan(loss))
    return "nan"; // its sign says nothing
  double size = std::fabs(loss);
  bool isPlain = size == 0 || (size >= 1e-3 && size < 1e6);
  return isPlain ? format("%.*f", decimals, loss)
                 : format("%.*g", decimals + 1, loss);
}

std::string mpc::train::formatPercent(double share) {
  return format("%.2f %%", share * 100);
}

std::string mpc::train::formatScale(double scale) {
  int exponent = 0;
  if (scale > 0 && std::isfinite(scale) && std::frexp(scale, &exponent) == 0.5)
    return "2^" + std::to_string(exponent - 1);
  return format("%g", scale);
}

std::string mpc::train::formatSmall(double number) {
  char text[64];
  bool isSmall = std::fabs(number) < 0.1 && number != 0;
  std::snprintf(text, sizeof text, "%9.*f", isSmall ? 6 : 3, number);
  return text;
}

std::string mpc::train::formatBytes(uint64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  if (bytes < 1024UL * 1024)
    return format("%.1f KiB", static_cast<double>(bytes) / 1024);
  return format("%.1f MiB", static_cast<double>(bytes) / (1024 * 1024));
}

std::string mpc::train::printable(std::string_view name) {
  return mpc::printable(name);
}
